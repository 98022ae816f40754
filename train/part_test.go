package train_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/comm/local"
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/parted"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/partition"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
	"github.com/weft-gnn/weft/train"
)

// inParts divides a set and writes the parts.
func inParts(t *testing.T, d *dataset.Dataset, parts int, by partition.Method) (dir string, a graph.Assignment) {
	t.Helper()
	a, err := partition.Divide(t.Context(), d.Graph, partition.Options{Parts: parts, Method: by})
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "parts")
	if err := parted.Write(t.Context(), dir, d, parted.Division{Assignment: a, Method: by.String()}, parted.Options{}); err != nil {
		t.Fatal(err)
	}
	return dir, a
}

// teamOf is the ranks of a divided set, each with its part.
func teamOf(t *testing.T, dir string) train.Team {
	t.Helper()
	m, err := parted.ReadManifest(dir, parted.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := train.PlanOf(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	team := team(p.Ranks(), local.Options{})
	team.Plan, team.Part = p, func(rank int) (*parted.Part, error) { return parted.Open(dir, rank, parted.ReadOptions{Verify: true}) }
	return team
}

// wholeUnder trains ranks that read the whole set and share it out as the parts are.
func wholeUnder(t *testing.T, cfg train.Config, d *dataset.Dataset, p plan.Plan, a graph.Assignment) *train.Result {
	t.Helper()
	o, err := p.Owners(t.Context(), d.Graph, 0)
	if err != nil {
		t.Fatal(err)
	}
	if o.Vertex = a.Vertex; a.Arc != nil {
		o.Edge = func(arc int64, _, _ int32) int32 { return a.Arc[arc] }
	}
	m := team(p.Ranks(), local.Options{})
	m.Plan, m.Owners = p, &o
	return together(t, m, train.Settings{}, begins(cfg, d))
}

// TestPartsHaveOneCurve: ranks that open their parts alone have the bits of ranks that
// read the whole set, the curve of one rank, and send what is predicted.
func TestPartsHaveOneCurve(t *testing.T) {
	for _, data := range []string{"karate", "cora"} {
		if testing.Short() && data == "cora" {
			continue // the race detector takes ten times as long
		}
		d := open(t, data)
		for _, m := range []string{"gcn", "sage", "gat"} {
			cfg := config(t, m, 20)
			one, _ := run(t, cfg, d, train.Settings{})
			for _, c := range []struct {
				parts int
				by    partition.Method
			}{{1, partition.Multilevel}, {2, partition.Multilevel}, {4, partition.Hash}, {3, partition.HDRF}} {
				what := fmt.Sprintf("%s on %s in %d parts by %v", m, data, c.parts, c.by)
				dir, a := inParts(t, d, c.parts, c.by)
				team := teamOf(t, dir)
				if m == "sage" {
					team.Plan.Backward = program.ReturnRows // a rank cannot tell from its part that edges have reverses
				}
				r := together(t, team, train.Settings{}, begins(cfg, nil))
				near(t, what, r, one, 1e-5)
				whole := wholeUnder(t, cfg, d, team.Plan, a)
				if !slices.Equal(r.Loss, whole.Loss) || r.Counted != whole.Counted || *r.Score.Val != *whole.Score.Val || *r.Score.Test != *whole.Score.Test {
					t.Errorf("%s: losses %v, %+v; ranks with the whole set have %v, %+v", what, r.Loss, r.Counted, whole.Loss, whole.Counted)
				}
				if c.parts > 1 && r.Counted.Words.Total == 0 {
					t.Errorf("%s: the ranks sent nothing", what)
				}
			}
		}
	}
}

// TestPartsOfOddSets: parts have degrees where there are no features, weights,
// values to predict of which some are missing, items that are in two parts of the
// split, and vertices in another order than that of their identities.
func TestPartsOfOddSets(t *testing.T) {
	src, dst := ring(9)
	src, dst = append(src, 4, 4, 0), append(dst, 4, 4, 5)
	weight := make([]float32, len(src))
	for i := range weight {
		weight[i] = 0.5 + float32(i%4)/4
	}
	g, err := graph.FromCOO(9, src, dst, weight, graph.Policy{Duplicates: graph.Keep})
	if err != nil {
		t.Fatal(err)
	}
	if g, err = g.Permute([]int32{3, 1, 2, 8, 7, 0, 4, 6, 5}); err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{Name: "odd", Task: dataset.VertexRegression, Graph: g, X: tensor.New(9, 0), Labels: dataset.Labels{Value: tensor.New(9, 2)}}
	for i := range d.Labels.Value.Data {
		if d.Labels.Value.Data[i] = float32(i * i); i%5 == 1 {
			d.Labels.Value.Data[i] = float32(math.NaN())
		}
	}
	d.Splits = []dataset.Split{{Train: []int32{8, 1, 0, 5}, Val: []int32{2, 3}, Test: []int32{0, 2, 4, 6}}}
	for _, m := range []string{"gcn", "sage"} {
		cfg := config(t, m, 10)
		one, _ := run(t, cfg, d, train.Settings{})
		for _, by := range []partition.Method{partition.Random, partition.HDRF} {
			dir, a := inParts(t, d, 3, by)
			team := teamOf(t, dir)
			r := together(t, team, train.Settings{}, begins(cfg, nil))
			near(t, fmt.Sprintf("%s by %v", m, by), r, one, 1e-5)
			if whole := wholeUnder(t, cfg, d, team.Plan, a); !slices.Equal(r.Loss, whole.Loss) || r.Counted != whole.Counted {
				t.Errorf("%s by %v: %v, %+v; ranks with the whole set have %v, %+v", m, by, r.Loss, r.Counted, whole.Loss, whole.Counted)
			}
		}
	}
}

// TestPartsGoOn: what ranks with parts saved, one with the whole set goes on with, and
// the other way round: the state has the same bits.
func TestPartsGoOn(t *testing.T) {
	d, c := open(t, "karate"), config(t, "gcn", 12)
	whole, _ := run(t, c, d, train.Settings{})
	dir, _ := inParts(t, d, 3, partition.Multilevel)
	c.Epochs = 6
	starts := map[bool]func(train.Settings){
		true:  func(set train.Settings) { together(t, teamOf(t, dir), set, begins(c, nil)) },
		false: func(set train.Settings) { run(t, c, d, set) },
	}
	for parts, start := range starts {
		for _, epochs := range []int{6, 12} {
			at := filepath.Join(t.TempDir(), "run")
			start(train.Settings{Dir: at})
			saved := state(t, at)
			var r *train.Result
			if parts {
				r, _ = resumed(t, at, d, epochs)
			} else {
				r = together(t, teamOf(t, dir), train.Settings{}, goesOn(at, nil, epochs))
			}
			for name, was := range saved {
				if now := state(t, at); epochs == 6 && !now[name].Equal(was) {
					t.Errorf("from parts %v: %s is not what was saved", parts, name)
				}
			}
			for i, loss := range r.Loss {
				if far := math.Abs(float64(loss/whole.Loss[i] - 1)); far > 1e-4 { // as in TestResumeOnOtherRanks
					t.Errorf("from parts %v: the loss of epoch %d is %v, that of an undisturbed run %v", parts, i, loss, whole.Loss[i])
				}
			}
		}
	}
}

// TestBadPartsAreRefused: a part that is damaged, or not there, is named before
// anything starts, and no run directory is made.
func TestBadPartsAreRefused(t *testing.T) {
	d, c := open(t, "karate"), config(t, "gcn", 2)
	for what, harm := range map[string]func(part string) error{
		"feat.npy": func(part string) error {
			f, err := os.OpenFile(filepath.Join(part, "feat.npy"), os.O_RDWR, 0)
			if err == nil {
				_, err = f.WriteAt([]byte{1, 2, 3}, 400)
				err = errors.Join(err, f.Close())
			}
			return err
		},
		"send.npy": func(part string) error { return os.Remove(filepath.Join(part, "send.npy")) },
		"part-2":   os.RemoveAll,
	} {
		dir, _ := inParts(t, d, 3, partition.Multilevel)
		if err := harm(filepath.Join(dir, "part-2")); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "run")
		n := leaks(func() {
			_, err := teamOf(t, dir).Train(context.Background(), train.Settings{Dir: out}, begins(c, nil), nil)
			if err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), "part-2") {
				t.Errorf("%s: got %v", what, err)
			}
		})
		if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) || n > 0 {
			t.Errorf("%s: a run directory was made (%v), %d goroutines are left", what, err, n)
		}
	}
}

// TestPlanOfParts: parts mean a plan, and another is refused with what would be right.
func TestPlanOfParts(t *testing.T) {
	d := open(t, "karate")
	for by, want := range map[partition.Method]string{
		partition.Range: "algorithm=1d,partition=3,partitioner=range", partition.DBH: "algorithm=vertexcut,partition=3,partitioner=dbh",
	} {
		dir, _ := inParts(t, d, 3, by)
		m, err := parted.ReadManifest(dir, parted.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := train.PlanOf(m, nil)
		if err != nil || p.String() != want {
			t.Errorf("%v: %v, %v", by, p, err)
		}
		if _, err := train.PlanOf(m, &p); err != nil {
			t.Error(err)
		}
		for _, text := range []string{"algorithm=1d,partition=2", "algorithm=1d,partition=1,replica=3", "algorithm=2d,partition=3x1", "algorithm=1d,partition=3,partitioner=hash"} {
			other, err := plan.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := train.PlanOf(m, &other); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v for %s: got %v", text, want, err)
			}
		}
	}
}
