package partition

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
	"github.com/weft-gnn/weft/internal/rng"
)

// TestStructure: neighbours are those of the arcs either way, ascending and once
// each, with the number of arcs between.
func TestStructure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(12, 60).Draw(t, "case")
		p := graph.Policy{Duplicates: graph.Keep, Symmetrise: rapid.Bool().Draw(t, "symmetrise")}
		if rapid.Bool().Draw(t, "simple") {
			p = graph.Policy{Loops: graph.DropLoops, Symmetrise: true}
		}
		b := build(t, c, p).Block()
		s := newStructure(b)
		arcs := map[[2]int32]int64{}
		for v := range int32(b.Dst) {
			for _, u := range b.Col[b.Ptr[v]:b.Ptr[v+1]] {
				if u != v {
					arcs[[2]int32{u, v}]++
					arcs[[2]int32{v, u}]++
				}
			}
		}
		each := int64(1) // what an entry of weight 1 stands for
		if s.weight == nil {
			each = 2
		}
		entries := 0
		for v := range int32(s.vertices()) {
			row := s.neighbours(v)
			if !slices.IsSorted(row) || len(slices.Compact(slices.Clone(row))) != len(row) {
				t.Fatalf("the neighbours of %d are %v", v, row)
			}
			for i := s.ptr[v]; i < s.ptr[v+1]; i++ {
				if got, want := each*s.weightOf(i), arcs[[2]int32{s.col[i], v}]; got != want {
					t.Fatalf("%d arcs between %d and %d, want %d", got, s.col[i], v, want)
				}
				entries++
			}
		}
		if entries != len(arcs) || s.vertices() != b.Dst {
			t.Fatalf("%d entries, %d vertices; want %d, %d", entries, s.vertices(), len(arcs), b.Dst)
		}
	})
}

// drawLevel draws a graph with demands of two numbers.
func drawLevel(t *rapid.T, n, rows int) *level {
	c := graphcase.Random(n, rows).Draw(t, "case")
	b := build(t, c, graph.Policy{Duplicates: graph.Keep}).Block()
	mask := rapid.SliceOfN(rapid.Bool(), b.Dst, b.Dst).Draw(t, "mask")
	o := Options{Balance: rapid.SampledFrom(Balances()).Draw(t, "balance"), Masks: [][]bool{mask}}
	return &level{s: newStructure(b), d: newDemand(b, o)}
}

func lots(t *rapid.T) *rng.Stream {
	return rng.Key{Seed: rapid.Uint64().Draw(t, "seed"), Purpose: rng.Test}.Stream(0)
}

// TestContract: mates are each other's and keep to the limit, what a division of
// the contracted graph cuts is what it cuts of the graph, and demands add up.
func TestContract(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLevel(t, 40, 160)
		total, _ := l.d.totals()
		limit := []int64{max(1, total[0]/4), max(1, total[1]/4)}
		m := l.match(limit, lots(t))
		pairs := 0
		for v, u := range m.mate {
			if u < 0 {
				continue
			}
			pairs++
			if int(m.mate[u]) != v || int(u) == v {
				t.Fatalf("the mate of %d is %d, whose is %d", v, u, m.mate[u])
			}
			for i, x := range l.d.at(u) {
				if x+l.d.at(int32(v))[i] > limit[i] {
					t.Fatalf("%d and %d demand more than %d", u, v, limit)
				}
			}
		}
		if len(m.mate)-pairs != m.left {
			t.Fatalf("%d of %d have mates, %d are left", pairs, len(m.mate), m.left)
		}
		c := m.contract(&room{})
		part := rapid.SliceOfN(rapid.Int32Range(0, 3), c.s.vertices(), c.s.vertices()).Draw(t, "part")
		fine := make([]int32, len(m.mate))
		for v, to := range l.coarse {
			fine[v] = part[to]
		}
		led, coarseLed := emptyLedger(4, 2), emptyLedger(4, 2)
		cut, coarseCut := newRefinement(l, fine, led).cut(), newRefinement(c, part, coarseLed).cut()
		if cut != coarseCut || !slices.Equal(led.load, coarseLed.load) {
			t.Fatalf("cut %d with loads %d, contracted %d with %d", cut, led.load, coarseCut, coarseLed.load)
		}
	})
}

