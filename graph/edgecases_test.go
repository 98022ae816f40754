package graph_test

import (
	"math"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

// sum aggregates the sources' values, times c where c is not nil.
func sum(b *graph.Block, x []float64, c func(v, u int) float64) []float64 {
	y := make([]float64, b.Dst)
	for v := range y {
		for _, u := range b.Col[b.Ptr[v]:b.Ptr[v+1]] {
			f := 1.0
			if c != nil {
				f = c(v, int(u))
			}
			y[v] += f * x[u]
		}
	}
	return y
}

// mean aggregates by the mean over N(v).
func mean(b *graph.Block, x []float64) []float64 {
	r := b.InvDegree()
	return sum(b, x, func(v, _ int) float64 { return float64(r[v]) })
}

// gcn aggregates by Â.
func gcn(t *testing.T, g *graph.Graph, x []float64) []float64 {
	t.Helper()
	b := g.LoopBlock()
	s, err := b.SymNorm()
	if err != nil {
		t.Fatal(err)
	}
	return sum(b, x, func(v, u int) float64 { return float64(s[v]) * float64(s[u]) })
}

// near allows the rounding of s to float32 twice.
func near(got, want []float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) })
}

func TestMeanOverNoNeighbours(t *testing.T) {
	none := build(t, graphcase.Case{N: 2}, graph.Policy{})
	if got := mean(none.Block(), []float64{5, 7}); !slices.Equal(got, []float64{0, 0}) {
		t.Errorf("no edges: mean %v, want 0, 0", got)
	}
	g := build(t, graphcase.Case{N: 3, Src: []int32{0, 1}, Dst: []int32{1, 0}}, graph.Policy{})
	x := []float64{1, 3, 5}
	if got := mean(g.Block(), x); !slices.Equal(got, []float64{3, 1, 0}) {
		t.Errorf("mean %v, want 3, 1, 0", got)
	}
	if got := gcn(t, g, x); !near(got, []float64{2, 2, 5}) {
		t.Errorf("gcn %v, want 2, 2, 5", got)
	}
}

func TestSelfLoopsOfTheData(t *testing.T) {
	g := build(t, graphcase.Case{N: 2, Src: []int32{0, 1, 0}, Dst: []int32{1, 0, 0}}, graph.Policy{})
	if got := gcn(t, g, []float64{1, 2}); !near(got, []float64{1.5, 1.5}) {
		t.Errorf("got %v, want 1.5, 1.5", got)
	}
	if g.Counts.Loops != 1 {
		t.Errorf("%d loops were found, want 1", g.Counts.Loops)
	}
}

func TestUnsortedEdges(t *testing.T) {
	g := build(t, graphcase.Case{N: 2, Src: []int32{0, 0, 1}, Dst: []int32{1, 0, 1}}, graph.Policy{})
	message := []float64{10, 20, 30} // one per row of the list
	got := make([]float64, 2)
	for _, a := range arcsOf(g) {
		got[a.dst] += message[a.listing]
	}
	if !slices.Equal(got, []float64{20, 40}) {
		t.Errorf("sums %v, want 20, 40", got)
	}
}

func TestParallelEdges(t *testing.T) {
	c := graphcase.Case{N: 3, Src: []int32{1, 1, 2}, Dst: []int32{0, 0, 0}}
	x := []float64{0, 3, 9}
	// Attention with equal logits is the mean.
	for policy, want := range map[graph.Duplicates]float64{graph.Keep: 5, graph.Merge: 6} {
		got := mean(build(t, c, graph.Policy{Duplicates: policy}).Block(), x)[0]
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("policy %d: %v, want %v", policy, got, want)
		}
	}
}

func TestIsolatedLastVertices(t *testing.T) {
	g := build(t, graphcase.Case{N: 5, Src: []int32{0, 1}, Dst: []int32{1, 2}}, graph.Policy{Symmetrise: true})
	if got := sum(g.Block(), []float64{1, 1, 1, 1, 1}, nil); !slices.Equal(got, []float64{1, 2, 1, 0, 0}) {
		t.Errorf("got %v", got)
	}
	if got := gcn(t, g, []float64{0, 0, 0, 4, 5}); !near(got, []float64{0, 0, 0, 4, 5}) {
		t.Errorf("gcn %v", got)
	}
}

func TestDirection(t *testing.T) {
	c := graphcase.Case{N: 3, Src: []int32{0, 1}, Dst: []int32{1, 2}}
	x := []float64{1, 0, 0}
	directed := build(t, c, graph.Policy{}).Block()
	if got := sum(directed, sum(directed, x, nil), nil); !slices.Equal(got, []float64{0, 0, 1}) {
		t.Errorf("directed: %v, want 0, 0, 1", got)
	}
	g := build(t, c, graph.Policy{Symmetrise: true})
	if got := sum(g.Block(), sum(g.Block(), x, nil), nil); !slices.Equal(got, []float64{1, 0, 1}) {
		t.Errorf("both ways: %v, want 1, 0, 1", got)
	}
	// Rows by destination: 1→0 mirrors row 0, 0→1 is row 0, 2→1 mirrors row 1, 1→2 is row 1.
	if want := []int64{0, 0, 1, 1}; !slices.Equal(g.Listing, want) {
		t.Errorf("edge features come from rows %v, want %v", g.Listing, want)
	}
}
