package graph_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

func drawGraph(t *rapid.T) *graph.Graph {
	return build(t, graphcase.Random(12, 40).Draw(t, "graph"), rapid.SampledFrom(policies()).Draw(t, "policy"))
}

// TestIntoIsThatOfBlocks: what is counted of the arcs into vertices is what blocks
// say of them, the sums bit for bit.
func TestIntoIsThatOfBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		into := g.Into()
		norm, err := g.LoopBlock().SymNorm()
		for v := range g.N {
			if int(into.Arcs[v]) != g.Block().InDegree(v) {
				t.Fatalf("%d arcs into %d, want %d", into.Arcs[v], v, g.Block().InDegree(v))
			}
			if err == nil && norm[v] != float32(1/math.Sqrt(into.Norm[v])) {
				t.Fatalf("weights into %d sum to %v, want 1/√ of it to be %v", v, into.Norm[v], norm[v])
			}
		}
	})
}

// TestSizesAreThoseOfBlocks compares with what blocks count.
func TestSizesAreThoseOfBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		b, hat := g.Block(), g.LoopBlock()
		want := graph.Sizes{
			Vertices: int64(g.N), Arcs: g.Counts.Arcs, Loops: g.Counts.Loops, In: int64(b.MaxInDegree()), Out: int64(b.MaxOutDegree()),
			InHat: int64(hat.MaxInDegree()), OutHat: int64(hat.MaxOutDegree()),
		}
		if got := g.Sizes(); got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	})
}

// TestPartIsOfTheGraph: some rows of a graph, given as a part whose vertices are in
// any order, are those rows, with their identities, and coefficients are those of
// the graph; a relabelling keeps them.
func TestPartIsOfTheGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		b, into := g.Block(), g.Into()
		vertices := rapid.Permutation(ints(g.N)).Draw(t, "vertices")
		rows := rapid.IntRange(0, g.N).Draw(t, "rows")
		p := graph.Part{Vertex: vertices, Ptr: []int64{0}, N: int64(g.N), M: g.Counts.Arcs}
		place := make([]int32, g.N)
		for i, v := range vertices {
			place[v] = int32(i)
			p.Into.Arcs, p.Into.Norm = append(p.Into.Arcs, into.Arcs[v]), append(p.Into.Norm, into.Norm[v])
		}
		for _, v := range vertices[:rows] {
			for i := g.Ptr[v]; i < g.Ptr[v+1]; i++ {
				id := i
				if b.Identities() != nil {
					id = b.Identities()[i]
				}
				p.Col, p.Edge = append(p.Col, place[g.Src[i]]), append(p.Edge, id)
				if g.Weight != nil {
					p.Weight = append(p.Weight, g.Weight[i])
				}
			}
			p.Ptr = append(p.Ptr, int64(len(p.Col)))
		}
		h, at := p.Graph()
		if err := h.Validate(); err != nil {
			t.Fatal(err)
		}
		checkPart(t, g, h, at, p)
		order := rapid.Permutation(ints(g.N)).Draw(t, "order")
		q, err := h.Permute(order)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range order {
			if q.Block().Degree(i) != h.Block().Degree(int(v)) {
				t.Fatalf("vertex %d has %d arcs after a relabelling, want %d", v, q.Block().Degree(i), h.Block().Degree(int(v)))
			}
		}
	})
}

func ints(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// checkPart compares a part of all vertices and some rows with the graph.
func checkPart(t *rapid.T, g, h *graph.Graph, at []int32, p graph.Part) {
	norm, err := g.LoopBlock().SymNorm()
	got, gotErr := h.LoopBlock().SymNorm()
	if (err == nil) != (gotErr == nil) || !slices.Equal(got, norm) || !slices.Equal(h.Block().InvDegree(), g.Block().InvDegree()) {
		t.Fatalf("normalised by %v (%v), want %v (%v)", got, gotErr, norm, err)
	}
	for i, v := range p.Vertex {
		if at[i] != v || h.Origin.Vertex[v] != int64(v) || h.Block().Degree(int(v)) != g.Block().InDegree(int(v)) {
			t.Fatalf("vertex %d is %d", v, at[i])
		}
		if i >= len(p.Ptr)-1 {
			if h.Block().InDegree(int(v)) != 0 {
				t.Fatalf("the part has arcs into %d", v)
			}
			continue
		}
		lo, hi, from := h.Ptr[v], h.Ptr[v+1], g.Ptr[v]
		if !slices.Equal(h.Src[lo:hi], g.Src[from:g.Ptr[v+1]]) || !slices.Equal(h.Origin.Edge[lo:hi], p.Edge[p.Ptr[i]:p.Ptr[i+1]]) ||
			g.Weight != nil && !slices.Equal(h.Weight[lo:hi], g.Weight[from:g.Ptr[v+1]]) {
			t.Fatalf("arcs into %d come from %v, want %v", v, h.Src[lo:hi], g.Src[from:g.Ptr[v+1]])
		}
	}
}
