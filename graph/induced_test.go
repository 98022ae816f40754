package graph_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

// edgesByID lists a block's edges by identity, ends by identity too: what must
// not change when vertices are renumbered.
func edgesByID(b *graph.Block) map[int64][3]float64 {
	out := map[int64][3]float64{}
	id := func(x []int64, i int64) int64 {
		if x == nil {
			return i
		}
		return x[i]
	}
	for v := range b.Dst {
		for i := b.Ptr[v]; i < b.Ptr[v+1]; i++ {
			w := 1.0
			if b.Weight != nil {
				w = float64(b.Weight[i])
			}
			out[id(b.Identities(), i)] = [3]float64{float64(id(b.Vertex, int64(v))), float64(id(b.Vertex, int64(b.Col[i]))), w}
		}
	}
	return out
}

func equalMaps(a, b map[int64][3]float64) bool {
	if len(a) != len(b) {
		return false
	}
	for k, x := range a {
		if y, ok := b[k]; !ok || x != y {
			return false
		}
	}
	return true
}

func order(n int) *rapid.Generator[[]int32] {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(i)
	}
	return rapid.Permutation(ids)
}

// Renumbering the vertices, once and again, changes no edge's identity, ends or
// weight, with loops or without.
func TestPermuteKeepsIdentities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(9, 40).Draw(t, "case")
		g := build(t, c, rapid.SampledFrom(policies()).Draw(t, "policy"))
		p := g
		for range 2 {
			var err error
			if p, err = p.Permute(order(c.N).Draw(t, "order")); err != nil {
				t.Fatal(err)
			}
			if err := p.Validate(); err != nil {
				t.Fatal(err)
			}
		}
		if p.Counts != g.Counts {
			t.Fatalf("counts %+v, want %+v", p.Counts, g.Counts)
		}
		if got, want := edgesByID(p.Block()), edgesByID(g.Block()); !equalMaps(got, want) {
			t.Fatalf("edges %v, want %v", got, want)
		}
		if got, want := edgesByID(p.LoopBlock()), edgesByID(g.LoopBlock()); !equalMaps(got, want) {
			t.Fatalf("edges with loops %v, want %v", got, want)
		}
	})
}

// The permuted graph is the graph of the permuted list.
func TestPermuteIsTheGraphOfThePermutedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(9, 40).Draw(t, "case")
		policy := rapid.SampledFrom(policies()).Draw(t, "policy")
		ord := order(c.N).Draw(t, "order")
		g, err := build(t, c, policy).Permute(ord)
		if err != nil {
			t.Fatal(err)
		}
		to := make([]int32, c.N)
		for i, v := range ord {
			to[v] = int32(i)
		}
		for i := range c.Src {
			c.Src[i], c.Dst[i] = to[c.Src[i]], to[c.Dst[i]]
		}
		if got, want := arcsOf(g), arcsOf(build(t, c, policy)); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestInduced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(9, 40).Draw(t, "case")
		g := build(t, c, rapid.SampledFrom(policies()).Draw(t, "policy"))
		vertices := order(c.N).Draw(t, "order")
		vertices = vertices[:rapid.IntRange(0, c.N).Draw(t, "how many")]
		p, err := g.Induced(vertices)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		want := edgesByID(g.Block())
		for id, e := range want {
			if !slices.Contains(vertices, int32(e[0])) || !slices.Contains(vertices, int32(e[1])) {
				delete(want, id)
			}
		}
		if got := edgesByID(p.Block()); !equalMaps(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		for i, v := range vertices {
			if p.Origin.Vertex[i] != int64(v) {
				t.Fatalf("vertex %d is %d of the whole, want %d", i, p.Origin.Vertex[i], v)
			}
		}
	})
}

func TestInducedErrors(t *testing.T) {
	g := build(t, graphcase.Case{N: 3, Src: []int32{0}, Dst: []int32{1}}, graph.Policy{})
	for _, c := range []struct {
		vertices []int32
		want     string
	}{
		{[]int32{0, 3}, "vertex 3 at position 1 is out of range"},
		{[]int32{-1}, "vertex -1 at position 0 is out of range"},
		{[]int32{2, 0, 2}, "vertex 2 is named twice, at positions 0 and 2"},
	} {
		if _, err := g.Induced(c.vertices); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want …%s…", c.vertices, err, c.want)
		}
	}
	if _, err := g.Permute([]int32{0, 1}); err == nil || !strings.Contains(err.Error(), "order of 2 vertices for a graph of 3") {
		t.Errorf("short order: got %v", err)
	}
}

// A union stays a union when its vertices are cut or reordered within graphs.
func TestInducedOfUnion(t *testing.T) {
	pair := build(t, graphcase.Case{N: 2, Src: []int32{0}, Dst: []int32{1}}, graph.Policy{})
	empty := build(t, graphcase.Case{}, graph.Policy{})
	u, err := graph.Union(empty, pair, empty, pair, pair, empty)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		vertices []int32
		want     []int64
	}{
		{[]int32{1, 0, 3, 2, 5, 4}, []int64{0, 0, 2, 2, 4, 6, 6}},
		{[]int32{1, 4}, []int64{0, 0, 1, 1, 1, 2, 2}},
		{nil, []int64{0, 0, 0, 0, 0, 0, 0}},
	} {
		p, err := u.Induced(c.vertices)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(p.Graphs, c.want) {
			t.Errorf("%v: offsets %v, want %v", c.vertices, p.Graphs, c.want)
		}
	}
	if _, err := u.Induced([]int32{2, 0}); err == nil || !strings.Contains(err.Error(), "want the union's graphs in order") {
		t.Errorf("mixed graphs: got %v", err)
	}
}
