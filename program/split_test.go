package program_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/internal/graphcase"
	"github.com/weft-gnn/weft/internal/rng"
	. "github.com/weft-gnn/weft/program"
)

// noRow marks in an index that no row is selected, as references do.
const noRow = float64(math.MaxUint32)

// trial is one op with its operands on an axis, in one placement.
type trial struct {
	*axis
	c      opCase
	split  Split
	in     []Dense   // whole
	shares [][]Dense // of partial operands
}

// owners and placements are all there are.
var (
	owners     = []Owner{ByDst, BySrc, Free, AllEdges}
	placements = []Placement{{Kind: Whole}, {Kind: Rows}, {Kind: Columns}, {Kind: Halo},
		{Kind: Partial, Of: Sum}, {Kind: Partial, Of: Max}, {Kind: Partial, Of: Min}}
)

// possible reports whether an operand can lie so: edges and entries are whole
// where every rank has all edges and lie with their owner elsewhere; a halo is
// of vertices; an index of local rows has its winners there.
func possible(o operand, p Placement, owner Owner) bool {
	switch {
	case o.arg != nil:
		return possibleIndex(*o.arg, p, owner)
	case numbered(o.Space) && owner != AllEdges:
		return p.Kind == Rows
	case numbered(o.Space):
		return p.Kind == Whole || p.Kind == Partial || p.Kind == Columns
	}
	return p.Kind != Halo || o.Space == Vertices
}

func possibleIndex(arg ArgSelect, p Placement, owner Owner) bool {
	switch {
	case p.Kind == Partial:
		return (p.Of == arg.Of || p.Of == Sum) && (arg.Along == Member || owner != AllEdges)
	case arg.Along == Member:
		return p.Kind != Halo
	case owner == AllEdges:
		return p.Kind == Whole || p.Kind == Columns
	}
	return p.Kind == Rows && (arg.Along == Dst && owner == ByDst || arg.Along == Src && owner == BySrc)
}

// splitWorld is small, has loops, parallel edges, isolated vertices, weights and
// a batch of which one graph is empty.
func splitWorld(t testing.TB) world {
	c := graphcase.Case{Name: "split", N: 9,
		Src:    []int32{0, 1, 2, 2, 3, 4, 5, 5, 6, 1, 1, 0, 3, 7, 4},
		Dst:    []int32{1, 0, 0, 2, 2, 5, 4, 6, 1, 3, 3, 4, 3, 0, 0},
		Weight: []float32{1, 2, 0.5, 1, 1.5, 2, 1, 1, 3, 1, 0.25, 1, 1, 2, 1}}
	return newWorld(t, c)
}

// splitCases are the cases whose split rule is asked of the op.
func splitCases() []opCase {
	return slices.DeleteFunc(opCases(), func(c opCase) bool {
		_, leaf := c.op.(Leaf)
		return leaf || isEffect(c.op)
	})
}

// TestSplitRules runs every op on every possible placement of its operands, for
// every owner of the edges on 1 to 4 ranks. Where the rule accepts, each rank
// computes from what it has, and the results together are those of one rank;
// where it refuses, it names an operand and says why.
func TestSplitRules(t *testing.T) {
	w := splitWorld(t)
	for i, c := range splitCases() {
		t.Run(c.String(), func(t *testing.T) {
			r := newRun(t, c, w, uint64(i))
			r.ref.Target.Total = r.total()
			for ranks := 1; ranks <= 4; ranks++ {
				for _, owner := range owners {
					s := source(uint64(ranks))
					a := newAxis(w, ranks, owner, *r.ref, s)
					c.eachPlacement(owner, func(in []Placement) {
						tr := trial{axis: a, c: c, in: r.in, split: Split{Ranks: ranks, Edges: owner, In: in, Types: c.types(), Out: r.out}}
						tr.check(t, s)
					})
				}
			}
		})
	}
}

// eachPlacement calls f with every possible placement of the operands.
func (c opCase) eachPlacement(owner Owner, f func([]Placement)) {
	in := make([]Placement, len(c.in))
	var next func(i int)
	next = func(i int) {
		if i == len(in) {
			f(slices.Clone(in))
			return
		}
		for _, p := range placements {
			if possible(c.in[i], p, owner) {
				in[i] = p
				next(i + 1)
			}
		}
	}
	next(0)
}

func (tr trial) String() string {
	return fmt.Sprintf("%d ranks, edges %v, operands %v", tr.ranks, tr.owner, tr.split.In)
}

