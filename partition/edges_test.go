package partition

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

// vertexCuts are the methods that assign arcs.
func vertexCuts() []Method {
	return slices.DeleteFunc(Methods(), func(m Method) bool { return !m.VertexCut() })
}

// presence returns the parts that have arcs of each vertex, loops left out.
func presence(b *graph.Block, arc []int32) []map[int32]bool {
	in := make([]map[int32]bool, b.Dst)
	for v := range in {
		in[v] = map[int32]bool{}
	}
	for v := range int32(b.Dst) {
		for i := b.Ptr[v]; i < b.Ptr[v+1]; i++ {
			if u := b.Col[i]; u != v {
				in[u][arc[i]], in[v][arc[i]] = true, true
			}
		}
	}
	return in
}

// checkEdges fails where an assignment of arcs is not what Edges promises.
func checkEdges(t interface {
	Helper()
	Fatalf(string, ...any)
}, b *graph.Block, o Options, arc, master []int32) {
	t.Helper()
	if _, err := Measure(b, graph.Assignment{Parts: o.Parts, Vertex: master, Arc: arc}); err != nil {
		t.Fatalf("%v: %v", o.Method, err)
	}
	in := presence(b, arc)
	between := map[[2]int32]int32{}
	for v := range int32(b.Dst) {
		if len(in[v]) > 0 && !in[v][master[v]] {
			t.Fatalf("%v: vertex %d has its master in part %d, and arcs in %v", o.Method, v, master[v], in[v])
		}
		for i := b.Ptr[v]; i < b.Ptr[v+1]; i++ {
			u := b.Col[i]
			if u == v && arc[i] != master[v] {
				t.Fatalf("%v: the loop at %d is in part %d, its master in %d", o.Method, v, arc[i], master[v])
			}
			ends := [2]int32{min(u, v), max(u, v)}
			if p, ok := between[ends]; u != v && ok && p != arc[i] {
				t.Fatalf("%v: arcs between %d and %d are in parts %d and %d", o.Method, u, v, p, arc[i])
			}
			between[ends] = arc[i]
		}
	}
}

// TestEveryCaseByEdges: on every case and in any number of parts arcs of a pair
// are together, masters are where arcs are, one part has all, and a seed gives the
// same parts again.
func TestEveryCaseByEdges(t *testing.T) {
	for _, c := range graphcase.All() {
		b := build(t, c, graph.Policy{Duplicates: graph.Keep}).Block()
		for _, m := range vertexCuts() {
			for _, parts := range []int{1, 2, 3, 6, 10, 100} {
				o := Options{Parts: parts, Method: m, Seed: 3}
				arc, master, err := Edges(t.Context(), b, o)
				if err != nil {
					t.Fatalf("%s, %v, %d parts: %v", c.Name, m, parts, err)
				}
				checkEdges(t, b, o, arc, master)
				again, masterAgain, err := Edges(t.Context(), b, o)
				if err != nil || !slices.Equal(arc, again) || !slices.Equal(master, masterAgain) {
					t.Errorf("%s, %v, %d parts: the same seed gave other parts (%v)", c.Name, m, parts, err)
				}
				if parts == 1 && (len(arc) > 0 && slices.Max(arc) > 0 || len(master) > 0 && slices.Max(master) > 0) {
					t.Errorf("%s, %v: one part has not all", c.Name, m)
				}
			}
		}
	}
}

// TestEdgesOfAnyGraph: as above; the block with a loop at every vertex is divided
// as the one without; HDRF keeps to the limit; and no method leaves a part without
// masters where there are vertices for all and the method allows it.
func TestEdgesOfAnyGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(30, 120).Draw(t, "case")
		g := build(t, c, graph.Policy{Duplicates: graph.Keep})
		o := Options{
			Parts: rapid.IntRange(1, 20).Draw(t, "parts"), Seed: rapid.Uint64().Draw(t, "seed"),
			Method: rapid.SampledFrom(vertexCuts()).Draw(t, "method"), Slack: rapid.SampledFrom([]float64{0, 0.01, 0.5}).Draw(t, "slack"),
		}
		b := g.Block()
		arc, master, err := Edges(context.Background(), b, o)
		if err != nil {
			t.Fatal(err)
		}
		checkEdges(t, b, o, arc, master)
		looped := g.LoopBlock()
		withLoops, same, err := Edges(context.Background(), looped, o)
		if err != nil {
			t.Fatal(err)
		}
		checkEdges(t, looped, o, withLoops, same)
		if !slices.Equal(master, same) {
			t.Fatalf("%v: masters %v, with loops %v", o.Method, master, same)
		}
		for i, at := range looped.Arcs() {
			if at >= 0 && withLoops[i] != arc[at] {
				t.Fatalf("%v: arc %d is in part %d, with loops in %d", o.Method, at, arc[at], withLoops[i])
			}
		}
		if o.Method == HDRF {
			checkLimit(t, b, o, arc)
		}
	})
}

