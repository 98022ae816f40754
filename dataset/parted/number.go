package parted

import (
	"cmp"
	"slices"

	"github.com/weft-gnn/weft/graph"
)

// numbering says what a part has, by numbers of the whole set.
type numbering struct {
	own []int32
	// others are ends of arcs that other parts own: those that arcs end in, then
	// those that arcs only come from, each by owner and number.
	others []int32
	sinks  int // how many of the others arcs end in
	// fetched says of each of the others whether an arc comes from it.
	fetched []bool
}

// rows is the number of vertices that arcs end in, own ones included.
func (n *numbering) rows() int { return len(n.own) + n.sinks }

// each calls f with the place of every vertex of the part, own ones first.
func (n *numbering) each(f func(place int, v int32)) {
	for i, v := range n.own {
		f(i, v)
	}
	for i, v := range n.others {
		f(len(n.own)+i, v)
	}
}

// division is what all parts have.
type division struct {
	g     *graph.Graph
	d     Division
	arcs  arcs
	parts []numbering
	// send and gather are the places of own vertices that other parts fetch rows
	// of, and have partial sums of.
	send, gather []list
	at           []int32 // scratch: a place, or −1
}

// list is a part's list for each other part.
type list struct {
	ptr   []int64
	place []int32
}

// end ends the list for a part.
func (l *list) end() { l.ptr = append(l.ptr, int64(len(l.place))) }

// newDivision numbers the vertices of each part.
//
// Cost: O(n + m + P²) time and 12 bytes per vertex, 4 per other vertex; in a
// vertex-cut 12 per arc too.
func newDivision(g *graph.Graph, d Division) *division {
	x := &division{g: g, d: d, parts: make([]numbering, d.Parts), at: slices.Repeat([]int32{-1}, g.N)}
	x.arcs = newArcs(g, d)
	place := make([]int32, g.N) // among the vertices of its owner
	for v, p := range d.Vertex {
		place[v] = int32(len(x.parts[p].own))
		x.parts[p].own = append(x.parts[p].own, int32(v))
	}
	x.send, x.gather = make([]list, d.Parts), make([]list, d.Parts)
	for p := range d.Parts {
		x.send[p].end()
		x.gather[p].end()
	}
	for p := range x.parts {
		n := &x.parts[p]
		x.findOthers(int32(p))
		for i, v := range n.others {
			owner := d.Vertex[v]
			if n.fetched[i] {
				x.send[owner].place = append(x.send[owner].place, place[v])
			}
			if i < n.sinks {
				x.gather[owner].place = append(x.gather[owner].place, place[v])
			}
		}
		for q := range d.Parts {
			x.send[q].end()
			x.gather[q].end()
		}
	}
	return x
}

// findOthers finds the ends of part p's arcs that other parts own.
func (x *division) findOthers(p int32) {
	const comesFrom, endsIn = 1, 2
	n := &x.parts[p]
	seen := x.at // −1 for a vertex not met, else what arcs do at it
	meet := func(v int32, how int32) {
		if x.d.Vertex[v] == p {
			return
		}
		if seen[v] < 0 {
			seen[v] = 0
			n.others = append(n.others, v)
		}
		seen[v] |= how
	}
	x.arcs.each(p, n.own, func(i int64, v int32) {
		meet(x.g.Src[i], comesFrom)
		meet(v, endsIn)
	})
	slices.SortFunc(n.others, func(u, v int32) int {
		return cmp.Or(cmp.Compare(seen[v]&endsIn, seen[u]&endsIn), cmp.Compare(x.d.Vertex[u], x.d.Vertex[v]), cmp.Compare(u, v))
	})
	n.fetched = make([]bool, len(n.others))
	for i, v := range n.others {
		n.fetched[i] = seen[v]&comesFrom != 0
		if seen[v]&endsIn != 0 {
			n.sinks++
		}
		seen[v] = -1
	}
}

// arcs are the arcs of each part: in an edge-cut those into its vertices, in a
// vertex-cut those that are listed.
type arcs struct {
	g     *graph.Graph
	start []int64 // nil in an edge-cut
	at    []int64 // positions in the graph, ascending within a part
	dst   []int32
}

func newArcs(g *graph.Graph, d Division) arcs {
	a := arcs{g: g}
	if d.Arc == nil {
		return a
	}
	a.start, a.at, a.dst = make([]int64, d.Parts+1), make([]int64, len(g.Src)), make([]int32, len(g.Src))
	for _, p := range d.Arc {
		a.start[p+1]++
	}
	for p := range d.Parts {
		a.start[p+1] += a.start[p]
	}
	next := slices.Clone(a.start)
	for v := range g.N {
		for i := g.Ptr[v]; i < g.Ptr[v+1]; i++ {
			to := &next[d.Arc[i]]
			a.at[*to], a.dst[*to] = i, int32(v)
			*to++
		}
	}
	return a
}

// each calls f with the position in the graph and the destination of each arc of
// part p, whose own vertices are given, in ascending order of position.
func (a *arcs) each(p int32, own []int32, f func(i int64, v int32)) {
	if a.start != nil {
		for k := a.start[p]; k < a.start[p+1]; k++ {
			f(a.at[k], a.dst[k])
		}
		return
	}
	for _, v := range own {
		for i := a.g.Ptr[v]; i < a.g.Ptr[v+1]; i++ {
			f(i, v)
		}
	}
}

// rows are the arcs of a part by the rows that they end in.
type rows struct {
	ptr []int64
	at  []int64 // positions in the graph, in its order within a row
	col []int32 // places of sources
}

// rowsOf returns the arcs of part p.
func (x *division) rowsOf(p int32) rows {
	n := &x.parts[p]
	n.each(func(place int, v int32) { x.at[v] = int32(place) })
	r := rows{ptr: make([]int64, n.rows()+1)}
	x.arcs.each(p, n.own, func(_ int64, v int32) { r.ptr[x.at[v]+1]++ })
	for i := range n.rows() {
		r.ptr[i+1] += r.ptr[i]
	}
	next := slices.Clone(r.ptr)
	m := r.ptr[n.rows()]
	r.at, r.col = make([]int64, m), make([]int32, m)
	x.arcs.each(p, n.own, func(i int64, v int32) {
		to := &next[x.at[v]]
		r.at[*to], r.col[*to] = i, x.at[x.g.Src[i]]
		*to++
	})
	n.each(func(_ int, v int32) { x.at[v] = -1 })
	return r
}
