package graph_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

// distances returns how many hops each vertex is from the nearest seed, against
// the direction of arcs: n rounds over all arcs, by Bellman and Ford. The
// largest number stands for what is not reached.
func distances(g *graph.Graph, seeds []int32) []int {
	d := slices.Repeat([]int{1 << 30}, g.N)
	for _, s := range seeds {
		d[s] = 0
	}
	for changed := true; changed; {
		changed = false
		for v := range g.N {
			for _, u := range g.Src[g.Ptr[v]:g.Ptr[v+1]] {
				if d[u] > d[v]+1 {
					d[u], changed = d[v]+1, true
				}
			}
		}
	}
	return d
}

// checkHops compares a neighbourhood with distances, and its blocks with the
// rows of the whole.
func checkHops(t failer, g *graph.Graph, h *graph.Hops, hops int, seeds []int32, whole ...*graph.Block) {
	t.Helper()
	if err := h.Around(seeds); err != nil {
		t.Fatalf("%v", err)
	}
	d, at := distances(g, seeds), h.Vertices()
	for hop := range hops + 1 {
		want := []int32{}
		for v, far := range d {
			if far <= hop {
				want = append(want, int32(v))
			}
		}
		if got := slices.Sorted(slices.Values(at[:h.Within(hop)])); !slices.Equal(got, want) {
			t.Fatalf("within %d hops of %v: got %v, want %v", hop, seeds, got, want)
		}
	}
	if h.Within(hops) != len(at) {
		t.Fatalf("%d vertices within all hops, %d in all", h.Within(hops), len(at))
	}
	for i, v := range at {
		if h.Number(v) != i {
			t.Fatalf("vertex %d is number %d and %d", v, i, h.Number(v))
		}
	}
	for i, w := range whole {
		for hop := range hops {
			checkCut(t, h.Block(i, hop), w, at[:h.Within(hop)], h.Within(hop+1), func(u int32) int32 { return at[u] })
		}
	}
}

// checkCut checks that a block has the given rows of the whole, in order.
func checkCut(t failer, b, whole *graph.Block, rows []int32, sources int, of func(int32) int32) {
	t.Helper()
	if b.Dst != len(rows) || b.Src != sources || len(b.Ptr) != b.Dst+1 || b.Ptr[0] != 0 || int(b.Ptr[b.Dst]) != b.Edges() {
		t.Fatalf("block of %d by %d, offsets %v, want %d by %d", b.Dst, b.Src, b.Ptr, len(rows), sources)
	}
	if (b.Weight != nil) != (whole.Weight != nil) {
		t.Fatalf("weights %v of %v", b.Weight, whole.Weight)
	}
	for i, v := range rows {
		lo, hi := whole.Ptr[v], whole.Ptr[v+1]
		got := []int32{}
		for _, u := range b.Col[b.Ptr[i]:b.Ptr[i+1]] {
			got = append(got, of(u))
		}
		if !slices.Equal(got, whole.Col[lo:hi]) {
			t.Fatalf("row of vertex %d: got %v, want %v", v, got, whole.Col[lo:hi])
		}
		if whole.Weight != nil && !slices.Equal(b.Weight[b.Ptr[i]:b.Ptr[i+1]], whole.Weight[lo:hi]) {
			t.Fatalf("weights into vertex %d: %v", v, b.Weight)
		}
	}
}

func TestHopsCases(t *testing.T) {
	eachCase(t, func(t *testing.T, c graphcase.Case, p graph.Policy) {
		g := build(t, c, p)
		for hops := range 4 {
			h := graph.NewHops(hops, g.Block(), g.LoopBlock())
			for v := range g.N { // again and again in the same memory
				checkHops(t, g, h, hops, []int32{int32(v)}, g.Block(), g.LoopBlock())
			}
			checkHops(t, g, h, hops, nil, g.Block(), g.LoopBlock())
		}
	})
}

func TestHopsOfSeveral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(12, 40).Draw(t, "case")
		if c.N == 0 {
			return
		}
		g := build(t, c, graph.Policy{Duplicates: graph.Keep})
		h := graph.NewHops(2, g.Block())
		for range 3 {
			seeds := rapid.SliceOf(rapid.Int32Range(0, int32(c.N-1))).Draw(t, "seeds")
			checkHops(t, g, h, 2, seeds, g.Block())
		}
	})
}