// checkLimit fails where a part has more arcs that are no loops than its limit.
func checkLimit(t *rapid.T, b *graph.Block, o Options, arc []int32) {
	pairs := map[[2]int32]int64{}
	load := make([]int64, o.Parts)
	for v := range int32(b.Dst) {
		for i := b.Ptr[v]; i < b.Ptr[v+1]; i++ {
			if u := b.Col[i]; u != v {
				pairs[[2]int32{min(u, v), max(u, v)}]++
				load[arc[i]]++
			}
		}
	}
	var weights []int64
	for _, w := range pairs {
		weights = append(weights, w)
	}
	slack := o.Slack
	if slack == 0 {
		slack = DefaultSlack
	}
	if limit := limits(weights, o.Parts, slack); slices.Max(load) > limit {
		t.Fatalf("%+v: arcs %d, want at most %d", o, load, limit)
	}
}

// TestGridBounds: with the parts in r rows and c columns, a vertex's arcs are in
// the parts of one row and one column: in r + c − 1 at most, 2√P − 1 of a square.
func TestGridBounds(t *testing.T) {
	shapes := map[int][2]int{4: {2, 2}, 6: {2, 3}, 7: {1, 7}, 9: {3, 3}, 12: {3, 4}, 16: {4, 4}, 18: {3, 6}}
	g := build(t, complete(60), graph.Policy{})
	for parts, shape := range shapes {
		r, c := shape[0], shape[1]
		arc, _, err := Edges(t.Context(), g.Block(), Options{Parts: parts, Method: Grid})
		if err != nil {
			t.Fatal(err)
		}
		most := 0
		for v, in := range presence(g.Block(), arc) {
			crossed := func(p int32) bool {
				for q := range in {
					if int(q)/c != int(p)/c && int(q)%c != int(p)%c {
						return false
					}
				}
				return true
			}
			some := false
			for p := range int32(parts) {
				some = some || crossed(p)
			}
			if !some {
				t.Errorf("%d parts: vertex %d is in %v, which no row and column hold", parts, v, in)
			}
			most = max(most, len(in))
		}
		if most > r+c-1 {
			t.Errorf("%d parts: a vertex is in %d, want at most %d + %d − 1", parts, most, r, c)
		}
		if r > 1 && most < r+c-1 { // 59 neighbours meet all of a row and a column
			t.Errorf("%d parts: vertices are in %d parts at most, want some in %d", parts, most, r+c-1)
		}
	}
}

func complete(n int32) graphcase.Case {
	c := graphcase.Case{N: int(n)}
	for u := range n {
		for v := range n {
			if u != v {
				c.Src, c.Dst = append(c.Src, u), append(c.Dst, v)
			}
		}
	}
	return c
}

// TestGridBalances: of the parts that both ends may be in, the emptiest is taken;
// on a complete graph of 60 vertices no part is far from the mean of 3540/16.
func TestGridBalances(t *testing.T) {
	g := build(t, complete(60), graph.Policy{})
	arc, master, err := Edges(t.Context(), g.Block(), Options{Parts: 16, Method: Grid})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Measure(g.Block(), graph.Assignment{Parts: 16, Vertex: master, Arc: arc})
	if err != nil || s.ArcBalance() > 1.25 {
		t.Errorf("arcs %v, %v of the mean (%v)", s.Arcs, s.ArcBalance(), err)
	}
}

