package parted

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// checkViews compares what ranks are told that train on the parts with what the whole
// set says.
func checkViews(t *rapid.T, d *dataset.Dataset, div Division, all []*Part) {
	named := d.Graph.Block().Named(div.Parts, div.Part)
	for rank, p := range all {
		view, err := p.View()
		if err != nil {
			t.Fatal(err)
		}
		number := slices.Sorted(slices.Values(p.Vertex))
		for v, n := range number {
			if view.Owner[v] != div.Vertex[n] || view.Graph.Block().Degree(v) != d.Graph.Block().InDegree(int(n)) {
				t.Fatalf("part %d: vertex %d is of part %d and has %d arcs", rank, n, view.Owner[v], view.Graph.Block().Degree(v))
			}
		}
		for i, v := range view.Own {
			if number[v] != p.Vertex[i] {
				t.Fatalf("part %d: own vertex %d is said to be %d", rank, p.Vertex[i], number[v])
			}
		}
		for q, got := range view.Named {
			var want graph.Named
			for i, n := range named[q].Vertex {
				if q == rank || div.Vertex[n] == int32(rank) {
					v, _ := slices.BinarySearch(number, n)
					want.Vertex, want.At = append(want.Vertex, int32(v)), append(want.At, named[q].At[i])
				}
			}
			if !slices.Equal(got.Vertex, want.Vertex) || !slices.Equal(got.At, want.At) {
				t.Fatalf("part %d: part %d names %v, want %v", rank, q, got, want)
			}
		}
		if own := p.OwnSet(); p.Own > 0 && own.IDs.Of(p.Own-1) != p.ID(p.Own-1) {
			t.Fatalf("part %d: vertices are called %v", rank, own.IDs)
		}
	}
	m := all[0].Manifest
	if m.Sizes != d.Graph.Sizes() {
		t.Fatalf("sizes %+v, want %+v", m.Sizes, d.Graph.Sizes())
	}
	for i, s := range d.Splits {
		if got := m.Splits[i]; got.Train.Items != int64(len(s.Train)) || got.Val.Items != int64(len(s.Val)) || got.Test.Items != int64(len(s.Test)) {
			t.Fatalf("split %+v, want %+v", got, s)
		}
	}
}

// TestViewIsChecked: numbers that each are in range may still be no graph's.
func TestViewIsChecked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "halves")
	if err := Write(t.Context(), dir, pathSet(t, dataset.VertexClassification), inHalves(), Options{}); err != nil {
		t.Fatal(err)
	}
	for want, harm := range map[string]func(*Part){
		"part 0 of path: vertex 2 is there twice": func(p *Part) { p.Vertex = []int32{0, 1, 2, 2} },
		"part 0 of path: graph: ":                 func(p *Part) { p.Col = []int32{1, 2, 0, 1, 3} },
	} {
		p := openAll(t, dir, 2)[0]
		harm(p)
		_, err := p.View()
		datatest.WantError(t, err, want)
	}
}

// TestTargets: what the loss needs of all parts' targets is in the manifest; what has
// no finite mean is refused.
func TestTargets(t *testing.T) {
	d := pathSet(t, dataset.VertexRegression)
	missing := float32(math.NaN())
	d.Labels = dataset.Labels{Value: tensor.Of(6, 1, []float32{1, 5, 2, 4, missing, 7})}
	dir := filepath.Join(t.TempDir(), "halves")
	if err := Write(t.Context(), dir, d, inHalves(), Options{}); err != nil {
		t.Fatal(err)
	}
	want := Split{Name: "own", Train: Items{2, 2, 2}, Val: Items{1, 1, 1}, Test: Items{1, 0, 0}, Targets: []dataset.Moments{{Mean: 2.5, Deviation: 1.5}}}
	for _, p := range openAll(t, dir, 2) {
		if got := p.Manifest.Splits[0]; !slices.Equal(got.Targets, want.Targets) || got.Train != want.Train || got.Val != want.Val || got.Test != want.Test {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	d.Labels.Value.Data[3] = float32(math.Inf(1))
	datatest.WantError(t, Write(t.Context(), filepath.Join(t.TempDir(), "inf"), d, inHalves(), Options{}), `split "own": target 0`, "want finite")
}
