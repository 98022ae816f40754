package program

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// HeadDot is the dot product of two rows per head:
// s[i, h] = Σ_c x[i, h·f+c] · y[i, h·f+c].
type HeadDot struct{ Heads Dim }

func (o HeadDot) String() string { return fmt.Sprintf("HeadDot(%v)", o.Heads.Expr) }

// Shape: rows×(H·f) twice to rows×H.
func (o HeadDot) Shape(in []Type) (Type, error) {
	if err := arity(in, 2); err != nil {
		return Type{}, err
	}
	if _, err := heads(in[0].Cols, o.Heads.N); err != nil {
		return Type{}, err
	}
	return Type{Space: in[0].Space, Rows: in[0].Rows, Cols: o.Heads}, sameShape(in...)
}

// Cost: a product and an addition per element, a sum over a head deep.
func (o HeadDot) Cost(in []Type, out Type) cost.Cost {
	return cost.Cost{
		Work:  cost.Scale(2, in[0].size()),
		Depth: cost.Add(cost.Int(1), cost.Log2(headCols(in[0].Cols, o.Heads))),
		Bytes: cost.Add(bytes(in...), bytes(out)),
	}
}

// Grad: ∂x = y scaled by ∂s, ∂y = x scaled by ∂s.
func (o HeadDot) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return []Value{b.HeadScale(in[1], dy), b.HeadScale(in[0], dy)}
}

// OfColumns has a rank's heads, where columns are cut between heads.
func (o HeadDot) OfColumns(_ Dim, at Place) Op {
	return HeadDot{at.heads(o.Heads)}
}

// heads is how many of some heads the rank has: all where they cannot be shared out.
func (p Place) heads(heads Dim) Dim {
	if !atHeads(p.Ranks, heads.N) {
		return heads
	}
	return p.Share(heads)
}

// Split: rows keep rows; columns cut between heads keep columns, columns cut
// inside a head give partial sums.
func (o HeadDot) Split(s Split) (Placement, error) {
	if s.all(Columns, Whole) && !s.all(Whole) {
		if atHeads(s.Ranks, o.Heads.N) {
			return Placement{Kind: Columns}, nil
		}
		if o.Heads.N == 1 {
			return Placement{Partial, Sum}, nil
		}
		return s.refuse(0, "columns are cut inside heads")
	}
	return s.linear(0)
}

// Reference is the definition.
func (o HeadDot) Reference(_ *RefExec, in []Dense) Dense {
	s := NewDense(in[0].Rows, o.Heads.N)
	f := in[0].Cols / o.Heads.N
	for i := range s.Rows {
		for j, x := range in[0].Row(i) {
			s.Data[i*s.Cols+j/f] += x * in[1].At(i, j)
		}
	}
	return s
}

// Run multiplies and adds.
func (o HeadDot) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.HeadDot(x.Ctx, in[0], in[1], out)
}

// HeadDot is the dot product of x and y per head.
func (b *Builder) HeadDot(x, y Value, heads Dim) Value { return b.Add(HeadDot{heads}, x, y) }
