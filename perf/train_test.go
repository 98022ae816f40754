package perf

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/machine"
	"github.com/weft-gnn/weft/model"
)

func noRSS() *int64 { return nil }

// karate is a case on the set that is contained in weft.
func karate(name string) TrainCase {
	return TrainCase{Model: name, Graph: "karate", Data: "karate", Hidden: 16, Heads: 4, Threads: 2, Epochs: 2}
}

// bytesOf sums up what all levels serve; negative amounts are defects.
func bytesOf(t *testing.T, op Op) (sum int64) {
	t.Helper()
	for _, s := range op.Traffic.Levels {
		if s.Read < 0 || s.Written < 0 || s.Changed < 0 {
			t.Errorf("%s: a level serves %+v", op.Name, s)
		}
		sum += s.Read + s.Written + 2*s.Changed
		for _, g := range s.Gathers {
			sum += g.Bytes
		}
	}
	return sum
}

// TestOpsAreAllOfAStep: for every model, what the levels serve of each operation
// is what its kernel counted, and together they are what the step states.
func TestOpsAreAllOfAStep(t *testing.T) {
	d, err := Open(t.Context(), "karate", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range model.Names() {
		for _, fold := range []bool{false, true} {
			c := karate(name)
			c.Fold, c.Dropout = fold, 0.5
			found, err := c.Measure(t.Context(), d, known(2), noRSS)
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			for _, op := range found.Ops {
				if got := bytesOf(t, op); got != op.Bytes {
					t.Errorf("%v: of %s, %d bytes are served, %d counted", c, op.Name, got, op.Bytes)
				}
				if op.MS <= 0 || op.MinMS > op.MS {
					t.Errorf("%v: %s took %v ms, at least %v", c, op.Name, op.MS, op.MinMS)
				}
			}
			if e := found.Epoch; !(0 < e.Min && e.Min <= e.Median && e.Median <= e.Max) || !(found.Loss > 0) || len(found.Ops) < 5 {
				t.Errorf("%v: %+v", c, found)
			}
		}
	}
}

// TestFoldTakesWorkOutOfSteps: where features are not dropped, their product with
// the graph's matrix is computed once.
func TestFoldTakesWorkOutOfSteps(t *testing.T) {
	d, err := Open(t.Context(), "sbm@0.02", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	work := map[bool]int64{}
	var losses []float64
	for _, fold := range []bool{true, false} {
		c := karate("sage")
		c.Fold = fold
		found, err := c.Measure(t.Context(), d, known(2), noRSS)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range found.Ops {
			work[fold] += op.Traffic.Work
		}
		losses = append(losses, found.Loss)
	}
	if work[true] >= work[false] || math.Abs(losses[0]-losses[1]) > 1e-3 {
		t.Errorf("folded: %d operations, else %d; losses %v", work[true], work[false], losses)
	}
}

// TestTrain: rows in order, each with its case, roofline and the operations that
// lose most.
func TestTrain(t *testing.T) {
	layer := 1
	one := func(name string, ms float64, work int64) Op {
		return Op{Name: name, Layer: &layer, MS: ms, MinMS: ms, Bytes: 5_000_000, Traffic: machine.Traffic{Work: work}}
	}
	rss := int64(1 << 20)
	found := &Measured{Epoch: Times{40, 35, 60}, Loss: 1.5, PeakRSSBytes: &rss, Heads: 4, Ops: []Op{
		one("near", 10, 9_000_000), one("far", 12, 2_000_000), one("wrong", 1, 4_000_000), one("some", 7, 4_000_000), one("free", 1, 0),
	}}
	var said []string
	cases := []TrainCase{karate("gcn"), karate("gat")}
	cases[1].Threads, cases[1].Fold, cases[1].Data = 1, true, "sbm@0.01"
	var asked []TrainCase
	o := TrainOptions{Cases: cases, Ops: true,
		Say: func(format string, args ...any) { said = append(said, strings.TrimSpace(sprint(format, args))) },
		Measure: func(_ context.Context, c TrainCase, m *machine.Machine) (*Measured, error) {
			if asked = append(asked, c); m.Threads != c.Threads {
				t.Errorf("%v is measured on a machine of %d threads", c, m.Threads)
			}
			return found, nil
		}}
	r, err := o.run(t.Context(), limitsOf(known))
	if err != nil {
		t.Fatal(err)
	}
	row := r.Rows[0]
	if row.Model != "gcn" || row.Heads != 4 || row.RooflineMS != 9+2+4+4 || row.Ratio != 40./19 || row.Loss != 1.5 || row.System != "weft" {
		t.Errorf("got %+v", row)
	}
	var names []string
	for _, op := range row.Furthest {
		names = append(names, op.Op)
	}
	if want := []string{"far", "some", "near"}; !slices.Equal(names, want) || len(row.Ops) != 5 {
		t.Errorf("furthest are %v, want %v; %d operations", names, want, len(row.Ops))
	}
	if far := row.Ops[1]; far.Ratio != 6 || far.GBs != 5./12 || far.GFlops != 2./12 || far.Limit != "arithmetic" || *far.Layer != 1 {
		t.Errorf("got %+v", far)
	}
	if len(r.Rows) != 2 || r.Rows[1].Model != "gat" || len(r.Limits) != 2 || r.Machine.Cores < 1 {
		t.Errorf("got %d rows, %d limits", len(r.Rows), len(r.Limits))
	}
	if asked[0].Data != "karate" || !strings.HasSuffix(asked[1].Data, "sbm@0.01") || asked[1].Data == "sbm@0.01" {
		t.Errorf("measured on %q and %q", asked[0].Data, asked[1].Data)
	}
	if text := strings.Join(said, "\n"); strings.Count(text, "wrong took") != 2 || strings.Count(text, "or a wrong roofline") != 2 {
		t.Errorf("said %q", text)
	}
}

func TestTrainFaults(t *testing.T) {
	broken := errors.New("broken")
	o := TrainOptions{Cases: []TrainCase{karate("gcn")}, Say: func(string, ...any) {},
		Measure: func(context.Context, TrainCase, *machine.Machine) (*Measured, error) { return nil, broken }}
	if _, err := o.run(t.Context(), limitsOf(known)); !errors.Is(err, broken) {
		t.Errorf("a case that cannot be measured: %v", err)
	}
	for name, spoil := range map[string]func(c *TrainCase){
		"no model":  func(c *TrainCase) { c.Model = "gnc" },
		"hidden":    func(c *TrainCase) { c.Hidden = 0 },
		"dropout":   func(c *TrainCase) { c.Dropout = 1 },
		"4 heads d": func(c *TrainCase) { c.Model, c.Hidden = "gat", 7 },
	} {
		c := karate("gcn")
		spoil(&c)
		if _, err := c.Config(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestProcess: what a process that serves a case writes is what the one that
// asked reads.
func TestProcess(t *testing.T) {
	var answer bytes.Buffer
	text := `{"case": {"model": "gcn", "graph": "k", "data": "karate", "hidden": 8, "threads": 1, "epochs": 1}, "machine": ` + jsonOf(t, known(1)) + `}`
	if err := Serve(t.Context(), strings.NewReader(text), &answer, dataset.Options{}, noRSS); err != nil {
		t.Fatal(err)
	}
	run := func(words ...string) (*Measured, error) {
		return Process(func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, words[0], words[1:]...) })(t.Context(), karate("gcn"), known(1))
	}
	found, err := run("printf", "%s", answer.String())
	if err != nil || len(found.Ops) == 0 || found.PeakRSSBytes != nil || jsonOf(t, found)+"\n" != answer.String() {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err := run("sh", "-c", "echo what went wrong >&2; exit 3"); err == nil || !strings.Contains(err.Error(), "exit status 3: what went wrong") {
		t.Errorf("a process that fails: %v", err)
	}
	if _, err := run("echo", "nothing"); err == nil {
		t.Error("an answer that is none is taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Process(func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, "sleep", "60") })(ctx, karate("gcn"), known(1))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a process that is stopped: %v", err)
	}
	for _, text := range []string{"", "{}", `{"machine": {}}`} {
		if err := Serve(t.Context(), strings.NewReader(text), &answer, dataset.Options{}, noRSS); err == nil {
			t.Errorf("the case %q is measured", text)
		}
	}
}

// TestStepsEnd: a run that is stopped from outside is no measurement.
func TestStepsEnd(t *testing.T) {
	d, err := Open(t.Context(), "karate", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if found, err := karate("gcn").Measure(ctx, d, known(1), noRSS); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", found, err)
	}
	c := karate("gcn")
	c.Epochs = usualSteps + 10 // more than a run usually has
	found, err := c.Measure(t.Context(), d, known(1), noRSS)
	if err != nil || reflect.DeepEqual(found.Epoch, Times{}) {
		t.Errorf("%+v, %v", found, err)
	}
}
