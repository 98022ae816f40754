package graph

import (
	"fmt"
	"slices"
)

// Permute returns the same graph with its vertices in another order: vertex i of
// it is order[i] of g. Identities, listing rows and counts stay. A graph that is
// in the order of its identities again is its own whole: its Origin is nil.
//
// Cost: O(n + m log d) time; 20 bytes per arc, 24 where arcs have weights, and
// 24 per vertex, all but 12 n and 8 d of them in the result.
// Errors: order is not a permutation of the n vertices; in a disjoint union, one
// that mixes graphs.
func (g *Graph) Permute(order []int32) (*Graph, error) {
	if len(order) != g.N {
		return nil, fmt.Errorf("graph: order of %d vertices for a graph of %d", len(order), g.N)
	}
	at, err := positions(g.N, order)
	if err != nil {
		return nil, err
	}
	graphs, err := g.cutGraphs(order)
	if err != nil {
		return nil, err
	}
	p := g.permuted(order, at)
	p.Graphs, p.Counts = graphs, g.Counts
	p.dropOrigin()
	return p, nil
}

// permuted moves the rows of g to their places, and the arcs of each to the
// order of their sources' places at. Parallel arcs stay in listing order.
func (g *Graph) permuted(order, at []int32) *Graph {
	ids, whole, m := g.arcIDs(), g.whole(), len(g.Src)
	p := &Graph{N: g.N, Ptr: make([]int64, 1, g.N+1), Src: make([]int32, 0, m), Listing: make([]int64, 0, m)}
	p.Origin = &Origin{Vertex: g.identities(order), Edge: make([]int64, 0, m), N: whole.N, M: whole.M}
	if g.Weight != nil {
		p.Weight = make([]float32, 0, m)
	}
	if g.into.Arcs != nil {
		p.into = Into{Arcs: gather(g.into.Arcs, order), Norm: gather(g.into.Norm, order)}
	}
	var row []uint64 // place of the source, and place in the row of g
	for _, v := range order {
		first := g.Ptr[v]
		row = row[:0]
		for i, u := range g.Src[first:g.Ptr[v+1]] {
			row = append(row, uint64(at[u])<<32|uint64(i))
		}
		slices.Sort(row)
		for _, key := range row {
			i := first + int64(uint32(key))
			p.Src = append(p.Src, int32(key>>32))
			p.Listing = appendOr(p.Listing, g.Listing, i, i+1, 0)
			p.Origin.Edge = appendOr(p.Origin.Edge, ids, i, i+1, 0)
			if g.Weight != nil {
				p.Weight = append(p.Weight, g.Weight[i])
			}
		}
		p.Ptr = append(p.Ptr, int64(len(p.Src)))
	}
	return p
}

// dropOrigin takes away identities, and listing rows, that say nothing: those
// that the graph would have without them.
func (g *Graph) dropOrigin() {
	if isCount(g.Listing) && g.Counts.Rows == int64(len(g.Src)) {
		g.Listing = nil
	}
	o := g.Origin
	if o.N != int64(g.N) || o.M != int64(len(g.Src))-g.loopsIn() || !isCount(o.Vertex) {
		return
	}
	g.Origin = nil
	ids := g.arcIDs()
	if same := ids == nil && isCount(o.Edge) || ids != nil && slices.Equal(ids, o.Edge); !same {
		g.Origin = o
	}
}

// isCount reports whether x is 0, 1, 2, …
func isCount(x []int64) bool {
	for i, v := range x {
		if v != int64(i) {
			return false
		}
	}
	return true
}
