package partition

import (
	"context"
	"fmt"

	"github.com/weft-gnn/weft/graph"
)

// Edges assigns each arc of a block, such as those of Graph.Block and LoopBlock, whose
// destinations are all of its sources and whose sources ascend within a row, to a
// part, and each vertex to that of its master. All arcs between two vertices,
// whichever way they go, are in the same part. A loop lies with its vertex's
// master, so that a block with loops is divided as the one without.
//
// Contract: arc[i] is the part of the arc at position i, master[v] that of vertex
// v, from 0; both depend on the block and the options alone. The master is in one
// of the parts that have the vertex's arcs. VertexCutRandom and DBH assign arcs by
// identities of vertices: a graph in another order is divided the same way, masters
// excepted. HDRF keeps to the limit of arcs; with the others, balance is a matter
// of chance.
// Cost: O(n log n + m) time, O(mP) for HDRF; 24 bytes per pair of neighbours, and
// P/8 per vertex for HDRF.
// Errors: options that are not valid, a method that assigns vertices, and ctx's.
func Edges(ctx context.Context, b *graph.Block, o Options) (arc, master []int32, err error) {
	if err := o.Validate(b.Dst); err != nil {
		return nil, nil, err
	}
	switch {
	case !o.Method.VertexCut():
		return nil, nil, fmt.Errorf("partition: %v assigns vertices, not arcs", o.Method)
	case b.Dst != b.Src:
		return nil, nil, fmt.Errorf("partition: a block of %d destinations and %d sources, want as many", b.Dst, b.Src)
	}
	arc = make([]int32, len(b.Col))
	if o.Parts == 1 {
		return arc, make([]int32, b.Dst), context.Cause(ctx)
	}
	e := newEdgeCutting(b, o.withDefaults())
	if err := e.assign(ctx); err != nil {
		return nil, nil, err
	}
	if master, err = e.masters(ctx); err != nil {
		return nil, nil, err
	}
	e.arcs(arc, master)
	return arc, master, context.Cause(ctx)
}

// arcs sets the part of each arc to that of its pair, or of its vertex's master.
// Both the block's rows and the structure's ascend.
func (e *edgeCutting) arcs(arc, master []int32) {
	for v := range int32(e.b.Dst) {
		at := e.s.ptr[v]
		for i := e.b.Ptr[v]; i < e.b.Ptr[v+1]; i++ {
			u := e.b.Col[i]
			if u == v {
				arc[i] = master[v]
				continue
			}
			for e.s.col[at] < u {
				at++
			}
			arc[i] = e.part[e.pair[at]]
		}
	}
}

// Divide assigns the vertices of g to parts and, with a method that assigns arcs,
// these too, in the order of g.Block().
//
// Errors: those of [Vertices] and [Edges].
func Divide(ctx context.Context, g *graph.Graph, o Options) (graph.Assignment, error) {
	a := graph.Assignment{Parts: o.Parts}
	var err error
	if o.Method.VertexCut() {
		a.Arc, a.Vertex, err = Edges(ctx, g.Block(), o)
	} else {
		a.Vertex, err = Vertices(ctx, g, o)
	}
	return a, err
}

// edgeCutting is the assignment of pairs of neighbours to parts. Pairs are numbered
// by their later vertex, then by the other.
type edgeCutting struct {
	b    *graph.Block
	o    Options
	s    *structure
	pair []uint32 // of each entry of the structure
	ends []ends   // of each pair
	part []int32  // of each pair
}

// ends are two neighbours, lo < hi, and the number of arcs between them.
type ends struct {
	lo, hi int32
	arcs   int32
}

func newEdgeCutting(b *graph.Block, o Options) *edgeCutting {
	s := newStructure(b)
	pairs := len(s.col) / 2
	e := &edgeCutting{b: b, o: o, s: s, pair: make([]uint32, len(s.col)), ends: make([]ends, 0, pairs), part: make([]int32, pairs)}
	both := int32(1)
	if s.weight == nil { // one arc each way
		both = 2
	}
	// Where v ascends, the entries of a row that name later vertices are met in order.
	up := make([]int64, s.vertices())
	for v := range int32(s.vertices()) {
		i := s.ptr[v]
		for ; i < s.ptr[v+1] && s.col[i] < v; i++ {
			u, k := s.col[i], uint32(len(e.ends))
			e.pair[i], e.pair[up[u]] = k, k
			up[u]++
			e.ends = append(e.ends, ends{u, v, both * int32(s.weightOf(i))})
		}
		up[v] = i
	}
	return e
}

// assign chooses the part of every pair.
func (e *edgeCutting) assign(ctx context.Context) error {
	choose := e.rule()
	order := func(i int) int { return i }
	if e.o.Method == HDRF {
		random := e.o.key().Permutation(ofEdgeOrder, len(e.ends))
		order = func(i int) int { return int(random[i]) }
	}
	for i := range e.ends {
		if i%(1<<14) == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		k := order(i)
		e.part[k] = choose(e.ends[k])
	}
	return nil
}

// rule returns the function from a pair to its part.
func (e *edgeCutting) rule() func(ends) int32 {
	switch e.o.Method {
	case DBH:
		return e.byLesserDegree
	case HDRF:
		return e.newHDRF().choose
	case Grid:
		return e.newGrid().choose
	default:
		return func(x ends) int32 { return e.hashPair(x) }
	}
}

// hashPair is a part that looks random of the identities of two ends.
func (e *edgeCutting) hashPair(x ends) int32 {
	lo, hi := identity(e.b, x.lo), identity(e.b, x.hi)
	return hash(e.o.key(), min(lo, hi), max(lo, hi), e.o.Parts)
}

// byLesserDegree hashes the end of fewer neighbours, the one of the lesser identity
// of two that have as many.
//
// Source: Xie, Yan, Li and Zhang, "Distributed power-law graph computing: theoretical
// and empirical analysis", NIPS'14, degree-based hashing.
func (e *edgeCutting) byLesserDegree(x ends) int32 {
	lo, hi := identity(e.b, x.lo), identity(e.b, x.hi)
	switch d, f := e.s.degree(x.lo), e.s.degree(x.hi); {
	case d > f, d == f && lo > hi:
		lo = hi
	}
	return hash(e.o.key(), lo, none, e.o.Parts)
}
