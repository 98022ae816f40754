package program

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// MatMul multiplies rows by a matrix: Y = X·W, or Y = X·Wᵀ.
type MatMul struct{ Transposed bool }

func (o MatMul) String() string {
	if o.Transposed {
		return "MatMul(xWᵀ)"
	}
	return "MatMul(xW)"
}

// Shape: rows×a, which may be stored in bfloat16, and a×b to rows×b; transposed,
// rows×b and a×b to rows×a.
func (o MatMul) Shape(in []Type) (Type, error) {
	if err := arity(in, 2, 0); err != nil {
		return Type{}, err
	}
	x, w := in[0], in[1]
	inner, outer := w.Rows, w.Cols
	if o.Transposed {
		inner, outer = outer, inner
	}
	if w.Space != One || x.Cols.N != inner.N {
		return Type{}, fmt.Errorf("%v does not multiply %v", x, w)
	}
	return Type{Space: x.Space, Rows: x.Rows, Cols: outer}, nil
}

// Cost: 2·rows·a·b scalar operations, a sum of a products deep.
func (o MatMul) Cost(in []Type, out Type) cost.Cost {
	return cost.Cost{
		Work:  cost.Scale(2, cost.Mul(out.rows(), in[0].Cols.Expr, out.Cols.Expr)),
		Depth: cost.Add(cost.Int(1), cost.Log2(in[0].Cols.Expr)),
		Bytes: bytes(in[0], in[1], out),
	}
}

// Grad: ∂X = ∂Y·Wᵀ, ∂W = Xᵀ·∂Y.
func (o MatMul) Grad(b *Builder, in []Value, _, dy Value) []Value {
	x, w := in[0], in[1]
	dx := b.Add(MatMul{!o.Transposed}, dy, w)
	if o.Transposed {
		return []Value{dx, b.MatMulT(dy, x)}
	}
	return []Value{dx, b.MatMulT(x, dy)}
}

// Split: x by rows with W whole keeps rows; W by columns gives columns; x by
// columns with W by rows gives a partial sum. Transposed, W's rows and columns
// change places.
func (o MatMul) Split(s Split) (Placement, error) {
	inner, outer := Rows, Columns
	if o.Transposed {
		inner, outer = outer, inner
	}
	partial := Placement{Partial, Sum}
	switch x, w := s.In[0], s.In[1].Kind; {
	case w == Whole && x == partial:
		return partial, nil
	case w == Whole && x.Kind == Columns:
		return s.refuse(0, "the matrix is whole: split it too, or make the rows whole")
	case w == Whole:
		return s.rowwise()
	case w == outer && x.Kind == Whole:
		return Placement{Kind: Columns}, nil
	case w == inner && x.Kind == Columns:
		return partial, nil
	}
	return s.refuse(1, fmt.Sprintf("rows that are %v do not multiply it", s.In[0]))
}

// Reference is the definition.
func (o MatMul) Reference(_ *RefExec, in []Dense) Dense {
	x, w := in[0], in[1]
	if o.Transposed {
		w = transpose(w)
	}
	y := NewDense(x.Rows, w.Cols)
	for i := range y.Rows {
		for j := range y.Cols {
			for a := range x.Cols {
				y.Data[i*y.Cols+j] += x.At(i, a) * w.At(a, j)
			}
		}
	}
	return y
}

func transpose(d Dense) Dense {
	t := NewDense(d.Cols, d.Rows)
	for i := range d.Rows {
		for j := range d.Cols {
			t.Set(j, i, d.At(i, j))
		}
	}
	return t
}

// Run multiplies.
func (o MatMul) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	if o.Transposed {
		kernel.MatMulNT(x.Ctx, in[0], in[1], out)
		return
	}
	kernel.MatMul(x.Ctx, in[0], in[1], out)
}

// MatMul multiplies rows by a parameter.
func (b *Builder) MatMul(x, w Value) Value { return b.Add(MatMul{}, x, w) }

// Linear multiplies rows by a new parameter "weight" (Glorot): Y = X·W.
func (b *Builder) Linear(x Value, out Dim) Value { return b.LinearNamed("weight", x, out) }

// LinearNamed is Linear for layers with more than one weight.
func (b *Builder) LinearNamed(name string, x Value, out Dim) Value {
	return b.MatMul(x, b.Param(name, b.Type(x).Cols, out, Glorot))
}

// Affine is Linear and a new bias: Y = X·W + b.
func (b *Builder) Affine(x Value, out Dim) Value {
	return b.AddBias(b.Linear(x, out), b.Bias("bias", out))
}
