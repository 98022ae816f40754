package graph_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

// What Permute makes is a permutation; the piece of a graph is none, unless it
// is all of it.
func TestPermutedIdentities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := build(t, graphcase.Random(9, 40).Draw(t, "case"), rapid.SampledFrom(policies()).Draw(t, "policy"))
		p := permute(t, g, order(g.N).Draw(t, "order"))
		if err := p.ValidateOrigin(true); err != nil {
			t.Fatal(err)
		}
		some := order(g.N).Draw(t, "some")
		some = some[:rapid.IntRange(0, g.N).Draw(t, "how many")]
		piece, err := p.Induced(some)
		if err != nil {
			t.Fatal(err)
		}
		if err := piece.ValidateOrigin(true); (err == nil) != (len(some) == g.N) {
			t.Fatalf("%d of %d vertices: %v", len(some), g.N, err)
		}
	})
}

// Every way in which identities can fail to be a permutation, and where.
func TestIdentityErrors(t *testing.T) {
	// Two arcs into vertex 1 and three loops at vertex 0, which become vertices 2 and 1.
	c := graphcase.Case{N: 3, Src: []int32{0, 2, 0, 0, 0}, Dst: []int32{1, 1, 0, 0, 0}}
	for name, x := range map[string]struct {
		edit func(o *graph.Origin)
		arc  bool
		at   int
		want string
	}{
		"vertex twice":      {func(o *graph.Origin) { o.Vertex[2] = 0 }, false, 2, "graph: vertex 2: identity 0 is that of a vertex before it too, want a permutation"},
		"arc twice":         {func(o *graph.Origin) { o.Edge[4] = 1 }, true, 4, "graph: arc 4: identity 1 is that of an arc before it too, want a permutation"},
		"arc beyond m":      {func(o *graph.Origin) { o.Edge[3] = 2 }, true, 3, "graph: arc 3: identity 2 is out of range, want 0 ≤ id < 2"},
		"loop of another":   {func(o *graph.Origin) { o.Edge[0] = 3 }, true, 0, "graph: arc 0: identity 3 of the loop at identity 0, want 2"},
		"further loop low":  {func(o *graph.Origin) { o.Edge[1] = 4 }, true, 1, "graph: arc 1: identity 4 of a further loop, want 5 or more"},
		"further loop same": {func(o *graph.Origin) { o.Edge[2] = 5 }, true, 2, "graph: arc 2: identity 5 of a further loop, want 6 or more"},
		"negative vertex":   {func(o *graph.Origin) { o.Vertex[0] = -1 }, false, 0, "graph: vertex 0: identity -1 is out of range, want 0 ≤ id < 3"},
	} {
		t.Run(name, func(t *testing.T) {
			g := permute(t, build(t, c, graph.Policy{Duplicates: graph.Keep}), []int32{2, 0, 1})
			x.edit(g.Origin)
			var bad *graph.IdentityError
			if err := g.ValidateOrigin(true); !errors.As(err, &bad) || err.Error() != x.want || bad.Arc != x.arc || bad.At != x.at {
				t.Errorf("got %v, want %s", err, x.want)
			}
		})
	}
	g := permute(t, build(t, c, graph.Policy{Duplicates: graph.Keep}), []int32{2, 0, 1})
	g.Origin.M = 3
	if err := g.ValidateOrigin(true); err == nil || err.Error() != "graph: 3 vertices and 2 arcs of a whole of 3 and 3, want all of them" {
		t.Errorf("got %v", err)
	}
}
