package program

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// HeadSum adds the heads of each row: y[i, c] = Σ_h x[i, h·f+c]. With a Scale by
// 1/H it is the mean over heads of an attention's last layer.
type HeadSum struct{ Heads Dim }

func (o HeadSum) String() string { return fmt.Sprintf("HeadSum(%v)", o.Heads.Expr) }

// Shape: rows×(H·f) to rows×f.
func (o HeadSum) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	f, err := heads(in[0].Cols, o.Heads.N)
	if err != nil {
		return Type{}, err
	}
	t := in[0]
	t.Cols = Dim{f, headCols(in[0].Cols, o.Heads)}
	return t, nil
}

// headCols is the symbolic width of a head.
func headCols(cols, heads Dim) cost.Expr { return cost.CeilDiv(cols.Expr, heads.Expr) }

// Cost: one addition per element of x.
func (o HeadSum) Cost(in []Type, out Type) cost.Cost {
	return cost.Cost{Work: in[0].size(), Depth: cost.Log2(o.Heads.Expr), Bytes: bytes(in[0], out)}
}

// Grad gives every head dy.
func (o HeadSum) Grad(b *Builder, _ []Value, _, dy Value) []Value {
	return []Value{b.Add(HeadRepeat(o), dy)}
}

// Split is row-wise; it is linear.
func (o HeadSum) Split(s Split) (Placement, error) { return s.linearRows() }

// Reference is the definition.
func (o HeadSum) Reference(_ *RefExec, in []Dense) Dense {
	y := NewDense(in[0].Rows, in[0].Cols/o.Heads.N)
	for i := range y.Rows {
		for j, x := range in[0].Row(i) {
			y.Data[i*y.Cols+j%y.Cols] += x
		}
	}
	return y
}

// Run adds.
func (o HeadSum) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.HeadSum(x.Ctx, in[0], out)
}

// HeadRepeat gives every head the same columns: y[i, h·f+c] = x[i, c].
type HeadRepeat struct{ Heads Dim }

func (o HeadRepeat) String() string { return fmt.Sprintf("HeadRepeat(%v)", o.Heads.Expr) }

// Shape: rows×f to rows×(H·f).
func (o HeadRepeat) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	if o.Heads.N < 1 {
		return Type{}, fmt.Errorf("%d heads, want at least 1", o.Heads.N)
	}
	t := in[0]
	t.Cols = t.Cols.Times(o.Heads)
	return t, nil
}

// Cost: moves only.
func (o HeadRepeat) Cost(in []Type, out Type) cost.Cost { return moves(in, out) }

// Grad adds the heads.
func (o HeadRepeat) Grad(b *Builder, _ []Value, _, dy Value) []Value {
	return []Value{b.Add(HeadSum(o), dy)}
}

// Split is row-wise; it is linear.
func (o HeadRepeat) Split(s Split) (Placement, error) { return s.linearRows() }

// Reference is the definition.
func (o HeadRepeat) Reference(_ *RefExec, in []Dense) Dense {
	y := NewDense(in[0].Rows, in[0].Cols*o.Heads.N)
	for i := range y.Rows {
		for j := range y.Cols {
			y.Set(i, j, in[0].At(i, j%in[0].Cols))
		}
	}
	return y
}

// Run copies.
func (o HeadRepeat) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.HeadRepeat(x.Ctx, in[0], out)
}

// HeadMean averages the heads of each row.
func (b *Builder) HeadMean(x Value, heads Dim) Value {
	if heads.N == 1 {
		return x
	}
	return b.Scale(b.Add(HeadSum{heads}, x), 1/float32(heads.N))
}
