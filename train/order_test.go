package train_test

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/ondisk"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/infer"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/train"
)

// predicted trains with dropout, and returns the losses and, under each vertex's
// id, what the model says of it.
func predicted(t *testing.T, c train.Config, d *dataset.Dataset) (loss []float32, byID map[string][]float32) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	r, _ := run(t, c, d, train.Settings{Dir: dir})
	m, err := infer.Load(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Predict(d)
	if err != nil {
		t.Fatal(err)
	}
	byID = map[string][]float32{}
	for v := range d.Graph.N {
		byID[d.IDs.Of(v)] = p.Probability.Row(v)
	}
	return r.Loss, byID
}

// reordered writes a set in an order and reads it.
func reordered(t *testing.T, d *dataset.Dataset, by graph.Ordering) *dataset.Dataset {
	t.Helper()
	o, err := d.Reorder(by, 7)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), d.Name)
	if err := ondisk.Write(dir, o, ondisk.Options{}); err != nil {
		t.Fatal(err)
	}
	if o, err = source.Open(t.Context(), dir, dataset.Options{}); err != nil {
		t.Fatal(err)
	}
	return o
}

// What is learnt from a set does not depend on the order of its vertices, but for
// rounding: sums are taken in another order, each step starts from what the
// steps before rounded, and Adam divides gradients by their size. 1e-5 of the
// loss, and 1e-4 of a probability, are many times what was seen and far less than
// another mask, weight or split would make.
func TestEqualCurvesInAnyOrder(t *testing.T) {
	for _, set := range []struct {
		data   string
		epochs int
	}{{"karate", 20}, {"cora", 4}} {
		t.Run(set.data, func(t *testing.T) {
			d := open(t, set.data)
			sets := map[graph.Ordering]*dataset.Dataset{}
			for _, by := range graph.Orderings()[1:] {
				sets[by] = reordered(t, d, by)
			}
			for _, m := range model.Names() {
				c := config(t, m, set.epochs)
				want, byID := predicted(t, c, d)
				for by, o := range sets {
					got, p := predicted(t, c, o)
					sameCurve(t, fmt.Sprintf("%s by %v", m, by), got, want)
					samePredictions(t, fmt.Sprintf("%s by %v", m, by), p, byID)
				}
			}
		})
	}
}

func sameCurve(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d epochs, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if math.Abs(float64(got[i]-w)) > 1e-5*math.Abs(float64(w)) {
			t.Fatalf("%s: the loss of epoch %d is %v, want %v", what, i, got[i], w)
		}
	}
}

func samePredictions(t *testing.T, what string, got, want map[string][]float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d vertices, want %d", what, len(got), len(want))
	}
	for id, w := range want {
		g := got[id]
		if len(g) != len(w) {
			t.Fatalf("%s: %d classes for %s, want %d", what, len(g), id, len(w))
		}
		for j := range w {
			if math.Abs(float64(g[j]-w[j])) > 1e-4 {
				t.Fatalf("%s: probabilities %v of %s, want %v", what, g, id, w)
			}
		}
	}
}
