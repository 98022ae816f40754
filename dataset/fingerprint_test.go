package dataset_test

import (
	"context"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// TestFingerprint: a set in another order has that of the set; one in which a number
// that models learn from is another one has another.
func TestFingerprint(t *testing.T) {
	open := func() *dataset.Dataset {
		d, err := source.Open(context.Background(), "karate", dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	whole := open()
	want, split := whole.Fingerprint(), whole.FingerprintOf(whole.Splits[0])
	for _, by := range []graph.Ordering{graph.Random, graph.BFS, graph.ByDegree} {
		d, err := open().Reorder(by, 3)
		if err != nil {
			t.Fatal(err)
		}
		if got, of := d.Fingerprint(), d.FingerprintOf(d.Splits[0]); got != want || of != split {
			t.Errorf("in the order %v: %s and %s, want %s and %s", by, got, of, want, split)
		}
	}
	seen := map[string]string{want: "nothing"}
	for what, change := range map[string]func(d *dataset.Dataset){
		"a feature": func(d *dataset.Dataset) { d.X.Row(3)[5]++ },
		"two rows of features": func(d *dataset.Dataset) {
			a, b := slices.Clone(d.X.Row(1)), d.X.Row(2)
			copy(d.X.Row(1), b)
			copy(b, a)
		},
		"a label": func(d *dataset.Dataset) { d.Labels.Class[0] ^= 1 },
		"an arc":  func(d *dataset.Dataset) { d.Graph.Src[0] = 33 },
		"a weight": func(d *dataset.Dataset) {
			d.Graph.Weight = slices.Repeat([]float32{1}, len(d.Graph.Src))
			d.Graph.Weight[7] = 2
		},
		"no labels": func(d *dataset.Dataset) { d.Labels = dataset.Labels{} },
		"a value": func(d *dataset.Dataset) {
			d.Labels = dataset.Labels{Value: tensor.New(d.Graph.N, 1)}
		},
	} {
		d := open()
		d.X = tensor.Of(d.X.Rows, d.X.Cols, slices.Clone(d.X.Data))
		d.Labels.Class = slices.Clone(d.Labels.Class)
		change(d)
		got := d.Fingerprint()
		if seen[got] != "" {
			t.Errorf("with %s changed it is as with %s", what, seen[got])
		}
		seen[got] = what
	}
	other := whole.Splits[0]
	other.Train, other.Val = other.Val, other.Train
	if whole.FingerprintOf(other) == split {
		t.Error("train and val change places, and nothing is another")
	}
}
