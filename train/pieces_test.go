package train_test

import (
	"math"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/comm/local"
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
	"github.com/weft-gnn/weft/train"
)

// scattered is a small set of m edges and k features, of which a share is not zero.
func scattered(t *testing.T, m, k int, share float32) *dataset.Dataset {
	t.Helper()
	const n = 30
	s := rng.Key{Seed: uint64(k), Purpose: rng.Test}.Stream(0)
	var from, to []int32
	for range m {
		u, v := int32(s.Uint32n(n)), int32(s.Uint32n(n))
		from, to = append(from, u, v), append(to, v, u)
	}
	g, err := graph.FromCOO(n, from, to, nil, graph.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{Name: "scattered", Task: dataset.VertexClassification, Graph: g, X: tensor.New(n, k)}
	for i := range d.X.Data {
		if x := s.Float32(); s.Float32() < share {
			d.X.Data[i] = x
		}
	}
	d.Labels.Names = []string{"a", "b"}
	split := dataset.Split{Name: "own"}
	parts := [3]*[]int32{&split.Train, &split.Val, &split.Test}
	for v := range int32(n) {
		d.Labels.Class = append(d.Labels.Class, v%2)
		*parts[v%3] = append(*parts[v%3], v)
	}
	d.Splits = []dataset.Split{split}
	return d
}

// TestRanksEvaluateTheirWeights: what ranks that share out weights evaluate, and save, is
// what one rank does, whichever values each of their two programs multiplies first, and
// whether they are entries or rows.
func TestRanksEvaluateTheirWeights(t *testing.T) {
	t.Run("rows", func(t *testing.T) { evaluatesTheirWeights(t, scattered(t, 90, 67, 1)) })
	t.Run("entries", func(t *testing.T) { evaluatesTheirWeights(t, scattered(t, 0, 16, 0.02)) })
}

func evaluatesTheirWeights(t *testing.T, d *dataset.Dataset) {
	t.Helper()
	for _, name := range []string{"gcn", "sage", "gin", "gat"} {
		c := config(t, name, 3)
		c.Optimizer, c.LR = program.SGDKind, 0.05 // so that rounding stays what it is
		var want []float64
		one, weights := run(t, c, d, train.Settings{Progress: func(e train.Epoch) { want = append(want, e.ValLoss) }})
		for _, text := range []string{"algorithm=3d,partition=1x1x2", "algorithm=3d,partition=2x1x3", "algorithm=3d,partition=3x1x4", "algorithm=weights,feature=3", "algorithm=1d,partition=2,feature=2"} {
			t.Run(name+"/"+text, func(t *testing.T) {
				p, err := plan.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				m := team(p.Ranks(), local.Options{})
				m.Plan = p
				if m.Owners, err = train.Divide(t.Context(), p, d, c.Seed); err != nil {
					t.Fatal(err)
				}
				var got []float64
				dir := t.TempDir()
				r := together(t, m, train.Settings{Dir: dir, Progress: func(e train.Epoch) { got = append(got, e.ValLoss) }}, begins(c, d))
				if len(got) != len(want) || slices.ContainsFunc(want, func(x float64) bool { return math.IsNaN(x) }) {
					t.Fatalf("losses %v, want %v", got, want)
				}
				for i := range want {
					if math.Abs(got[i]/want[i]-1) > 1e-4 || math.Abs(float64(r.Loss[i]/one.Loss[i])-1) > 1e-4 {
						t.Errorf("epoch %d: the loss is %v and on validation items %v, of one rank %v and %v", i, r.Loss[i], got[i], one.Loss[i], want[i])
					}
				}
				now := state(t, dir)
				for name, w := range weights.Weights {
					for i, x := range w.Data {
						if far := math.Abs(float64(now["param."+name].Data[i] - x)); !(far < 1e-4) {
							t.Fatalf("element %d of %s is %v off that of one rank", i, name, far)
						}
					}
				}
			})
		}
	}
}
