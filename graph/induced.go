package graph

import (
	"fmt"
	"slices"
)

// Induced returns the subgraph on the given vertices: vertex i of it is vertices[i]
// of g, and it has every arc of g whose two ends are among them. Vertices and arcs
// keep the identities and the listing rows that they have in g.
//
// Cost: O(n + m), n and m of g.
// Errors: a vertex out of range or named twice; in a disjoint union, vertices
// that are not listed graph after graph, in the union's order.
func (g *Graph) Induced(vertices []int32) (*Graph, error) {
	at, err := positions(g.N, vertices)
	if err != nil {
		return nil, err
	}
	graphs, err := g.cutGraphs(vertices)
	if err != nil {
		return nil, err
	}
	var src, dst []int32
	var arc []int64 // position in g, ascending within each row of g
	for v, to := range at {
		for i := g.Ptr[v]; to >= 0 && i < g.Ptr[v+1]; i++ {
			if from := at[g.Src[i]]; from >= 0 {
				src, dst, arc = append(src, from), append(dst, to), append(arc, i)
			}
		}
	}
	// The sort is stable, so that parallel arcs stay in listing order.
	s := sortArcs(len(vertices), src, dst, len(src), false)
	return g.pieceOf(s, gather(arc, s.row), vertices, graphs), nil
}

// pieceOf assembles a piece of g from sorted arcs; arc is the position in g of each.
func (g *Graph) pieceOf(s *sorted, arc []int64, vertices []int32, graphs []int64) *Graph {
	b, whole := g.Block(), g.whole()
	p := &Graph{N: len(vertices), Ptr: s.ptr, Src: s.col, Graphs: graphs, Listing: pick(g.Listing, arc)}
	if g.Weight != nil {
		p.Weight = make([]float32, len(arc))
		for i, a := range arc {
			p.Weight[i] = g.Weight[a]
		}
	}
	p.Origin = &Origin{Vertex: g.identities(vertices), Edge: pick(b.Identities(), arc), N: whole.N, M: whole.M}
	p.recount(g.Counts.Rows)
	return p
}

// identities returns the identity of each of the given vertices.
func (g *Graph) identities(vertices []int32) []int64 {
	ids := make([]int64, len(vertices))
	for i, v := range vertices {
		ids[i] = g.identity(v)
	}
	return ids
}

// identity is the number of vertex v in the whole graph.
func (g *Graph) identity(v int32) int64 {
	if g.Origin != nil {
		return g.Origin.Vertex[v]
	}
	return int64(v)
}

// whole returns n and m of the graph in which identities were fixed.
func (g *Graph) whole() Origin {
	if g.Origin != nil {
		return *g.Origin
	}
	return Origin{N: int64(g.N), M: int64(len(g.Src)) - g.loopsIn()}
}

// recount sets the counts of a piece cut from a graph built of rows.
func (g *Graph) recount(rows int64) {
	loops := g.loopsIn()
	all := int64(len(g.Src))
	g.Counts = Counts{Rows: rows, Listed: all, Loops: loops, Arcs: all - loops}
}

// positions inverts a list of vertices: where each of n stands in it, or −1.
func positions(n int, vertices []int32) ([]int32, error) {
	at := slices.Repeat([]int32{-1}, n)
	for i, v := range vertices {
		if v < 0 || int(v) >= n {
			return nil, fmt.Errorf("graph: vertex %d at position %d is out of range, want 0 ≤ id < %d", v, i, n)
		}
		if at[v] >= 0 {
			return nil, fmt.Errorf("graph: vertex %d is named twice, at positions %d and %d", v, at[v], i)
		}
		at[v] = int32(i)
	}
	return at, nil
}

// cutGraphs returns the offsets of the union's graphs among the given vertices.
func (g *Graph) cutGraphs(vertices []int32) ([]int64, error) {
	if g.Graphs == nil {
		return nil, nil
	}
	cut, k := []int64{0}, 0
	for i, v := range vertices {
		for int64(v) >= g.Graphs[k+1] {
			cut, k = append(cut, int64(i)), k+1
		}
		if int64(v) < g.Graphs[k] {
			return nil, fmt.Errorf("graph: vertex %d at position %d follows vertices of graph %d, want the union's graphs in order", v, i, k)
		}
	}
	for len(cut) < len(g.Graphs) {
		cut = append(cut, int64(len(vertices)))
	}
	return cut, nil
}

// pick returns x at each position, or the positions where x is nil.
func pick(x, at []int64) []int64 {
	if x == nil {
		return at
	}
	out := make([]int64, len(at))
	for i, a := range at {
		out[i] = x[a]
	}
	return out
}
