package program_test

import (
	"math"
	"slices"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/rng"
	. "github.com/weft-gnn/weft/program"
)

// axis is one mesh axis in a world: who owns what. A rank sees all vertices and
// graphs by their global numbers, the values of those that it lacks being NaN,
// and its own edges and entries, numbered through.
type axis struct {
	world
	x     RefExec // the whole
	ranks int
	owner Owner
	rows  map[Space][]int // the owner of each row; −1 where every rank has it
	has   map[int][]bool  // the vertices a rank has with its halo
}

func newAxis(w world, ranks int, owner Owner, x RefExec, s *rng.Stream) *axis {
	a := &axis{world: w, x: x, ranks: ranks, owner: owner, rows: map[Space][]int{}, has: map[int][]bool{}}
	pick := func(n int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = int(s.Uint32n(uint32(ranks)))
		}
		return out
	}
	a.rows[Vertices], a.rows[Graphs] = pick(w.N.Dst), pick(len(w.N.Graphs)-1)
	a.rows[Edges], a.rows[LoopEdges] = a.edgeOwners(w.N, pick), a.edgeOwners(w.NHat, pick)
	a.rows[Entries] = make([]int, w.X.Edges())
	for e, v := range ends(w.X, Dst) {
		a.rows[Entries][e] = a.rows[Vertices][v]
		if owner == AllEdges {
			a.rows[Entries][e] = -1
		}
	}
	for r := range ranks {
		a.has[r] = a.halo(r)
	}
	return a
}

// edgeOwners returns who has each edge of a block.
func (a *axis) edgeOwners(b *graph.Block, pick func(int) []int) []int {
	out := pick(b.Edges())
	dst, src := ends(b, Dst), ends(b, Src)
	for e := range out {
		switch a.owner {
		case ByDst:
			out[e] = a.rows[Vertices][dst[e]]
		case BySrc:
			out[e] = a.rows[Vertices][src[e]]
		case AllEdges:
			out[e] = -1
		}
	}
	return out
}

// ends returns one end of each edge of a block.
func ends(b *graph.Block, end Map) []int32 {
	if end == Src {
		return b.Col
	}
	out := make([]int32, b.Edges())
	for v := range b.Dst {
		for e := b.Ptr[v]; e < b.Ptr[v+1]; e++ {
			out[e] = int32(v)
		}
	}
	return out
}

// halo marks the vertices that a rank owns or that its edges name.
func (a *axis) halo(r int) []bool {
	has := make([]bool, a.N.Dst)
	for v, o := range a.rows[Vertices] {
		has[v] = o == r
	}
	for _, s := range []Space{Edges, LoopEdges} {
		b := a.x.Block(s)
		dst := ends(b, Dst)
		for e, o := range a.rows[s] {
			if o == r || o < 0 {
				has[dst[e]], has[b.Col[e]] = true, true
			}
		}
	}
	return has
}

// numbered are spaces whose rows a rank numbers through; of the others it has
// all rows, filled with NaN where they are not its own.
func numbered(s Space) bool { return s.IsEdges() || s == Entries }

// local returns the rows of a space that rank r has when they are placed Rows.
func (a *axis) local(r int, s Space) []int {
	var out []int
	for i, o := range a.rows[s] {
		if o == r || o < 0 {
			out = append(out, i)
		}
	}
	return out
}

// exec returns what references need on rank r: its edges, and its targets.
func (a *axis) exec(r int, targets Placement, of Space) *RefExec {
	x := a.x
	x.N, x.NHat, x.X = a.piece(r, Edges, a.N), a.piece(r, LoopEdges, a.NHat), a.piece(r, Entries, a.X)
	if spread := targets.Kind == Rows || targets.Kind == Halo; spread && (of == Vertices || of == Graphs) {
		x.Target.Rows = slices.DeleteFunc(slices.Clone(x.Target.Rows), func(i int32) bool { return a.rows[of][i] != r })
	}
	return &x
}

// piece returns the part of a block that rank r has: all vertices, its edges,
// which keep their identities.
func (a *axis) piece(r int, s Space, b *graph.Block) *graph.Block {
	p := &graph.Block{Dst: b.Dst, Src: b.Src, Ptr: make([]int64, b.Dst+1), Vertex: b.Vertex, Graphs: b.Graphs}
	ids := []int64{}
	for v := range b.Dst {
		for e := b.Ptr[v]; e < b.Ptr[v+1]; e++ {
			if o := a.rows[s][e]; o != r && o >= 0 {
				continue
			}
			id := e
			if of := b.Identities(); of != nil {
				id = of[e]
			}
			p.Col, ids = append(p.Col, b.Col[e]), append(ids, id)
			if b.Weight != nil {
				p.Weight = append(p.Weight, b.Weight[e])
			}
		}
		p.Ptr[v+1] = int64(len(p.Col))
	}
	p.Identify(ids)
	return p
}

// compact restricts an exec to the vertices that rank r owns, for ops that
// reduce over rows: a rank reduces the rows it owns.
func (a *axis) compact(r int, x *RefExec) *RefExec {
	own := a.local(r, Vertices)
	y := *x
	y.N = &graph.Block{Dst: len(own), Src: len(own), Ptr: make([]int64, len(own)+1), Graphs: make([]int64, len(a.N.Graphs))}
	for g, end := range a.N.Graphs {
		for _, v := range own {
			if int64(v) < end {
				y.N.Graphs[g]++
			}
		}
	}
	y.X = &graph.Block{Dst: len(own), Src: x.X.Src, Ptr: make([]int64, 1), Col: x.X.Col}
	for _, v := range own {
		y.X.Ptr = append(y.X.Ptr, x.X.Ptr[v+1])
	}
	return &y
}

