package graph_test

import (
	"slices"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

// policies lists every policy there is.
func policies() (all []graph.Policy) {
	for _, d := range []graph.Duplicates{graph.Merge, graph.Keep} {
		for _, l := range []graph.Loops{graph.KeepLoops, graph.DropLoops} {
			for _, s := range []bool{false, true} {
				all = append(all, graph.Policy{Duplicates: d, Loops: l, Symmetrise: s})
			}
		}
	}
	return all
}

// failer is what testing.T and rapid.T have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func build(t failer, c graphcase.Case, p graph.Policy) *graph.Graph {
	t.Helper()
	g, err := graph.FromCOO(c.N, c.Src, c.Dst, c.Weight, p)
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	if err := g.Validate(); err != nil {
		t.Fatalf("%s: built a graph that is not valid: %v", c.Name, err)
	}
	return g
}

// arc is one arc with everything that belongs to it.
type arc struct {
	dst, src int32
	weight   float32
	listing  int64
}

// arcsOf reads a graph's arcs in order of position.
func arcsOf(g *graph.Graph) []arc {
	out := []arc{}
	for v := range g.N {
		for i := g.Ptr[v]; i < g.Ptr[v+1]; i++ {
			a := arc{dst: int32(v), src: g.Src[i], weight: 1, listing: i}
			if g.Weight != nil {
				a.weight = g.Weight[i]
			}
			if g.Listing != nil {
				a.listing = g.Listing[i]
			}
			out = append(out, a)
		}
	}
	return out
}

// naive applies a policy by its definition, pair by pair.
func naive(c graphcase.Case, p graph.Policy) (arcs []arc, counts graph.Counts) {
	rows := map[[2]int32][]int{} // (destination, source) to rows of the list
	for i := range c.Src {
		key := [2]int32{c.Dst[i], c.Src[i]}
		rows[key] = append(rows[key], i)
	}
	arcs = []arc{}
	counts.Rows = int64(len(c.Src))
	for v := range int32(c.N) {
		for u := range int32(c.N) {
			kept := naivePair(rows[[2]int32{v, u}], rows[[2]int32{u, v}], u == v, p, &counts)
			for _, r := range kept {
				a := arc{dst: v, src: u, weight: 1, listing: int64(r)}
				if c.Weight != nil {
					a.weight = c.Weight[r]
				}
				arcs = append(arcs, a)
			}
		}
	}
	return arcs, counts
}

// naivePair returns the rows that stand for u→v, given those that list it and
// those that list v→u.
func naivePair(listed, reverse []int, loop bool, p graph.Policy, c *graph.Counts) []int {
	c.Listed += int64(len(listed))
	if loop && p.Loops == graph.DropLoops {
		c.Dropped += int64(len(listed))
		return nil
	}
	kept := slices.Clone(listed)
	if p.Symmetrise && !loop && len(reverse) > len(listed) {
		kept = append(kept, reverse[len(listed):]...)
		slices.Sort(kept)
	}
	if p.Duplicates == graph.Merge && len(kept) > 0 {
		kept = kept[:1]
		if p.Symmetrise && !loop && len(reverse) > 0 {
			kept[0] = min(kept[0], reverse[0])
		}
		c.Duplicates += int64(max(len(listed)-1, 0))
	}
	added := len(kept) - len(listed)
	c.Listed += int64(max(added, 0))
	if loop {
		c.Loops += int64(len(kept))
	} else {
		c.Arcs += int64(len(kept))
	}
	return kept
}

// dense returns the multiplicities of a block's edges, Dst × Src.
func dense(b *graph.Block) [][]int {
	a := make([][]int, b.Dst)
	for v := range a {
		a[v] = make([]int, b.Src)
		for _, u := range b.Col[b.Ptr[v]:b.Ptr[v+1]] {
			a[v][u]++
		}
	}
	return a
}

// eachCase runs f on every labelled case under every policy.
func eachCase(t *testing.T, f func(t *testing.T, c graphcase.Case, p graph.Policy)) {
	for _, c := range graphcase.All() {
		t.Run(c.Name, func(t *testing.T) {
			for _, p := range policies() {
				f(t, c, p)
			}
		})
	}
}