// TestRefinement: whatever a division was, the cut and the connections that are
// kept are those of the definition after it was improved and brought into
// balance; a pass lessens the cut by what it says; and parts within their limits
// stay there.
func TestRefinement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLevel(t, 40, 200)
		parts := rapid.IntRange(1, 6).Draw(t, "parts")
		part := rapid.SliceOfN(rapid.Int32Range(0, int32(parts-1)), l.s.vertices(), l.s.vertices()).Draw(t, "part")
		led := newLedger(l.d, parts, 0.1)
		r := newRefinement(l, part, led)
		stream := lots(t)
		if rapid.Bool().Draw(t, "rebalance") {
			if err := r.rebalance(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		within := make([]bool, parts)
		for p := range within {
			load, limit := led.of(int32(p))
			within[p] = load[0] <= limit[0] && load[1] <= limit[1]
		}
		before := r.cut()
		gain, err := r.pass(context.Background(), stream)
		if err != nil {
			t.Fatal(err)
		}
		if after := r.cut(); gain < 0 || before-after != gain {
			t.Fatalf("cut %d before, %d after a pass that gained %d", before, after, gain)
		}
		fresh := newRefinement(l, slices.Clone(part), newLedger(l.d, parts, 0.1))
		if !slices.Equal(fresh.ledger.load, led.load) || fresh.cut() != r.cut() {
			t.Fatalf("loads %d and cut %d, want %d and %d", led.load, r.cut(), fresh.ledger.load, fresh.cut())
		}
		for v := range int32(len(part)) {
			for p := range int32(parts) {
				if got, want := r.near.to(v, p), fresh.near.to(v, p); got != want {
					t.Fatalf("%d has edges of weight %d to part %d, want %d", v, got, p, want)
				}
			}
		}
		for p := range within {
			load, limit := led.of(int32(p))
			if within[p] && (load[0] > limit[0] || load[1] > limit[1]) {
				t.Fatalf("part %d had no more than it may, and now %d of %d", p, load, limit)
			}
		}
	})
}

// TestRebalance: with one limit, every division is brought to less than one vertex
// above the mean.
func TestRebalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(40, 200).Draw(t, "case")
		b := build(t, c, graph.Policy{}).Block()
		l := &level{s: newStructure(b), d: newDemand(b, Options{Balance: rapid.SampledFrom(Balances()).Draw(t, "balance")})}
		parts := rapid.IntRange(1, 9).Draw(t, "parts")
		led := newLedger(l.d, parts, 0)
		r := newRefinement(l, make([]int32, l.s.vertices()), led)
		if err := r.rebalance(context.Background()); err != nil {
			t.Fatal(err)
		}
		if most := limits(l.d.of, parts, 0); slices.Max(led.load) > most {
			t.Fatalf("loads %d, want at most %d", led.load, most)
		}
	})
}

// TestQueue: the queue gives what a sorted list would.
func TestQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, want := newQueue(20), map[int32]int64{}
		vertex := rapid.Int32Range(0, 19)
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				v, gain := vertex.Draw(t, "v"), rapid.Int64Range(-5, 5).Draw(t, "gain")
				q.put(v, gain)
				want[v] = gain
			},
			"drop": func(t *rapid.T) {
				v := vertex.Draw(t, "v")
				q.drop(v)
				delete(want, v)
			},
			"pop": func(t *rapid.T) {
				if q.len() == 0 {
					t.Skip()
				}
				top := q.top()
				v, gain := q.pop()
				if want[v] != gain || top != gain {
					t.Fatalf("popped %d of gain %d, top %d, want gain %d", v, gain, top, want[v])
				}
				for u, g := range want {
					if g > gain {
						t.Fatalf("popped %d of gain %d before %d of %d", v, gain, u, g)
					}
				}
				delete(want, v)
			},
			"clear": func(t *rapid.T) {
				q.clear()
				clear(want)
			},
			"": func(t *rapid.T) {
				if q.len() != len(want) {
					t.Fatalf("%d in the queue, want %d", q.len(), len(want))
				}
				for v := range int32(20) {
					if _, ok := want[v]; ok != q.has(v) {
						t.Fatalf("vertex %d in the queue: %v, want %v", v, q.has(v), ok)
					}
				}
			},
		})
	})
}

