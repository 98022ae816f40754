package graph_test

import (
	"math"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/graph"
)

// whole returns a small valid graph with every optional field.
func whole() *graph.Graph {
	return &graph.Graph{
		N: 3, Ptr: []int64{0, 3, 4, 4}, Src: []int32{1, 1, 2, 1}, Weight: []float32{1, 2, 3, 4},
		Listing: []int64{0, 2, 1, 4},
		Counts:  graph.Counts{Rows: 5, Listed: 5, Duplicates: 1, Loops: 1, Arcs: 3},
		Graphs:  []int64{0, 3, 3},
		Origin:  &graph.Origin{Vertex: []int64{4, 0, 2}, Edge: []int64{3, 4, 5, 9}, N: 5, M: 9},
	}
}

func TestGraphValidate(t *testing.T) {
	if err := whole().Validate(); err != nil {
		t.Fatalf("the valid graph: %v", err)
	}
	if err := (&graph.Graph{Ptr: []int64{0}}).Validate(); err != nil {
		t.Fatalf("the empty graph: %v", err)
	}
	for _, c := range []struct {
		want  string
		spoil func(g *graph.Graph)
	}{
		{"0 row pointers, want 1", func(g *graph.Graph) { *g = graph.Graph{} }},
		{"4 row pointers, want 5", func(g *graph.Graph) { g.N = 4 }},
		{"want at most 2147483647", func(g *graph.Graph) { g.N = math.MaxInt32 + 1 }},
		{"-1 rows", func(g *graph.Graph) { g.N = -1 }},
		{"run from 1 to 4, want 0 to 4", func(g *graph.Graph) { g.Ptr[0] = 1 }},
		{"run from 0 to 3, want 0 to 4", func(g *graph.Graph) { g.Ptr[3] = 3 }},
		{"row pointers fall from 9 to 4 at 1", func(g *graph.Graph) { g.Ptr[1] = 9 }},
		{"source 3 of arc 2 is out of range", func(g *graph.Graph) { g.Src[2] = 3 }},
		{"source -1 of arc 0 is out of range", func(g *graph.Graph) { g.Src[0] = -1 }},
		{"source 0 of arc 1 follows 1 in row 0", func(g *graph.Graph) { g.Src[1] = 0 }},
		{"3 weights for 4 arcs", func(g *graph.Graph) { g.Weight = g.Weight[:3] }},
		{"weight NaN of arc 1", func(g *graph.Graph) { g.Weight[1] = float32(math.NaN()) }},
		{"3 listing rows for 4 arcs", func(g *graph.Graph) { g.Listing = g.Listing[:3] }},
		{"arc 3 comes from row 5 of a list of 5", func(g *graph.Graph) { g.Listing[3] = 5 }},
		{"arc 2 comes from row -1", func(g *graph.Graph) { g.Listing[2] = -1 }},
		{"parallel arcs 0 and 1 come from rows 2 and 0", func(g *graph.Graph) { g.Listing[0], g.Listing[1] = 2, 0 }},
		{"4 arcs from a list of 3 rows", func(g *graph.Graph) { g.Listing, g.Counts.Rows = nil, 3 }},
		{"0 graph offsets, want 1", func(g *graph.Graph) { g.Graphs = []int64{} }},
		{"graph offsets run from 0 to 2, want 0 to 3", func(g *graph.Graph) { g.Graphs[2] = 2 }},
		{"graph offsets fall from 3 to 2 at 1", func(g *graph.Graph) { g.Graphs = []int64{0, 3, 2, 3} }},
		{"counts say 4 arcs and 0 loops, want 3 and 1", func(g *graph.Graph) { g.Counts.Arcs, g.Counts.Loops = 4, 0 }},
		{"counts say 5 listed", func(g *graph.Graph) { g.Counts.Dropped = 1 }},
		{"vertex identities: 2 entries, want 3", func(g *graph.Graph) { g.Origin.Vertex = g.Origin.Vertex[:2] }},
		{"arc identities: 3 entries, want 4", func(g *graph.Graph) { g.Origin.Edge = g.Origin.Edge[:3] }},
		{"vertex 1: identity 5 is out of range, want 0 ≤ id < 5", func(g *graph.Graph) { g.Origin.Vertex[1] = 5 }},
		{"arc 0: identity -2, want 0 or more", func(g *graph.Graph) { g.Origin.Edge[0] = -2 }},
	} {
		g := whole()
		c.spoil(g)
		if err := g.Validate(); err == nil || !strings.HasPrefix(err.Error(), "graph: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want …%s…", err, c.want)
		}
	}
}

func TestBlockValidate(t *testing.T) {
	valid := func() *graph.Block {
		b := &graph.Block{
			Dst: 2, Src: 4, Ptr: []int64{0, 2, 3}, Col: []int32{1, 3, 2}, Weight: []float32{1, 1, 1},
			Vertex: []int64{5, 4, 3, 2},
		}
		b.Identify([]int64{7, 8, 9})
		return b
	}
	if err := valid().Validate(); err != nil {
		t.Fatalf("the valid block: %v", err)
	}
	for _, c := range []struct {
		want  string
		spoil func(b *graph.Block)
	}{
		{"5 destinations and 4 sources", func(b *graph.Block) { b.Dst = 5 }},
		{"3 row pointers, want 2", func(b *graph.Block) { b.Dst = 1 }},
		{"source 4 of arc 1 is out of range", func(b *graph.Block) { b.Col[1] = 4 }},
		{"2 weights for 3 arcs", func(b *graph.Block) { b.Weight = b.Weight[:2] }},
		{"2 edge identities, want 3", func(b *graph.Block) { b.Identify([]int64{7, 8}) }},
		{"2 vertex identities, want 4", func(b *graph.Block) { b.Vertex = b.Vertex[:2] }},
		{"graph offsets run from 0 to 4, want 0 to 2", func(b *graph.Block) { b.Graphs = []int64{0, 4} }},
	} {
		b := valid()
		c.spoil(b)
		if err := b.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want …%s…", err, c.want)
		}
	}
}
