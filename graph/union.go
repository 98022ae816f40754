package graph

import "fmt"

// Union returns the disjoint union of graphs, a batch: the vertices of graph g
// come after those of the graphs before it, and Graphs says where. Graphs
// without vertices count.
//
// Contract: the union is a whole of its own, with identities of its own; to draw
// a batch that keeps the identities of a set, [Graph.Select] it from the set's
// union. Rows of the edge lists are counted through, so that the union of the
// lists is the list of the union. Arcs of an unweighted graph have weight 1
// beside those of a weighted one.
// Cost: O(n + m) of the union.
// Errors: more vertices or arcs than 32 bits index.
func Union(graphs ...*Graph) (*Graph, error) {
	var shape Graph
	var n, arcs int64
	for _, g := range graphs {
		n, arcs = n+int64(g.N), arcs+int64(len(g.Src))
		shape.noteFields(g)
	}
	if err := checkSize(n, arcs); err != nil {
		return nil, err
	}
	u := newUnion(int(n), int(arcs), len(graphs), &shape)
	for _, g := range graphs {
		u.appendRange(g, 0, g.N, u.Counts.Rows)
		u.Counts.add(g.Counts)
	}
	return u, nil
}

// Select returns the graphs of a disjoint union with the given numbers, in that
// order, each with the identities and the listing rows it has in the union.
//
// Cost: O(n + m) of what is selected; the first call builds the union's block.
// Errors: the graph is not a union; a number out of range.
func (g *Graph) Select(graphs []int32) (*Graph, error) {
	var n, arcs int64
	for _, k := range graphs {
		if k < 0 || int(k) >= len(g.Graphs)-1 {
			return nil, fmt.Errorf("graph: select graph %d of a union of %d", k, max(len(g.Graphs)-1, 0))
		}
		lo, hi := g.Graphs[k], g.Graphs[k+1]
		n, arcs = n+hi-lo, arcs+g.Ptr[hi]-g.Ptr[lo]
	}
	if err := checkSize(n, arcs); err != nil {
		return nil, err
	}
	shape := Graph{Listing: []int64{}, Weight: g.Weight}
	s := newUnion(int(n), int(arcs), len(graphs), &shape)
	b, whole := g.Block(), g.whole()
	s.Origin = &Origin{Vertex: make([]int64, 0, n), Edge: make([]int64, 0, arcs), N: whole.N, M: whole.M}
	for _, k := range graphs {
		lo, hi := int(g.Graphs[k]), int(g.Graphs[k+1])
		s.appendRange(g, lo, hi, 0)
		for v := lo; v < hi; v++ {
			s.Origin.Vertex = append(s.Origin.Vertex, b.vertexID(v))
		}
		s.Origin.Edge = appendOr(s.Origin.Edge, b.Identities(), g.Ptr[lo], g.Ptr[hi], 0)
	}
	s.recount(g.Counts.Rows)
	return s, nil
}

// noteFields makes g's optional fields those of the union too.
func (g *Graph) noteFields(part *Graph) {
	if part.Weight != nil {
		g.Weight = part.Weight
	}
	if part.Listing != nil || part.Counts.Rows != int64(len(part.Src)) {
		g.Listing = []int64{}
	}
}

// newUnion returns an empty graph with room, and with the optional fields that
// shape has.
func newUnion(n, arcs, graphs int, shape *Graph) *Graph {
	u := &Graph{Ptr: make([]int64, 1, n+1), Src: make([]int32, 0, arcs), Graphs: make([]int64, 1, graphs+1)}
	if shape.Weight != nil {
		u.Weight = make([]float32, 0, arcs)
	}
	if shape.Listing != nil {
		u.Listing = make([]int64, 0, arcs)
	}
	return u
}

// appendRange appends vertices lo to hi of g, which no arc may leave, as one
// more graph of the union; rows is added to its listing rows.
func (u *Graph) appendRange(g *Graph, lo, hi int, rows int64) {
	first, last := g.Ptr[lo], g.Ptr[hi]
	shift, at := int32(u.N-lo), int64(len(u.Src))-first
	for _, s := range g.Src[first:last] {
		u.Src = append(u.Src, s+shift)
	}
	for v := lo; v < hi; v++ {
		u.Ptr = append(u.Ptr, g.Ptr[v+1]+at)
	}
	if u.Listing != nil {
		u.Listing = appendOr(u.Listing, g.Listing, first, last, rows)
	}
	if u.Weight != nil {
		u.Weight = appendWeights(u.Weight, g.Weight, first, last)
	}
	u.N += hi - lo
	u.Graphs = append(u.Graphs, int64(u.N))
}

// appendOr appends x[lo:hi], or lo to hi itself where x is nil, plus shift.
func appendOr(to, x []int64, lo, hi, shift int64) []int64 {
	for i := lo; i < hi; i++ {
		id := i
		if x != nil {
			id = x[i]
		}
		to = append(to, id+shift)
	}
	return to
}

func appendWeights(to, w []float32, lo, hi int64) []float32 {
	if w != nil {
		return append(to, w[lo:hi]...)
	}
	for range hi - lo {
		to = append(to, 1)
	}
	return to
}

func (c *Counts) add(d Counts) {
	c.Rows += d.Rows
	c.Listed += d.Listed
	c.Duplicates += d.Duplicates
	c.Dropped += d.Dropped
	c.Loops += d.Loops
	c.Arcs += d.Arcs
}
