package graph_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

// permute applies an order that must be one.
func permute(t failer, g *graph.Graph, order []int32) *graph.Graph {
	t.Helper()
	p, err := g.Permute(order)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if err := p.Validate(); err != nil {
		t.Fatalf("%v", err)
	}
	return p
}

// sameGraph compares everything that a graph states.
func sameGraph(t failer, got, want *graph.Graph) {
	t.Helper()
	if !slices.Equal(got.Ptr, want.Ptr) || !slices.Equal(arcsOf(got), arcsOf(want)) || got.Counts != want.Counts ||
		(got.Origin == nil) != (want.Origin == nil) || (got.Weight == nil) != (want.Weight == nil) || !slices.Equal(got.Graphs, want.Graphs) {
		t.Fatalf("got %+v\nwant %+v", got, want)
	}
}

// Every ordering of every graph is a permutation, the same each time; whatever
// came before, the original order gives back the graph.
func TestOrdersArePermutations(t *testing.T) {
	check := func(t failer, g *graph.Graph, by, then graph.Ordering, seed uint64) {
		order := g.Order(by, seed)
		if again := g.Order(by, seed); !slices.Equal(order, again) {
			t.Fatalf("%v gave %v, then %v", by, order, again)
		}
		p := permute(t, g, order)
		p = permute(t, p, p.Order(then, seed))
		sameGraph(t, permute(t, p, p.Order(graph.Original, seed)), g)
	}
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(12, 40).Draw(t, "case")
		g := build(t, c, rapid.SampledFrom(policies()).Draw(t, "policy"))
		all := rapid.SampledFrom(graph.Orderings())
		check(t, g, all.Draw(t, "by"), all.Draw(t, "then"), rapid.Uint64().Draw(t, "seed"))
	})
	eachCase(t, func(t *testing.T, c graphcase.Case, p graph.Policy) {
		for _, by := range graph.Orderings() {
			check(t, build(t, c, p), by, graph.RCM, 1)
		}
	})
}

// An order keeps the graphs of a union apart.
func TestOrdersOfUnions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var parts []*graph.Graph
		for range rapid.IntRange(0, 4).Draw(t, "graphs") {
			parts = append(parts, build(t, graphcase.Random(6, 12).Draw(t, "case"), graph.Policy{}))
		}
		u, err := graph.Union(parts...)
		if err != nil {
			t.Fatal(err)
		}
		by := rapid.SampledFrom(graph.Orderings()).Draw(t, "by")
		if p := permute(t, u, u.Order(by, 3)); !slices.Equal(p.Graphs, u.Graphs) {
			t.Fatalf("%v: offsets %v, want %v", by, p.Graphs, u.Graphs)
		}
	})
}

// grid joins each of w × h vertices to those beside it.
func grid(w, h int32) graphcase.Case {
	c := graphcase.Case{Name: fmt.Sprintf("grid %d×%d", w, h), N: int(w * h)}
	for v := range w * h {
		if v%w+1 < w {
			c.Src, c.Dst = append(c.Src, v), append(c.Dst, v+1)
		}
		if v/w+1 < h {
			c.Src, c.Dst = append(c.Src, v), append(c.Dst, v+w)
		}
	}
	return c
}

func pathOf(n int32) graphcase.Case {
	c := grid(n, 1)
	c.Name = "path"
	return c
}

func starOf(leaves int32) graphcase.Case {
	c := graphcase.Case{Name: "star", N: int(leaves) + 1}
	for v := range leaves {
		c.Src, c.Dst = append(c.Src, 0), append(c.Dst, v+1)
	}
	return c
}

// shuffled renames a graph's vertices at random, symmetrised or not.
func shuffled(t failer, c graphcase.Case, both bool, seed uint64) *graph.Graph {
	t.Helper()
	g := build(t, c, graph.Policy{Symmetrise: both})
	return permute(t, g, g.Order(graph.Random, seed))
}

