package plan

import (
	"fmt"
	"math/bits"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/program"
)

// Owners says which rank has which vertices and edges of a graph.
type Owners struct {
	Ranks int
	// Edges says which rank has an edge: that of its destination, of its source,
	// or the one that Edge names.
	Edges program.Owner
	// Vertex is the owner of each vertex.
	Vertex []int32
	// Edge is the owner of the edge u→v where Edges is Free; arc is its position in
	// the graph, or −1 for a loop that a model adds.
	Edge func(arc int64, u, v int32) int32
	// Has, where set, says that a rank has a vertex at an end of its edges even
	// where no edge names it there: what is sent does not depend on the graph then.
	Has func(rank int, end program.Map, v int32) bool
}

// Validate checks owners of a graph of n vertices.
func (o Owners) Validate(n int) error {
	if o.Ranks < 1 || len(o.Vertex) != n {
		return fmt.Errorf("plan: %d ranks, owners of %d vertices: want at least one rank and owners of all %d vertices", o.Ranks, len(o.Vertex), n)
	}
	for v, r := range o.Vertex {
		if r < 0 || int(r) >= o.Ranks {
			return fmt.Errorf("plan: vertex %d is owned by rank %d of %d", v, r, o.Ranks)
		}
	}
	if o.Edges == program.Free && o.Edge == nil {
		return fmt.Errorf("plan: edges are owned freely, and nothing says by whom")
	}
	return nil
}

// edge returns the owner of edge e of a block, u→v.
func (o Owners) edge(b *graph.Block, e int64, u, v int32) int32 {
	switch o.Edges {
	case program.ByDst:
		return o.Vertex[v]
	case program.BySrc:
		return o.Vertex[u]
	}
	if b.Arc != nil {
		e = b.Arc[e]
	}
	return o.Edge(e, u, v)
}

// spread reports whether an end of edges is not the rank's own vertices.
func (o Owners) spread(end program.Map) bool {
	return program.Edges.Held(o.Edges).End(end) != program.Vertices
}

// bitset is a set of vertices.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (s bitset) add(v int32) { s[v/64] |= 1 << (v % 64) }

// each calls f for every member, ascending.
func (s bitset) each(f func(v int32)) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			f(int32(64*i + bits.TrailingZeros64(word)))
		}
	}
}

// named returns, for each rank, the vertices that it has at an end of its edges.
func (o Owners) named(end program.Map, n int, blocks ...*graph.Block) []bitset {
	sets := make([]bitset, o.Ranks)
	for r := range sets {
		sets[r] = newBitset(n)
		for v := range int32(n) {
			if o.Has != nil && o.Has(r, end, v) {
				sets[r].add(v)
			}
		}
	}
	for _, b := range blocks {
		for v := range int32(b.Dst) {
			for e := b.Ptr[v]; e < b.Ptr[v+1]; e++ {
				at := b.Col[e]
				if end == program.Dst {
					at = v
				}
				sets[o.edge(b, e, b.Col[e], v)].add(at)
			}
		}
	}
	return sets
}