func (tr trial) check(t *testing.T, s *rng.Stream) {
	t.Helper()
	p, err := tr.c.op.Split(tr.split)
	if err != nil {
		if !namesOperand(err.Error(), tr.split.In) {
			t.Errorf("%v: refused without naming an operand and why: %v", tr, err)
		}
		return
	}
	if out := (operand{Type: tr.split.Out}); !out.Index && !possible(out, p, tr.owner) {
		t.Errorf("%v: the result cannot be %v", tr, p)
		return
	}
	tr.divide(s)
	parts := make([]Dense, tr.ranks)
	for r := range parts {
		parts[r] = tr.run(r)
	}
	got, same := tr.assemble(p, parts)
	want := tr.c.op.Reference(&tr.x, tr.in)
	if !same || apart(got, want) > float64Tolerance {
		t.Errorf("%v: the result %v is\n%v, want\n%v", tr, p, got, want)
	}
}

// namesOperand reports whether a refusal begins "operand i is placement: " and
// goes on.
func namesOperand(msg string, in []Placement) bool {
	for i, p := range in {
		if rest, ok := strings.CutPrefix(msg, fmt.Sprintf("operand %d is %v: ", i, p)); ok {
			return len(rest) > 10
		}
	}
	return false
}

// divide draws the contributions of partial operands.
func (tr *trial) divide(s *rng.Stream) {
	tr.shares = make([][]Dense, len(tr.in))
	for i, p := range tr.split.In {
		if p.Kind == Partial && !tr.c.in[i].Index {
			tr.shares[i] = tr.axis.shares(tr.in[i], p.Of, s)
		}
	}
}

// run computes the op on rank r.
func (tr *trial) run(r int) Dense {
	var targets Placement
	if len(tr.in) > 0 {
		targets = tr.split.In[0]
	}
	x := tr.exec(r, targets, tr.rowSpace())
	if _, ok := tr.c.op.(GraphCoef); ok {
		return tr.coefficients(r)
	}
	in := make([]Dense, len(tr.in))
	for i, o := range tr.c.in {
		if o.Index {
			in[i] = tr.indexAt(r, i)
		} else {
			in[i] = tr.at(r, o.Type, tr.in[i], tr.split.In[i], tr.shares[i])
		}
	}
	if tr.reducesRows() {
		x, in = tr.compact(r, x), tr.owned(r, in)
	}
	op := tr.localised(r)
	return op.Reference(x, tr.narrow(r, op, in))
}

func (tr *trial) rowSpace() Space {
	if len(tr.c.in) == 0 {
		return One
	}
	return tr.c.in[0].Space
}

// coefficients are those of the whole graph: a rank is given those of its rows.
func (tr *trial) coefficients(r int) Dense {
	whole := tr.c.op.Reference(&tr.x, nil)
	p, _ := tr.c.op.Split(tr.split)
	return tr.at(r, tr.split.Out, whole, p, nil)
}

// reducesRows reports whether the op reduces over rows that are spread.
func (tr *trial) reducesRows() bool {
	switch o := tr.c.op.(type) {
	case Aggregate:
		if o.Along != Member {
			return false
		}
	case ArgSelect:
		if o.Along != Member {
			return false
		}
	case ColumnSum, MatMulT, InnerProduct, HeadCombine, SparseMatMulT:
	default:
		return false
	}
	for i, p := range tr.split.In {
		if (p.Kind == Rows || p.Kind == Halo) && tr.c.in[i].Space != One {
			return true
		}
	}
	return false
}

// owned restricts rows of vertices and graphs to those that rank r owns.
func (tr *trial) owned(r int, in []Dense) []Dense {
	out := slices.Clone(in)
	for i, o := range tr.c.in {
		if o.Space == Vertices || o.Space == Graphs {
			out[i] = pickRows(in[i], tr.local(r, o.Space))
		}
	}
	return out
}

// localised returns the op with the heads that one rank has, where columns are
// cut between heads.
func (tr *trial) localised(r int) Op {
	cut := slices.ContainsFunc(tr.split.In, func(p Placement) bool { return p.Kind == Columns })
	part := func(h Dim) Dim {
		if cut && h.N%tr.ranks == 0 {
			return Cols(h.N / tr.ranks)
		}
		return h
	}
	switch o := tr.c.op.(type) {
	case HeadDot:
		return HeadDot{part(o.Heads)}
	case HeadProject:
		return HeadProject{part(o.Heads)}
	case EdgeDot:
		return EdgeDot{o.Over, part(o.Heads)}
	case Dropout:
		if cut {
			lo, _ := tr.columns(r, tr.split.Out.Cols.N)
			return o.At(lo)
		}
	case Tailed:
		if base, ok := o.Base.(Dropout); ok && cut {
			lo, _ := tr.columns(r, tr.split.Out.Cols.N)
			o.Base = base.At(lo)
		}
		return o
	case Extreme:
		at, _ := o.Split(tr.split)
		o.Open = at.Kind == Partial
		return o
	}
	return tr.c.op
}