// columns returns the range of columns that rank r has when n are split evenly.
func (a *axis) columns(r, n int) (lo, hi int) { return r * n / a.ranks, (r + 1) * n / a.ranks }

// at returns the operand that rank r has of a whole value placed as p says;
// shares holds the contributions where it is partial.
func (a *axis) at(r int, t Type, d Dense, p Placement, shares []Dense) Dense {
	switch p.Kind {
	case Rows, Halo:
		return a.rowsAt(r, t, d, p.Kind)
	case Columns:
		return sliceColumns(d, a.columns, r)
	case Partial:
		return shares[r]
	}
	return d
}

func (a *axis) rowsAt(r int, t Type, d Dense, k Kind) Dense {
	switch {
	case t.Space == One:
		lo, hi := a.columns(r, d.Rows)
		return pickRows(d, span(lo, hi))
	case numbered(t.Space):
		return pickRows(d, a.local(r, t.Space))
	}
	out := NewDense(d.Rows, d.Cols)
	for i := range d.Rows {
		if a.rows[t.Space][i] == r || k == Halo && a.has[r][i] {
			copy(out.Row(i), d.Row(i))
		} else {
			fill(out.Row(i), math.NaN())
		}
	}
	return out
}

func fill(row []float64, v float64) {
	for j := range row {
		row[j] = v
	}
}

func span(lo, hi int) []int {
	var out []int
	for i := lo; i < hi; i++ {
		out = append(out, i)
	}
	return out
}

func pickRows(d Dense, rows []int) Dense {
	out := NewDense(len(rows), d.Cols)
	for i, r := range rows {
		copy(out.Row(i), d.Row(r))
	}
	return out
}

func sliceColumns(d Dense, columns func(r, n int) (int, int), r int) Dense {
	lo, hi := columns(r, d.Cols)
	out := NewDense(d.Rows, hi-lo)
	for i := range d.Rows {
		copy(out.Row(i), d.Row(i)[lo:hi])
	}
	return out
}

// shares splits a value into contributions to ⊕, some of which are ⊕'s identity.
func (a *axis) shares(d Dense, of Reduction, s *rng.Stream) []Dense {
	out := make([]Dense, a.ranks)
	for r := range out {
		out[r] = NewDense(d.Rows, d.Cols)
	}
	sign := 1.0
	if of == Min {
		sign = -1
	}
	for i, v := range d.Data {
		holder, rest := int(s.Uint32n(uint32(a.ranks))), v
		for r := range out {
			switch {
			case r == holder:
			case of == Sum && s.Uint32()&1 == 0:
				out[r].Data[i] = s.Normal()
				rest -= out[r].Data[i]
			case of == Sum:
			case s.Uint32()&1 == 0:
				out[r].Data[i] = v - sign*s.Float64()
			default:
				out[r].Data[i] = math.Inf(-int(sign))
			}
		}
		out[holder].Data[i] = rest
	}
	return out
}

// gather puts the results of all ranks together as the placement says. It
// returns false where two ranks have different values of what is whole.
func (a *axis) gather(t Type, p Placement, parts []Dense) (Dense, bool) {
	switch p.Kind {
	case Rows:
		return a.gatherRows(t, parts), true
	case Columns:
		return a.gatherColumns(t, parts), true
	case Partial:
		return combine(p.Of, parts), true
	}
	for _, d := range parts[1:] {
		if apart(d, parts[0]) > float64Tolerance {
			return d, false
		}
	}
	return parts[0], true
}

func (a *axis) gatherRows(t Type, parts []Dense) Dense {
	if t.Space == One {
		out := Dense{Cols: parts[0].Cols}
		for _, d := range parts {
			out.Rows, out.Data = out.Rows+d.Rows, append(out.Data, d.Data...)
		}
		return out
	}
	owners, next := a.rows[t.Space], make([]int, a.ranks)
	out := NewDense(len(owners), parts[0].Cols)
	for i, r := range owners {
		from := i
		if numbered(t.Space) {
			from = next[r]
			next[r]++
		}
		copy(out.Row(i), parts[r].Row(from))
	}
	return out
}

func (a *axis) gatherColumns(t Type, parts []Dense) Dense {
	out := NewDense(parts[0].Rows, t.Cols.N)
	for r, d := range parts {
		lo, _ := a.columns(r, t.Cols.N)
		for i := range d.Rows {
			copy(out.Row(i)[lo:], d.Row(i))
		}
	}
	return out
}

// combine reduces contributions in rank order.
func combine(of Reduction, parts []Dense) Dense {
	out := NewDense(parts[0].Rows, parts[0].Cols)
	copy(out.Data, parts[0].Data)
	for _, d := range parts[1:] {
		for i, v := range d.Data {
			switch of {
			case Sum:
				out.Data[i] += v
			case Max:
				out.Data[i] = max(out.Data[i], v)
			case Min:
				out.Data[i] = min(out.Data[i], v)
			}
		}
	}
	for i, v := range out.Data {
		if math.IsInf(v, 0) { // no rank had a contribution
			out.Data[i] = 0
		}
	}
	return out
}
