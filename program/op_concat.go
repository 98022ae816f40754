package program

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// Concat puts rows side by side: y_i = (a_i ‖ b_i).
type Concat struct{}

func (Concat) String() string { return "Concat" }

// Shape: rows×a and rows×b to rows×(a+b).
func (Concat) Shape(in []Type) (Type, error) {
	if err := arity(in, 2); err != nil {
		return Type{}, err
	}
	t := in[0]
	t.Cols = in[0].Cols.Plus(in[1].Cols)
	return t, sameRows(in...)
}

// Cost: moves only.
func (Concat) Cost(in []Type, out Type) cost.Cost { return moves(in, out) }

// Grad slices dy.
func (Concat) Grad(b *Builder, in []Value, _, dy Value) []Value {
	l, r := b.Type(in[0]).Cols, b.Type(in[1]).Cols
	return []Value{b.Add(Slice{From: Cols(0), Width: l}, dy), b.Add(Slice{From: l, Width: r}, dy)}
}

// Split is row-wise.
func (Concat) Split(s Split) (Placement, error) { return s.rowwise() }

// Reference copies.
func (Concat) Reference(_ *RefExec, in []Dense) Dense {
	y := NewDense(in[0].Rows, in[0].Cols+in[1].Cols)
	for i := range y.Rows {
		copy(y.Row(i), in[0].Row(i))
		copy(y.Row(i)[in[0].Cols:], in[1].Row(i))
	}
	return y
}

// Run copies.
func (Concat) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.Concat(x.Ctx, in, out)
}

// Slice takes Width columns from column From on.
type Slice struct{ From, Width Dim }

func (o Slice) String() string { return fmt.Sprintf("Slice(%v, %v)", o.From.Expr, o.Width.Expr) }

// Shape: rows×c to rows×Width.
func (o Slice) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	if o.From.N < 0 || o.Width.N < 0 || o.From.N+o.Width.N > in[0].Cols.N {
		return Type{}, fmt.Errorf("columns %d to %d of %d", o.From.N, o.From.N+o.Width.N, in[0].Cols.N)
	}
	t := in[0]
	t.Cols = o.Width
	return t, nil
}

// Cost: moves only what is taken.
func (o Slice) Cost(_ []Type, out Type) cost.Cost { return moves([]Type{out}, out) }

// Grad pads dy with zeros on both sides.
func (o Slice) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return []Value{b.Add(Pad{o.From, b.Type(in[0]).Cols}, dy)}
}

// Split is row-wise; it is linear.
func (o Slice) Split(s Split) (Placement, error) { return s.linearRows() }

// Reference copies.
func (o Slice) Reference(_ *RefExec, in []Dense) Dense {
	y := NewDense(in[0].Rows, o.Width.N)
	for i := range y.Rows {
		copy(y.Row(i), in[0].Row(i)[o.From.N:])
	}
	return y
}

// Run copies.
func (o Slice) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.Slice(x.Ctx, in[0], o.From.N, out)
}

// Pad places rows at column From of rows that are otherwise zero.
type Pad struct{ From, Width Dim }

func (o Pad) String() string { return fmt.Sprintf("Pad(%v, %v)", o.From.Expr, o.Width.Expr) }

// Shape: rows×c to rows×Width.
func (o Pad) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	if o.From.N < 0 || o.From.N+in[0].Cols.N > o.Width.N {
		return Type{}, fmt.Errorf("%d columns at %d do not fit %d", in[0].Cols.N, o.From.N, o.Width.N)
	}
	t := in[0]
	t.Cols = o.Width
	return t, nil
}

// Cost: moves only.
func (o Pad) Cost(in []Type, out Type) cost.Cost { return moves(in, out) }

// Grad slices dy.
func (o Pad) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return []Value{b.Add(Slice{o.From, b.Type(in[0]).Cols}, dy)}
}

// Split is row-wise; it is linear.
func (o Pad) Split(s Split) (Placement, error) { return s.linearRows() }

// Reference copies.
func (o Pad) Reference(_ *RefExec, in []Dense) Dense {
	y := NewDense(in[0].Rows, o.Width.N)
	for i := range y.Rows {
		copy(y.Row(i)[o.From.N:], in[0].Row(i))
	}
	return y
}

// Run copies.
func (o Pad) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.Unslice(x.Ctx, in[0], o.From.N, out)
}

// Concat puts the rows of x and y side by side.
func (b *Builder) Concat(x, y Value) Value { return b.Add(Concat{}, x, y) }