// cliques are groups of vertices that all are neighbours, in a ring of single edges.
func cliques(groups, each int32) graphcase.Case {
	c := graphcase.Case{N: int(groups * each)}
	both := func(u, v int32) { c.Src, c.Dst = append(c.Src, u, v), append(c.Dst, v, u) }
	for g := range groups {
		for u := range each {
			for v := range u {
				both(g*each+u, g*each+v)
			}
		}
		both(g*each, (g*each+each+1)%(groups*each))
	}
	return c
}

// square is a mesh.
func square(side int32) graphcase.Case {
	c := graphcase.Case{N: int(side * side)}
	both := func(u, v int32) { c.Src, c.Dst = append(c.Src, u, v), append(c.Dst, v, u) }
	for x := range side {
		for y := range side {
			if x > 0 {
				both(x*side+y, (x-1)*side+y)
			}
			if y > 0 {
				both(x*side+y, x*side+y-1)
			}
		}
	}
	return c
}

// TestMultilevelFindsTheBestCut: where the least cut is known and in plain sight it
// is found; a quarter above it is allowed on meshes, and where many small cliques
// share parts.
func TestMultilevelFindsTheBestCut(t *testing.T) {
	for _, c := range []struct {
		name  string
		graph graphcase.Case
		parts int
		most  int64 // arcs
	}{
		{"two cliques in two", cliques(2, 20), 2, 4},
		{"eight cliques in eight", cliques(8, 20), 8, 16},
		{"eight cliques in four", cliques(8, 20), 4, 8},
		{"64 cliques in eight", cliques(64, 6), 8, 16 * 5 / 4},
		{"a mesh in two", square(32), 2, 2 * 32 * 5 / 4},
		{"a mesh in four", square(32), 4, 4 * 32 * 5 / 4},
	} {
		g := build(t, c.graph, graph.Policy{})
		for seed := range uint64(5) {
			part, err := Vertices(t.Context(), g, Options{Parts: c.parts, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			s, err := Measure(g.Block(), graph.Assignment{Parts: c.parts, Vertex: part})
			if err != nil {
				t.Fatal(err)
			}
			if s.CutArcs > c.most || s.VertexBalance() > 1.06 {
				t.Errorf("%s, seed %d: %d arcs cut, want at most %d; parts of %d", c.name, seed, s.CutArcs, c.most, s.Vertices)
			}
		}
	}
}

// TestMultilevelLeavesComponentsWhole: equal components in as many parts cut nothing.
func TestMultilevelLeavesComponentsWhole(t *testing.T) {
	var c graphcase.Case
	for k := range int32(4) {
		path := square(10)
		for i := range path.Src {
			c.Src, c.Dst = append(c.Src, k*100+path.Src[i]), append(c.Dst, k*100+path.Dst[i])
		}
	}
	c.N = 400
	g := build(t, c, graph.Policy{})
	part, err := Vertices(t.Context(), g, Options{Parts: 4})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := Measure(g.Block(), graph.Assignment{Parts: 4, Vertex: part}); err != nil || s.CutArcs != 0 {
		t.Errorf("%d arcs cut (%v)", s.CutArcs, err)
	}
}

// TestMultilevelOfPowerLaws: stars, whose leaves have no neighbour but a centre
// that is soon taken, shrink all the same, in few levels.
func TestMultilevelOfPowerLaws(t *testing.T) {
	c := graphcase.Case{N: 20000}
	for v := int32(10); v < 20000; v++ {
		c.Src, c.Dst = append(c.Src, v, v%10), append(c.Dst, v%10, v)
	}
	l := &level{}
	b := build(t, c, graph.Policy{}).Block()
	l.s, l.d = newStructure(b), newDemand(b, Options{})
	levels, err := coarsen(t.Context(), l, 100, rng.Key{Purpose: rng.Test}.Stream(0))
	if err != nil {
		t.Fatal(err)
	}
	if last := levels[len(levels)-1].s.vertices(); last > 200 || len(levels) > 12 {
		t.Errorf("%d levels, the last of %d vertices", len(levels), last)
	}
}