// TestLesserDegreeDecides: of a vertex, all pairs in which the other end has more
// neighbours are in one part: leaves are not cut, hubs are.
func TestLesserDegreeDecides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(30, 120).Draw(t, "case")
		b := build(t, c, graph.Policy{}).Block()
		arc, _, err := Edges(context.Background(), b, Options{Parts: 8, Method: DBH, Seed: rapid.Uint64().Draw(t, "seed")})
		if err != nil {
			t.Fatal(err)
		}
		neighbours := make([]map[int32]bool, b.Dst)
		for v := range neighbours {
			neighbours[v] = map[int32]bool{}
		}
		each := func(f func(u, v int32, i int64)) {
			for v := range int32(b.Dst) {
				for i := b.Ptr[v]; i < b.Ptr[v+1]; i++ {
					if b.Col[i] != v {
						f(b.Col[i], v, i)
					}
				}
			}
		}
		each(func(u, v int32, _ int64) { neighbours[u][v], neighbours[v][u] = true, true })
		home := map[int32]int32{}
		each(func(u, v int32, i int64) {
			lesser := u
			if d, f := len(neighbours[u]), len(neighbours[v]); d > f || d == f && u > v {
				lesser = v
			}
			if p, ok := home[lesser]; ok && p != arc[i] {
				t.Fatalf("pairs of %d, of the fewest neighbours, are in parts %d and %d", lesser, p, arc[i])
			}
			home[lesser] = arc[i]
		})
	})
}

// TestIdentitiesDecideOfEdges: random and dbh put the arcs of a pair into the same
// part in any order of vertices.
func TestIdentitiesDecideOfEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(20, 80).Draw(t, "case")
		g := build(t, c, graph.Policy{})
		p, err := g.Permute(rapid.Permutation(sequence(g.N)).Draw(t, "order"))
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Parts: 5, Seed: rapid.Uint64().Draw(t, "seed"), Method: rapid.SampledFrom([]Method{VertexCutRandom, DBH}).Draw(t, "method")}
		parts := func(b *graph.Block) map[[2]int64]int32 {
			arc, _, err := Edges(context.Background(), b, o)
			if err != nil {
				t.Fatal(err)
			}
			of := map[[2]int64]int32{}
			for v := range int32(b.Dst) {
				for i := b.Ptr[v]; i < b.Ptr[v+1]; i++ {
					if u := b.Col[i]; u != v {
						of[[2]int64{identity(b, u), identity(b, v)}] = arc[i]
					}
				}
			}
			return of
		}
		before, after := parts(g.Block()), parts(p.Block())
		for ends, part := range before {
			if after[ends] != part {
				t.Fatalf("%v: the arc %v was in part %d, and is in part %d in another order", o.Method, ends, part, after[ends])
			}
		}
	})
}

// TestReplication: where degrees are skewed, random copies vertices more than dbh,
// dbh more than hdrf; and the grid less than random.
func TestReplication(t *testing.T) {
	var c graphcase.Case
	for _, x := range graphcase.All() {
		if strings.HasPrefix(x.Name, "skewed n=200") {
			c = x
		}
	}
	b := build(t, c, graph.Policy{Symmetrise: true}).Block()
	copies := map[Method]float64{}
	for _, m := range vertexCuts() {
		arc, master, err := Edges(t.Context(), b, Options{Parts: 16, Method: m})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Measure(b, graph.Assignment{Parts: 16, Vertex: master, Arc: arc})
		if err != nil {
			t.Fatal(err)
		}
		copies[m] = s.Replication
	}
	if copies[VertexCutRandom] <= copies[DBH] || copies[DBH] <= copies[HDRF] || copies[VertexCutRandom] <= copies[Grid] {
		t.Errorf("copies: %v", copies)
	}
}

// TestEdgesRefuses: what is wrong is said, and a context that has ended ends it.
func TestEdgesRefuses(t *testing.T) {
	b := build(t, graphcase.Case{N: 3, Src: []int32{0}, Dst: []int32{1}}, graph.Policy{}).Block()
	for want, o := range map[string]Options{
		"0 parts":                              {Method: DBH},
		"ldg assigns vertices, not arcs":       {Parts: 2, Method: LDG},
		"hdrf cannot balance sets of vertices": {Parts: 2, Method: HDRF, Masks: [][]bool{make([]bool, 3)}},
	} {
		if _, _, err := Edges(t.Context(), b, o); err == nil || !strings.HasPrefix(err.Error(), "partition: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error that says %q", err, want)
		}
	}
	if _, _, err := Edges(t.Context(), b.Cut(0, 2), Options{Parts: 2, Method: DBH}); err == nil {
		t.Error("a block of fewer destinations than sources was divided")
	}
	why := errors.New("told to")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(why)
	for _, m := range vertexCuts() {
		if _, _, err := Edges(ctx, b, Options{Parts: 2, Method: m}); !errors.Is(err, why) {
			t.Errorf("%v: got %v, want %v", m, err, why)
		}
	}
}
