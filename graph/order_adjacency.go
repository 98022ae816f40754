package graph

import "slices"

// adjacency lists each vertex's neighbours, whichever way the arcs go. Where
// these are not the same both ways, a neighbour both ways is listed twice.
type adjacency struct {
	in  rows
	out rows // no rows where the graph is symmetric: in has them all
}

// rows are compressed sparse rows.
type rows struct {
	ptr []int64
	col []int32
	// weight is nil where every weight is 1.
	weight []int64
}

// undirected returns the graph's neighbours.
func (g *Graph) undirected() *adjacency {
	a := &adjacency{in: rows{ptr: g.Ptr, col: g.Src}}
	if !g.symmetric() {
		a.out = g.bySource()
	}
	return a
}

// symmetric reports whether there are as many arcs u→v as v→u, for every pair.
// Where v ascends, the sources of its row are met by rows that list v next.
func (g *Graph) symmetric() bool {
	next := slices.Clone(g.Ptr)
	for v := range g.N {
		for _, u := range g.Src[g.Ptr[v]:g.Ptr[v+1]] {
			at := next[u]
			if at == g.Ptr[u+1] || g.Src[at] != int32(v) {
				return false
			}
			next[u]++
		}
	}
	return true
}

// bySource returns the destinations of each vertex's arcs.
func (g *Graph) bySource() rows {
	r := rows{ptr: make([]int64, g.N+1), col: make([]int32, len(g.Src))}
	for _, u := range g.Src {
		r.ptr[u+1]++
	}
	for u := range g.N {
		r.ptr[u+1] += r.ptr[u]
	}
	next := slices.Clone(r.ptr)
	for v := range g.N {
		for _, u := range g.Src[g.Ptr[v]:g.Ptr[v+1]] {
			r.col[next[u]] = int32(v)
			next[u]++
		}
	}
	return r
}

func (a *adjacency) vertices() int { return max(len(a.in.ptr)-1, 0) }

// of returns the neighbours of v, in two parts.
func (a *adjacency) of(v int32) [2][]int32 {
	parts := [2][]int32{a.in.col[a.in.ptr[v]:a.in.ptr[v+1]]}
	if a.out.ptr != nil {
		parts[1] = a.out.col[a.out.ptr[v]:a.out.ptr[v+1]]
	}
	return parts
}

// degree returns how many neighbours of lists.
func (a *adjacency) degree(v int32) int64 {
	d := a.in.ptr[v+1] - a.in.ptr[v]
	if a.out.ptr != nil {
		d += a.out.ptr[v+1] - a.out.ptr[v]
	}
	return d
}

// alone reports whether v has no neighbour but itself.
func (a *adjacency) alone(v int32) bool {
	for _, part := range a.of(v) {
		for _, u := range part {
			if u != v {
				return false
			}
		}
	}
	return true
}

// byDegree returns the vertices of most neighbours first, equals by number.
func byDegree(a *adjacency) []int32 {
	order := make([]int32, a.vertices())
	for v := range order {
		order[v] = int32(v)
	}
	slices.SortStableFunc(order, func(u, v int32) int { return int(a.degree(v) - a.degree(u)) })
	return order
}
