package train_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/tensor"
	"github.com/weft-gnn/weft/train"
)

// open opens a data set, or skips the test where it is not at hand.
func open(t *testing.T, name string) *dataset.Dataset {
	t.Helper()
	d, err := source.Open(t.Context(), name, source.Places(os.Getenv))
	var missing *source.NotFoundError
	if errors.As(err, &missing) {
		t.Skipf("needs data set %s: set WEFT_DATA or run weft data fetch %s", name, name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func config(t *testing.T, name string, epochs int) train.Config {
	t.Helper()
	m, err := model.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	c := train.Defaults(m)
	c.Data, c.Epochs, c.Seed = "karate", epochs, 3
	return c
}

func run(t *testing.T, c train.Config, d *dataset.Dataset, s train.Settings) (*train.Result, *model.Saved) {
	t.Helper()
	tr, err := train.New(c, d, s)
	return toTheEnd(t, tr, err)
}

// toTheEnd trains with what New or Resume returned.
func toTheEnd(t *testing.T, tr *train.Trainer, err error) (*train.Result, *model.Saved) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	r, err := tr.Train(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r, tr.Model()
}

func sameLoss(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d epochs, want %d", what, len(got), len(want))
	}
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s: the loss of epoch %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func sameWeights(t *testing.T, what string, got, want *model.Saved) {
	t.Helper()
	for name, w := range want.Weights {
		if !w.Equal(got.Weights[name]) {
			t.Fatalf("%s: the parameter %s differs", what, name)
		}
	}
}

func TestEqualCurvesForAnyThreads(t *testing.T) {
	for _, set := range []struct {
		data   string
		epochs int
	}{{"karate", 30}, {"cora", 4}} {
		t.Run(set.data, func(t *testing.T) {
			d := open(t, set.data)
			for _, m := range model.Names() {
				c := config(t, m, set.epochs)
				want, weights := run(t, c, d, train.Settings{Threads: 1})
				for _, threads := range []int{2, 5, 8} {
					got, w := run(t, c, d, train.Settings{Threads: threads})
					sameLoss(t, fmt.Sprintf("%s on %d threads", m, threads), got.Loss, want.Loss)
					sameWeights(t, fmt.Sprintf("%s on %d threads", m, threads), w, weights)
				}
			}
		})
	}
}

// stopAfter trains and cancels once epochs are done.
func stopAfter(t *testing.T, c train.Config, d *dataset.Dataset, dir string, epochs int) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	tr, err := train.New(c, d, train.Settings{Dir: dir, Progress: func(e train.Epoch) {
		if e.Epoch == epochs-1 {
			cancel(errors.New("enough"))
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	_, err = tr.Train(ctx)
	var stopped *train.Interrupted
	if !errors.As(err, &stopped) || stopped.Epoch != epochs || stopped.Dir != dir {
		t.Fatalf("stopped with %v, want an interruption after %d epochs in %s", err, epochs, dir)
	}
}

func TestResumeAtAnyEpoch(t *testing.T) {
	d := open(t, "karate")
	const epochs = 9
	for _, m := range model.Names() {
		c := config(t, m, epochs)
		c.Patience, c.Schedule = 100, train.Schedule{Kind: train.Cosine, Warmup: 2}
		want, weights := run(t, c, d, train.Settings{Dir: filepath.Join(t.TempDir(), "whole")})
		for e := 1; e < epochs; e++ {
			dir := filepath.Join(t.TempDir(), "parts")
			stopAfter(t, c, d, dir, e)
			tr, err := train.Resume(dir, d, 0, train.Settings{Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			got, err := tr.Train(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("%s resumed after epoch %d", m, e)
			sameLoss(t, what, got.Loss, want.Loss)
			sameWeights(t, what, tr.Model(), weights)
			if *got.BestEpoch != *want.BestEpoch || *got.Score.Test != *want.Score.Test {
				t.Errorf("%s: best epoch %d with %v, want %d with %v", what, *got.BestEpoch, *got.Score.Test, *want.BestEpoch, *want.Score.Test)
			}
			tr.Close()
			if n := lines(t, filepath.Join(dir, "metrics.jsonl")); n != epochs {
				t.Errorf("%s: %d lines of metrics, want %d", what, n, epochs)
			}
		}
	}
}

func lines(t *testing.T, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

// TestKilledAfterCheckpoint: a process that died wrote metrics after its last
// checkpoint; resuming writes them once.
func TestKilledAfterCheckpoint(t *testing.T) {
	d := open(t, "karate")
	c, dir := config(t, "gcn", 6), filepath.Join(t.TempDir(), "run")
	stopAfter(t, c, d, dir, 3)
	path := filepath.Join(dir, "metrics.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	torn := append(text, []byte("{\"epoch\":3}\n{\"epoch\":4,\"lo")...)
	if err := os.WriteFile(path, torn, 0o644); err != nil {
		t.Fatal(err)
	}
	tr, err := train.Resume(dir, d, 0, train.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if _, err := tr.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := lines(t, path); n != 6 {
		t.Errorf("%d lines of metrics, want 6", n)
	}
}

func TestPatience(t *testing.T) {
	d := open(t, "karate")
	c := config(t, "gcn", 300)
	c.Patience, c.Monitor = 5, model.ValMetric
	r, _ := run(t, c, d, train.Settings{})
	if r.Epochs != *r.BestEpoch+1+5 {
		t.Errorf("stopped after %d epochs, best was %d, patience 5", r.Epochs, *r.BestEpoch)
	}
}

func TestCountedEqualsPredicted(t *testing.T) {
	for _, data := range []string{"karate", "cora", "citeseer"} {
		t.Run(data, func(t *testing.T) {
			d := open(t, data)
			for _, m := range model.Names() {
				r, _ := run(t, config(t, m, 2), d, train.Settings{Threads: 2})
				if r.Counted != r.Predicted || r.Counted.Work == 0 {
					t.Errorf("%s: counted %+v, predicted %+v", m, r.Counted, r.Predicted)
				}
			}
		})
	}
}

func TestKarateIsLearnt(t *testing.T) {
	d := open(t, "karate")
	for _, m := range []string{"gcn", "sage", "gin", "gat"} {
		c := config(t, m, 200)
		r, _ := run(t, c, d, train.Settings{})
		if *r.Score.Test < 0.8 {
			t.Errorf("%s: test accuracy %v on karate, want at least 0.8", m, *r.Score.Test)
		}
	}
}

// TestNonFiniteLossNamesTheOperation: decision 21.
func TestNonFiniteLossNamesTheOperation(t *testing.T) {
	c := config(t, "gcn", 5)
	c.LR = 1e30
	tr, err := train.New(c, open(t, "karate"), train.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	var bad *runtime.NonFiniteError
	if _, err = tr.Train(t.Context()); !errors.As(err, &bad) || bad.Op == "" {
		t.Errorf("a learning rate of 1e30 ended with %v", err)
	}
}

func TestSplitsThatCannotTrain(t *testing.T) {
	d := *open(t, "karate")
	c := config(t, "gcn", 5)
	d.Splits = []dataset.Split{{Name: "none", Val: []int32{1}}}
	if _, err := train.New(c, &d, train.Settings{}); err == nil || !strings.Contains(err.Error(), "training") {
		t.Errorf("an empty training part gave %v", err)
	}
	d.Splits = []dataset.Split{{Name: "no val", Train: []int32{0, 33}, Test: []int32{5}}}
	r, _ := run(t, c, &d, train.Settings{})
	if r.Score.Val != nil || r.BestEpoch != nil || r.Epochs != 5 {
		t.Errorf("without validation: val %v, best %v, %d epochs", r.Score.Val, r.BestEpoch, r.Epochs)
	}
}

// TestNegativeWeights: a row of the edge cases.
func TestNegativeWeights(t *testing.T) {
	g, err := graph.FromCOO(3, []int32{0, 2}, []int32{1, 1}, []float32{1, -3}, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{
		Name: "weights", Task: dataset.VertexClassification, Graph: g, X: tensor.New(3, 2),
		Labels: dataset.Labels{Class: []int32{0, 1, 0}, Names: []string{"a", "b"}},
		Splits: []dataset.Split{{Train: []int32{0, 1}}},
	}
	_, err = train.New(config(t, "gcn", 1), d, train.Settings{})
	if err == nil || !strings.Contains(err.Error(), "vertex 1") || strings.Contains(err.Error(), "called") {
		t.Errorf("weights 1, −3 and a loop of 1 gave %v, want an error that names vertex 1", err)
	}
	d.IDs.Text = []string{"ada", "bob", "cleo"}
	if _, err = train.New(config(t, "gcn", 1), d, train.Settings{}); err == nil || !strings.Contains(err.Error(), "vertex 1 is called bob") {
		t.Errorf("got %v, want an error that names bob", err)
	}
}

// TestRegressionAndMultiLabel trains both kinds of value targets.
func TestRegressionAndMultiLabel(t *testing.T) {
	d := *open(t, "karate")
	values := tensor.New(34, 2)
	for v := range 34 {
		values.Row(v)[0] = float32(d.Labels.Class[v])
		values.Row(v)[1] = float32(math.NaN())
		if v%2 == 0 {
			values.Row(v)[1] = float32(1 - d.Labels.Class[v])
		}
	}
	d.Labels = dataset.Labels{Value: values}
	for _, task := range []dataset.Task{dataset.VertexRegression, dataset.VertexClassification} {
		d.Task = task
		c := config(t, "sage", 150)
		c.Options.Dropout = 0
		r, _ := run(t, c, &d, train.Settings{})
		if !(r.Loss[149] < r.Loss[0]/2) || r.Counted != r.Predicted {
			t.Errorf("%v: loss from %v to %v, counted %+v predicted %+v", task, r.Loss[0], r.Loss[149], r.Counted, r.Predicted)
		}
		if want := map[dataset.Task]train.Metric{dataset.VertexRegression: train.MAE, dataset.VertexClassification: train.ROCAUC}[task]; r.Metric != want {
			t.Errorf("%v is scored by %v, want %v", task, r.Metric, want)
		}
	}
}

// TestAllLabelsMissing: loss 0 and no step, a row of the edge cases.
func TestAllLabelsMissing(t *testing.T) {
	d := *open(t, "karate")
	d.Task, d.Labels = dataset.VertexClassification, dataset.Labels{Value: tensor.New(34, 1)}
	for i := range d.Labels.Value.Data {
		d.Labels.Value.Data[i] = float32(math.NaN())
	}
	c := config(t, "gcn", 3)
	c.Decay = model.Decay{}
	before, _ := train.New(c, &d, train.Settings{})
	defer before.Close()
	first := before.Model()
	kept := map[string]tensor.Matrix{}
	for name, w := range first.Weights {
		kept[name] = w.Clone()
	}
	r, after := run(t, c, &d, train.Settings{})
	for i, l := range r.Loss {
		if l != 0 {
			t.Errorf("the loss of epoch %d is %v, want 0", i, l)
		}
	}
	for name, w := range after.Weights {
		if !w.Equal(kept[name]) {
			t.Errorf("%s moved without a label", name)
		}
	}
}

func TestInitialWeights(t *testing.T) {
	d := open(t, "karate")
	c := config(t, "gcn", 4)
	_, first := run(t, c, d, train.Settings{})
	other := c
	other.Seed = 99
	other.Options.Dropout = 0
	c.Options.Dropout = 0
	a, _ := run(t, c, d, train.Settings{Init: first.Weights})
	b, _ := run(t, other, d, train.Settings{Init: first.Weights})
	sameLoss(t, "equal initial weights", b.Loss, a.Loss)
	for what, init := range map[string]map[string]tensor.Matrix{
		`no parameter "nothing"`:           {"nothing": tensor.New(1, 1)},
		`is 3×1, want 1×2`:                 {"layer1.bias": tensor.New(3, 1)},
		`is NaN in row 0, column 1`:        {"layer1.bias": tensor.Of(1, 2, []float32{0, float32(math.NaN())})},
		`none of the model's 4 parameters`: {},
	} {
		_, err := train.New(c, d, train.Settings{Init: init})
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("got %v, want …%s…", err, what)
		}
	}
	var log strings.Builder
	run(t, c, d, train.Settings{
		Init: map[string]tensor.Matrix{"layer1.bias": tensor.New(1, 2)},
		Log:  slog.New(slog.NewTextHandler(&log, nil)),
	})
	if !strings.Contains(log.String(), "1 of 4 parameters") {
		t.Errorf("nothing said of parameters that are not given: %s", log.String())
	}
}

func TestRunDirectoryIsNotOverwritten(t *testing.T) {
	d, dir := open(t, "karate"), filepath.Join(t.TempDir(), "run")
	c := config(t, "mlp", 2)
	run(t, c, d, train.Settings{Dir: dir})
	for _, name := range []string{"config.yaml", "metrics.jsonl", "model.safetensors", "checkpoint.safetensors", "result.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := train.New(c, d, train.Settings{Dir: dir}); err == nil {
		t.Error("a second run wrote into the same directory")
	}
	saved, err := model.ReadSaved(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	_, want := run(t, c, d, train.Settings{})
	sameWeights(t, "saved and read", saved, want)
}