// Seeds have the first numbers, in the order in which they are first named.
func TestHopsNumberSeedsFirst(t *testing.T) {
	c := graphcase.Case{N: 5, Src: []int32{0, 1, 2, 3}, Dst: []int32{1, 2, 3, 4}}
	h := graph.NewHops(1, build(t, c, graph.Policy{}).Block())
	if err := h.Around([]int32{4, 2, 4, 0}); err != nil {
		t.Fatal(err)
	}
	if want := []int32{4, 2, 0, 3, 1}; !slices.Equal(h.Vertices(), want) || h.Within(0) != 3 {
		t.Errorf("got %v, of them %d seeds, want %v and 3", h.Vertices(), h.Within(0), want)
	}
}

// What a block derives of its content follows the content.
func TestHopsBlocksForget(t *testing.T) {
	c := graphcase.Case{N: 4, Src: []int32{1, 2, 3, 0}, Dst: []int32{0, 0, 0, 1}}
	h := graph.NewHops(1, build(t, c, graph.Policy{}).Block())
	for _, want := range []struct {
		seed   int32
		degree int
	}{{0, 3}, {1, 1}, {2, 0}, {0, 3}} {
		if err := h.Around([]int32{want.seed}); err != nil {
			t.Fatal(err)
		}
		b := h.Block(0, 0)
		if got := b.MaxInDegree(); got != want.degree {
			t.Errorf("around %d: largest degree %d, want %d", want.seed, got, want.degree)
		}
		checkTranspose(t, b)
	}
}

func TestHopsErrors(t *testing.T) {
	h := graph.NewHops(1, build(t, graphcase.Case{N: 8}, graph.Policy{}).Block())
	for _, v := range []int32{8, 9, -1} {
		if err := h.Around([]int32{0, v}); err == nil || !strings.Contains(err.Error(), "out of range, want 0 ≤ id < 8") {
			t.Errorf("vertex %d: %v", v, err)
		}
	}
}

func TestRowCut(t *testing.T) {
	c := graphcase.Case{N: 4, Src: []int32{1, 2, 3}, Dst: []int32{0, 1, 2}} // a path to 0
	h := graph.NewHops(2, build(t, c, graph.Policy{}).Block())
	features := &graph.Block{Dst: 4, Src: 6, Ptr: []int64{0, 2, 2, 5, 6}, Col: []int32{1, 5, 0, 2, 4, 3}, Weight: []float32{1, 2, 3, 4, 5, 6}}
	cut := graph.NewRowCut(2, features)
	for _, seeds := range [][]int32{{0}, {3}, {}, {2, 1}, {1}} {
		if err := h.Around(seeds); err != nil {
			t.Fatal(err)
		}
		for within := range 3 {
			cut.Take(h, within)
			for hop := range 3 {
				rows := h.Vertices()[:h.Within(min(hop, within))]
				checkCut(t, cut.Block(hop), features, rows, 6, func(u int32) int32 { return u })
			}
		}
	}
}

// allocations returns how often f allocates once it has run: the least of some
// tries, for what Go's own threads allocate meanwhile counts too.
func allocations(f func()) float64 {
	least := testing.AllocsPerRun(1, f)
	for try := 0; try < 4 && least > 0; try++ {
		least = min(least, testing.AllocsPerRun(1, f))
	}
	return least
}

// Once a neighbourhood was as large, cutting allocates nothing, and Room says
// how large that is.
func TestHopsAllocateNothing(t *testing.T) {
	for _, c := range graphcase.All() {
		if c.N == 0 {
			continue
		}
		g := build(t, c, graph.Policy{})
		h, rows := graph.NewHops(2, g.Block(), g.LoopBlock()), graph.NewRowCut(2, g.Block())
		seed := make([]int32, 1)
		n := allocations(func() {
			for v := range g.N {
				seed[0] = int32(v)
				if err := h.Around(seed); err != nil {
					t.Fatal(err)
				}
				rows.Take(h, 2)
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", c.Name, n)
		}
		if room, b := h.Room(1), h.Block(1, 1); room.Dst < b.Src || room.Edges() < b.Edges() {
			t.Errorf("%s: room for %d vertices and %d edges, there are %d and %d", c.Name, room.Dst, room.Edges(), b.Src, b.Edges())
		}
		if room, b := rows.Room(), rows.Block(2); room.Dst < b.Dst || room.Edges() < b.Edges() {
			t.Errorf("%s: room for %d rows and %d entries, there are %d and %d", c.Name, room.Dst, room.Edges(), b.Dst, b.Edges())
		}
	}
}
