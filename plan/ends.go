package plan

import (
	"slices"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/program"
)

// names lists the vertices that a rank has at an end of its edges where these are not
// its own alone: those that it owns, and behind them those of others that its arcs name,
// whatever programs read of them, grouped by owner.
func (d *division) names(at seat, end program.Map) []int32 {
	vs, others := d.owned(at, end), make([][]int32, d.Ranks)
	for _, v := range d.arcsName(at, end) {
		if owner := d.Vertex[v]; int(owner) != at.rank {
			others[owner] = append(others[owner], v)
		}
	}
	return slices.Concat(vs, slices.Concat(others...))
}

// arcsName lists those that its arcs name.
func (d *division) arcsName(at seat, end program.Map) (vs []int32) {
	if d.Has != nil {
		for v := range int32(d.g.N) {
			if d.Has(at.rank, end, v) && (end == program.Dst || d.copied(at.copy, v)) {
				vs = append(vs, v)
			}
		}
		return vs
	}
	is := map[program.Map]graph.End{program.Src: graph.Source, program.Dst: graph.Destination}[end]
	named := d.named[at.rank]
	for i, v := range named.Vertex {
		if named.At[i]&is != 0 {
			vs = append(vs, v)
		}
	}
	return vs
}

// owned lists the vertices whose rows a rank has for those whose edges name them at an
// end: its own, or of these those of its range.
func (d *division) owned(at seat, end program.Map) []int32 {
	vs := d.vertices(at.rank)
	if d.Ranged && end == program.Src {
		lo, hi := comm.Cut(len(vs), at.copy, d.Features)
		vs = vs[lo:hi]
	}
	return vs
}

// ends returns a rank's ends, whose vertices names lists, or nil where they are its own.
func (d *division) ends(at seat, end program.Map, names []int32) *program.Ends {
	if !d.spread(end) {
		return nil
	}
	own := d.places(d.owned(at, end))
	e := &program.Ends{IDs: d.ids(names), HaloPtr: make([]int, d.Ranks+1), BoundaryPtr: make([]int, d.Ranks+1)}
	for _, v := range names {
		if owner := int(d.Vertex[v]); owner != at.rank {
			e.HaloPtr[owner+1]++
		}
	}
	for q := range d.Ranks {
		e.HaloPtr[q+1] += e.HaloPtr[q]
		if q != at.rank {
			for _, v := range d.arcsName(seat{q, at.copy}, end) {
				if own[v] >= 0 {
					e.Boundary = append(e.Boundary, own[v])
				}
			}
		}
		e.BoundaryPtr[q+1] = len(e.Boundary)
	}
	return e
}
