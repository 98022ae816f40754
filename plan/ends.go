package plan

import (
	"slices"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/program"
)

// names lists the vertices that a rank has at an end of its edges where these are
// not its own: what its arcs name, whatever programs read of them, and its own
// where a model adds loops.
func (d *division) names(at seat, end program.Map) []int32 {
	vs := d.arcsName(at, end)
	if d.Has != nil || d.whole.NHat == nil {
		return vs
	}
	vs = append(vs, d.vertices(at.rank)...)
	slices.Sort(vs)
	return slices.Compact(vs)
}

// arcsName lists those that its arcs name.
func (d *division) arcsName(at seat, end program.Map) (vs []int32) {
	if d.Has != nil {
		for v := range int32(d.g.N) {
			if d.Has(at.rank, end, v) && d.copied(at.copy, v) {
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

// ends returns a rank's ends, or nil where they are its own vertices; own is the place
// of each vertex among these.
func (d *division) ends(at seat, end program.Map, own []int32) *program.Ends {
	if !d.spread(end) {
		return nil
	}
	names := d.names(at, end)
	e := &program.Ends{IDs: d.ids(names), HaloPtr: make([]int, d.Ranks+1), BoundaryPtr: make([]int, d.Ranks+1)}
	d.halo(e, at.rank, names, own)
	d.boundary(e, at, end, names, own)
	return e
}

// halo groups the ends of other ranks by owner.
func (d *division) halo(e *program.Ends, rank int, names, own []int32) {
	byOwner := make([][]int32, d.Ranks)
	e.From = make([]int32, len(names))
	for i, v := range names {
		if r := d.Vertex[v]; int(r) != rank {
			byOwner[r] = append(byOwner[r], int32(i))
		} else {
			e.From[i] = own[v]
		}
	}
	for r, ends := range byOwner {
		for _, i := range ends {
			e.From[i] = int32(-1 - len(e.Halo))
			e.Halo = append(e.Halo, i)
		}
		e.HaloPtr[r+1] = len(e.Halo)
	}
}

// boundary lists what other ranks need of this one's vertices, and who contributes
// to them: it does itself where it names them.
func (d *division) boundary(e *program.Ends, at seat, end program.Map, names, own []int32) {
	var of, part []int32 // who contributes what, rank by rank
	for q := range d.Ranks {
		theirs := names
		if q != at.rank {
			theirs = d.arcsName(seat{q, at.copy}, end)
		}
		for i, v := range theirs {
			switch mine := own[v]; {
			case mine < 0:
			case q == at.rank:
				of, part = append(of, mine), append(part, int32(i))
			default:
				of, part = append(of, mine), append(part, int32(-1-len(e.Boundary)))
				e.Boundary = append(e.Boundary, mine)
			}
		}
		e.BoundaryPtr[q+1] = len(e.Boundary)
	}
	e.PartPtr, e.Parts = grouped(of, part, len(d.vertices(at.rank)))
}

// grouped sorts parts by the row that they are of, and keeps the order of each row's.
func grouped(of, part []int32, rows int) (ptr []int64, out []int32) {
	ptr, out = make([]int64, rows+1), make([]int32, len(part))
	for _, i := range of {
		ptr[i+1]++
	}
	for i := range rows {
		ptr[i+1] += ptr[i]
	}
	next := slices.Clone(ptr)
	for k, i := range of {
		out[next[i]] = part[k]
		next[i]++
	}
	return ptr, out
}
