package program

import (
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// BySource is the part of a sum at the sources of a rank's edges that goes to other
// ranks, or the part that is the rank's own: its rows are the halo's, or those of its
// vertices, and so are those that it reads at sources. No row is split, so that both
// have the bits of the whole.
type BySource struct {
	afterGrad
	Of   Op
	Half Half
}

// Half says which sources of a rank's edges are meant.
type Half int

// The halves.
const (
	AllSources  Half = iota
	OwnSources       // the rank's vertices
	HaloSources      // those of other ranks
)

func (h Half) String() string {
	return [...]string{AllSources: "all sources", OwnSources: "own sources", HaloSources: "the halo"}[h]
}

func (o BySource) String() string { return fmt.Sprintf("%v of %v", o.Of, o.Half) }

// space is that of the rows.
func (o BySource) space() Space {
	return [...]Space{AllSources: Sources, OwnSources: Vertices, HaloSources: SourceHalo}[o.Half]
}

// atSource reports whether an operand is read at sources.
func atSource(op Op, operand int) bool {
	end, ok := readsAt(op, operand)
	return ok && end == Src
}

// whole returns the types of the operands of the whole sum.
func (o BySource) whole(in []Type) ([]Type, error) {
	out := make([]Type, len(in))
	for j, t := range in {
		if out[j] = t; atSource(o.Of, j) {
			if err := wantSpace(t, o.space()); err != nil {
				return nil, err
			}
			out[j].Space = Sources
		}
	}
	return out, nil
}

// Shape is that of the whole, with its rows.
func (o BySource) Shape(in []Type) (Type, error) {
	types, err := o.whole(in)
	if err != nil {
		return Type{}, err
	}
	t, err := o.Of.Shape(types)
	if err == nil {
		err = wantSpace(t, Sources)
	}
	t.Space = o.space()
	return t, err
}

// symBorrowed is how many of a rank's edges come from others' vertices.
var symBorrowed = cost.Sym("m_src")

// Cost is the whole's at the sizes of the part.
func (o BySource) Cost(in []Type, out Type) cost.Cost {
	types, err := o.whole(in)
	if err != nil {
		panic(err) // Shape was checked when the node was made
	}
	out.Space = Sources
	c := o.Of.Cost(types, out)
	sizes := map[string]cost.Expr{"n_src": symN, "m": cost.Sub(symM, symBorrowed), "m̂": cost.Sub(symMHat, symBorrowed)}
	if o.Half == HaloSources {
		sizes = map[string]cost.Expr{"n_src": SourceHalo.rows(), "m": symBorrowed, "ℓ": cost.Int(0), "m̂": symBorrowed}
	}
	c.Work, c.Bytes = c.Work.Subst(sizes), c.Bytes.Subst(sizes)
	return c
}

// Reference of a single rank has no halo.
func (o BySource) Reference(x *RefExec, in []Dense) Dense {
	if o.Half == HaloSources {
		return NewDense(0, o.Of.Reference(x, in).Cols)
	}
	return o.Of.Reference(x, in)
}

// Run sums over the edges out of the part's sources.
func (o BySource) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	part := &x.Rank.part
	*part = *x
	part.N, part.NHat = x.Rank.EdgesOut(x.N, o.Half), x.Rank.EdgesOut(x.NHat, o.Half)
	o.Of.Run(part, in, out)
}

// Gathers are those of the whole, of the part's rows.
func (o BySource) Gathers() []Gather {
	all := slices.Clone(GathersOf(o.Of))
	for i := range all {
		all[i].Half = o.Half
	}
	return all
}

// halfOf is half of the edges of a block.
type halfOf struct {
	block *graph.Block
	half  Half
}

// EdgesOut returns the edges of a block of the rank out of some sources, which are
// numbered as rows of the half.
//
// Contract: as [graph.Block.OutOf]. Made once; nil for nil.
func (s *Share) EdgesOut(b *graph.Block, half Half) *graph.Block {
	key := halfOf{b, half}
	if out, ok := s.out[key]; ok || b == nil {
		return out
	}
	lo, hi := 0, len(s.Own)
	if half == HaloSources {
		lo, hi = hi, len(s.Sources.IDs)
	}
	if s.out == nil {
		s.out = map[halfOf]*graph.Block{}
	}
	s.out[key] = b.OutOf(lo, hi)
	return s.out[key]
}