// What is known of bandwidths: a path has 1; a star of n leaves n/2 at least, and
// n − 1 where a leaf is first; breadth first search from the corner of a grid of
// s rows has levels of s vertices at most, whose neighbours are in the next one.
func TestBandwidths(t *testing.T) {
	for _, c := range []struct {
		of    graphcase.Case
		least int
		most  int
	}{
		{pathOf(100), 1, 1},
		{starOf(50), 49, 49},
		{grid(20, 20), 20, 21},
		{grid(5, 60), 5, 6},
		{grid(2, 2), 2, 2},
	} {
		for _, both := range []bool{true, false} {
			for seed := range uint64(10) {
				g := shuffled(t, c.of, both, seed)
				for _, by := range []graph.Ordering{graph.RCM, graph.BFS} {
					most := c.most
					if by == graph.BFS && c.of.N > 4 && c.most > 1 && c.of.Name != "star" {
						most = 2*c.least - 1 // two levels that follow each other
					}
					got := permute(t, g, g.Order(by, 0)).Gaps().Bandwidth
					if got < c.least || got > most {
						t.Errorf("%s, both ways %v, seed %d, %v: bandwidth %d, want %d to %d", c.of.Name, both, seed, by, got, c.least, most)
					}
				}
			}
		}
	}
}

// undirectedDistances are those from root whichever way arcs go, −1 where there is no path:
// relaxed along every arc until nothing changes.
func undirectedDistances(g *graph.Graph, root int) []int {
	d := slices.Repeat([]int{-1}, g.N)
	d[root] = 0
	for changed := true; changed; {
		changed = false
		for v := range g.N {
			for _, u := range g.Src[g.Ptr[v]:g.Ptr[v+1]] {
				for _, e := range [][2]int{{v, int(u)}, {int(u), v}} {
					if from := d[e[0]]; from >= 0 && (d[e[1]] < 0 || d[e[1]] > from+1) {
						d[e[1]], changed = from+1, true
					}
				}
			}
		}
	}
	return d
}

// Searches list a component's vertices by their distance from the first one, all
// of it, the lone vertices last.
func TestSearchesFollowDistances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := build(t, graphcase.Random(14, 20).Draw(t, "case"), rapid.SampledFrom(policies()).Draw(t, "policy"))
		byNumber := g.Order(graph.BFS, 0)
		byDegree := g.Order(graph.RCM, 0)
		lone := false
		for rest := byNumber; len(rest) > 0; {
			d := undirectedDistances(g, int(rest[0]))
			size := g.N
			for _, x := range d {
				if x < 0 {
					size--
				}
			}
			if lone && size > 1 {
				t.Fatalf("%v: a component follows lone vertices", byNumber)
			}
			lone = size == 1
			steps := make([]int, size)
			for i, v := range rest[:size] {
				steps[i] = d[v]
			}
			if !slices.IsSorted(steps) || steps[0] < 0 {
				t.Fatalf("bfs %v: distances %v from %d", byNumber, steps, rest[0])
			}
			rest = rest[size:]
		}
		for rest := byDegree; len(rest) > 0; {
			size := 0
			for _, x := range undirectedDistances(g, int(rest[0])) {
				if x >= 0 {
					size++
				}
			}
			d := undirectedDistances(g, int(rest[size-1])) // where the search began
			for i := range size - 1 {
				if d[rest[i]] < d[rest[i+1]] {
					t.Fatalf("rcm %v: distances of %d and %d rise", byDegree, rest[i], rest[i+1])
				}
			}
			rest = rest[size:]
		}
	})
}

func TestDegreesFall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := build(t, graphcase.Random(12, 40).Draw(t, "case"), graph.Policy{Duplicates: graph.Keep})
		degree := make([]int, g.N)
		for v := range g.N {
			for _, u := range g.Src[g.Ptr[v]:g.Ptr[v+1]] {
				degree[v]++
				degree[u]++
			}
		}
		order := g.Order(graph.ByDegree, 0)
		for i := range g.N - 1 {
			u, v := order[i], order[i+1]
			if degree[u] < degree[v] || degree[u] == degree[v] && u > v {
				t.Fatalf("order %v of degrees %v", order, degree)
			}
		}
	})
}

