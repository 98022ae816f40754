package graph_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

// TestNamedIsTheDefinition: the vertices that a part names are those of a set of the
// ends of its edges, with more parts than fit a word too.
func TestNamedIsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(12, 40).Draw(t, "graph")
		g, err := graph.FromCOO(c.N, c.Src, c.Dst, nil, graph.Policy{Duplicates: graph.Keep})
		if err != nil {
			t.Fatal(err)
		}
		a := graph.Assignment{Parts: rapid.SampledFrom([]int{1, 3, 64, 65, 130}).Draw(t, "parts")}
		part := rapid.Int32Range(0, int32(a.Parts-1))
		a.Vertex = rapid.SliceOfN(part, g.N, g.N).Draw(t, "part of vertices")
		if rapid.Bool().Draw(t, "vertex-cut") {
			a.Arc = rapid.SliceOfN(part, len(g.Src), len(g.Src)).Draw(t, "part of arcs")
		}
		b := g.Block()
		if rapid.Bool().Draw(t, "piece") { // with fewer destinations than sources
			b = b.Cut(0, g.N/2)
		}
		want := make([]map[int32]graph.End, a.Parts)
		for p := range want {
			want[p] = map[int32]graph.End{}
		}
		for v := range int32(b.Dst) {
			for e := b.Ptr[v]; e < b.Ptr[v+1]; e++ {
				to := want[a.Part(e, b.Col[e], v)]
				to[b.Col[e]] |= graph.Source
				to[v] |= graph.Destination
			}
		}
		for p, got := range b.Named(a.Parts, a.Part) {
			if !slices.IsSorted(got.Vertex) || len(got.Vertex) != len(want[p]) || len(got.At) != len(got.Vertex) {
				t.Fatalf("part %d names %v, want %v", p, got, want[p])
			}
			for i, v := range got.Vertex {
				if got.At[i] != want[p][v] {
					t.Fatalf("part %d names %d at %b, want %b", p, v, got.At[i], want[p][v])
				}
			}
		}
	})
}
