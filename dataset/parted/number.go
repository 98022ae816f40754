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
	others []other
	sinks  int // how many of the others arcs end in
}

// other is a vertex of another part, and at which ends of the part's arcs it is.
type other struct {
	v  int32
	at graph.End
}

// rows is the number of vertices that arcs end in, own ones included.
func (n *numbering) rows() int { return len(n.own) + n.sinks }

// all lists the vertices of the part by their places.
func (n *numbering) all() []int32 {
	all := slices.Clone(n.own)
	for _, o := range n.others {
		all = append(all, o.v)
	}
	return all
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
// Cost: that of [graph.Block.Named], O(P²) time, and 8 bytes per vertex; in a
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
	for p, named := range g.Block().Named(d.Parts, d.Part) {
		n := &x.parts[p]
		n.findOthers(int32(p), named, d.Vertex)
		for _, o := range n.others {
			owner := d.Vertex[o.v]
			if o.at&graph.Source != 0 {
				x.send[owner].place = append(x.send[owner].place, place[o.v])
			}
			if o.at&graph.Destination != 0 {
				x.gather[owner].place = append(x.gather[owner].place, place[o.v])
			}
		}
		for q := range d.Parts {
			x.send[q].end()
			x.gather[q].end()
		}
	}
	return x
}

// findOthers finds what part p names and does not own.
func (n *numbering) findOthers(p int32, named graph.Named, owner []int32) {
	for i, v := range named.Vertex {
		if owner[v] == p {
			continue
		}
		n.others = append(n.others, other{v, named.At[i]})
		if named.At[i]&graph.Destination != 0 {
			n.sinks++
		}
	}
	slices.SortFunc(n.others, func(a, b other) int {
		return cmp.Or(cmp.Compare(b.at&graph.Destination, a.at&graph.Destination), cmp.Compare(owner[a.v], owner[b.v]), cmp.Compare(a.v, b.v))
	})
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
	all := n.all()
	for place, v := range all {
		x.at[v] = int32(place)
	}
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
	for _, v := range all {
		x.at[v] = -1
	}
	return r
}