// Cliques joined to a ring, each by one edge to the next, are communities.
func TestCommunitiesAreContiguous(t *testing.T) {
	const cliques, size = 12, 8
	c := graphcase.Case{Name: "ring of cliques", N: cliques * size}
	for v := range int32(c.N) {
		for u := v - v%size; u < v; u++ {
			c.Src, c.Dst = append(c.Src, u), append(c.Dst, v)
		}
		if v%size == 0 {
			c.Src, c.Dst = append(c.Src, v), append(c.Dst, (v+size+1)%int32(c.N))
		}
	}
	for _, both := range []bool{true, false} {
		for seed := range uint64(5) {
			g := shuffled(t, c, both, seed)
			p := permute(t, g, g.Order(graph.Communities, seed))
			for v := range p.N - 1 {
				if inside := (v+1)%size != 0; (p.Origin.Vertex[v]/size == p.Origin.Vertex[v+1]/size) != inside {
					t.Fatalf("both ways %v, seed %d: vertices %d and %d are %d and %d of the ring", both, seed, v, v+1, p.Origin.Vertex[v], p.Origin.Vertex[v+1])
				}
			}
		}
	}
}

// A random order has the mean gap of two random numbers, a third of n, whatever
// order the graph was in; another seed is another order.
func TestRandomOrder(t *testing.T) {
	g := build(t, pathOf(10_000), graph.Policy{})
	p := permute(t, g, g.Order(graph.Random, 5))
	// The mean of n gaps of standard deviation n/√18 has that of n/√(18n).
	if mean, third := p.Gaps().Mean, float64(g.N)/3; math.Abs(mean-third) > 5*float64(g.N)/math.Sqrt(18*float64(g.N)) {
		t.Errorf("mean gap %v, want about %v", mean, third)
	}
	back := permute(t, g, g.Order(graph.ByDegree, 0))
	back = permute(t, back, back.Order(graph.Random, 5))
	if !slices.Equal(back.Origin.Vertex, p.Origin.Vertex) {
		t.Error("the order depends on the one before")
	}
	if slices.Equal(g.Order(graph.Random, 6), g.Order(graph.Random, 5)) {
		t.Error("two seeds gave one order")
	}
}

// A vertex that all others have an arc to takes no more than they do.
func TestOrdersOfAHub(t *testing.T) {
	g := shuffled(t, starOf(100_000), true, 1)
	for _, by := range graph.Orderings() {
		permute(t, g, g.Order(by, 1))
	}
}

func TestGaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := build(t, graphcase.Random(9, 40).Draw(t, "case"), rapid.SampledFrom(policies()).Draw(t, "policy"))
		var all []int
		sum := 0
		for v := range g.N {
			for _, u := range g.Src[g.Ptr[v]:g.Ptr[v+1]] {
				if gap := int(math.Abs(float64(int(u) - v))); gap > 0 {
					all = append(all, gap)
					sum += gap
				}
			}
		}
		var want graph.Gaps
		if len(all) > 0 {
			slices.Sort(all)
			want = graph.Gaps{Mean: float64(sum) / float64(len(all)), Median: all[(len(all)-1)/2], Bandwidth: all[len(all)-1]}
		}
		if got := g.Gaps(); got != want {
			t.Fatalf("got %+v, want %+v of gaps %v", got, want, all)
		}
	})
}

func TestOrderingTexts(t *testing.T) {
	for _, o := range graph.Orderings() {
		text, err := o.MarshalText()
		var back graph.Ordering
		if err != nil || back.UnmarshalText(text) != nil || back != o || o.String() != string(text) {
			t.Errorf("%d is written %q (%v) and read as %d", int(o), text, err, int(back))
		}
	}
	var o graph.Ordering
	if err := o.UnmarshalText([]byte("RCM")); err == nil || !strings.Contains(err.Error(), `"RCM" is not one of original, random, degree`) {
		t.Errorf("got %v", err)
	}
	if _, err := graph.Ordering(99).MarshalText(); err == nil || graph.Ordering(99).String() != "Ordering(99)" {
		t.Errorf("got %v", err)
	}
}

// A path whose vertices are numbered at random becomes one whose neighbours are
// numbered side by side.
func ExampleGraph_Order() {
	g, err := graph.FromCOO(6, []int32{3, 0, 5, 1, 4}, []int32{0, 5, 1, 4, 2}, nil, graph.Policy{Symmetrise: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	order := g.Order(graph.RCM, 0)
	p, err := g.Permute(order)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("order:", order)
	fmt.Println("bandwidth:", g.Gaps().Bandwidth, "then", p.Gaps().Bandwidth)
	// Output:
	// order: [2 4 1 5 0 3]
	// bandwidth: 5 then 1
}