// narrow takes out of whole operands the columns, or rows in One, that go with
// those of operands that are split, where the shapes ask for it.
func (tr *trial) narrow(r int, op Op, in []Dense) []Dense {
	if _, err := op.Shape(tr.localTypes(in)); err == nil {
		return in
	}
	out := slices.Clone(in)
	for i, p := range tr.split.In {
		t := tr.c.in[i].Type
		for j, q := range tr.split.In {
			u := tr.c.in[j].Type
			switch {
			case p.Kind != Whole:
			case q.Kind == Columns && u.Cols.N == t.Cols.N:
				out[i] = sliceColumns(in[i], tr.columns, r)
			case q.Kind == Rows && u.Space == One && t.Space == One && u.Rows.N == t.Rows.N:
				out[i] = tr.rowsAt(r, t, in[i], Rows)
			}
		}
	}
	return out
}

func (tr *trial) localTypes(in []Dense) []Type {
	types := tr.c.types()
	for i, d := range in {
		types[i].Cols = Cols(d.Cols)
		if types[i].Space == One {
			types[i].Rows = Cols(d.Rows)
		}
	}
	return types
}

// indexAt returns an index as rank r has it: in its own numbers.
func (tr *trial) indexAt(r, i int) Dense {
	p, arg := tr.split.In[i], *tr.c.in[i].arg
	if p.Kind == Partial && p.Of != Sum {
		return tr.winnersAt(r, arg, tr.x.Leaves[fmt.Sprintf("input.x%d", i)])
	}
	d := tr.at(r, tr.c.in[i].Type, tr.in[i], p, slices.Repeat([]Dense{tr.in[i]}, tr.ranks))
	at := map[float64]int{}
	for k, row := range tr.local(r, arg.Over) {
		at[float64(row)] = row
		if numbered(arg.Over) {
			at[float64(row)] = k
		}
	}
	out := NewDense(d.Rows, d.Cols)
	for k, v := range d.Data {
		here, ok := at[v]
		switch {
		case ok:
			out.Data[k] = float64(here)
		case math.IsNaN(v), numbered(arg.Over), p.Kind == Partial:
			out.Data[k] = noRow
		default:
			out.Data[k] = v
		}
	}
	return out
}

// winnersAt returns what arg selects among the rows that rank r has.
func (tr *trial) winnersAt(r int, arg ArgSelect, from Dense) Dense {
	x := tr.exec(r, Placement{}, One)
	own := []Dense{pickRows(from, tr.local(r, arg.Over))}
	if arg.Along == Member {
		return tr.globalIndex(r, arg.Reference(tr.compact(r, x), own), Vertices)
	}
	return arg.Reference(x, own)
}

// globalIndex renumbers an index of a rank's rows.
func (tr *trial) globalIndex(r int, d Dense, s Space) Dense {
	rows := tr.local(r, s)
	out := NewDense(d.Rows, d.Cols)
	for i, v := range d.Data {
		out.Data[i] = v
		if v != noRow {
			out.Data[i] = float64(rows[int(v)])
		}
	}
	return out
}

// assemble puts the ranks' results together.
func (tr *trial) assemble(p Placement, parts []Dense) (Dense, bool) {
	if o, ok := tr.c.op.(ArgSelect); ok {
		return tr.assembleIndex(o, p, parts)
	}
	return tr.gather(tr.split.Out, p, parts)
}

// assembleIndex puts indices together: of a partial one the winner is the row
// with the best value, the first of equal ones.
func (tr *trial) assembleIndex(o ArgSelect, p Placement, parts []Dense) (Dense, bool) {
	spread := tr.reducesRows() || numbered(o.Over) && tr.owner != AllEdges
	if spread {
		for r := range parts {
			parts[r] = tr.globalIndex(r, parts[r], o.Over)
		}
	}
	if p.Kind != Partial {
		return tr.gather(tr.split.Out, p, parts)
	}
	out := parts[0]
	for _, d := range parts[1:] {
		for i, v := range d.Data {
			if v != noRow && (out.Data[i] == noRow || tr.wins(o, v, out.Data[i], i%out.Cols)) {
				out.Data[i] = v
			}
		}
	}
	return out, p.Of == o.Of
}

func (tr *trial) wins(o ArgSelect, e, f float64, col int) bool {
	a, b := tr.in[0].At(int(e), col), tr.in[0].At(int(f), col)
	if o.Of == Min {
		a, b = -a, -b
	}
	return a > b || a == b && e < f
}
