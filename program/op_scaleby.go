package program

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// ScaleBy multiplies everything by one learned scalar, or by what it adds to a
// constant: Y = (Plus + s)·X.
type ScaleBy struct{ Plus float32 }

func (o ScaleBy) String() string {
	if o.Plus != 0 {
		return fmt.Sprintf("ScaleBy(%g + s)", o.Plus)
	}
	return "ScaleBy"
}

// Shape: rows×c and 1×1 to rows×c.
func (ScaleBy) Shape(in []Type) (Type, error) {
	if err := arity(in, 2); err != nil {
		return Type{}, err
	}
	return in[0], wantScalar(in[1])
}

// Cost: one product per element, and the factor's own sum.
func (o ScaleBy) Cost(in []Type, out Type) cost.Cost {
	return AddScaled(o).factor(elementwise(1, 1, in, out))
}

// Grad: ∂X = (Plus + s)·∂Y, ∂s = ⟨X, ∂Y⟩.
func (o ScaleBy) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return []Value{b.Add(o, dy, in[1]), b.Add(InnerProduct{}, in[0], dy)}
}

// Split: linear in the rows; the scalar is whole.
func (ScaleBy) Split(s Split) (Placement, error) {
	if s.In[1].Kind != Whole {
		return s.refuse(1, "the scalar is whole")
	}
	return s.linear(0)
}

// Reference is the definition.
func (o ScaleBy) Reference(_ *RefExec, in []Dense) Dense {
	y := in[0].like()
	for i, x := range in[0].Data {
		y.Data[i] = (float64(o.Plus) + in[1].Data[0]) * x
	}
	return y
}

// Over: the rows may be overwritten.
func (ScaleBy) Over() int { return 0 }

// Run multiplies.
func (o ScaleBy) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.ScaleBy(x.Ctx, o.Plus, in[1], in[0], out)
}

// InnerProduct is ⟨X, Y⟩ = Σ_ij x_ij·y_ij.
type InnerProduct struct{}

func (InnerProduct) String() string { return "InnerProduct" }

// Shape: rows×c twice to 1×1.
func (InnerProduct) Shape(in []Type) (Type, error) {
	if err := arity(in, 2); err != nil {
		return Type{}, err
	}
	return scalar(), sameShape(in...)
}

// Cost: a product and an addition per element, a sum over all of them deep.
func (InnerProduct) Cost(in []Type, out Type) cost.Cost {
	return cost.Cost{
		Work:  cost.Scale(2, in[0].size()),
		Depth: cost.Add(cost.Int(1), cost.Log2(in[0].size())),
		Bytes: cost.Add(bytes(in...), bytes(out)),
	}
}

// Grad: ∂X = ∂s·Y, ∂Y = ∂s·X.
func (InnerProduct) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return []Value{b.ScaleBy(in[1], dy), b.ScaleBy(in[0], dy)}
}

// Split: rows or columns that are spread give a partial sum.
func (InnerProduct) Split(s Split) (Placement, error) {
	out, err := s.reduceRows()
	if out.Kind == Columns {
		out = Placement{Partial, Sum}
	}
	return out, err
}

// Reference is the definition.
func (InnerProduct) Reference(_ *RefExec, in []Dense) Dense {
	s := NewDense(1, 1)
	for i, x := range in[0].Data {
		s.Data[0] += x * in[1].Data[i]
	}
	return s
}

// Run multiplies and adds in fixed pieces of rows.
func (InnerProduct) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.Dot(x.Ctx, in[0], in[1], out)
}

// CostOnto adds to Cost that the result is read.
func (o InnerProduct) CostOnto(in []Type, out Type) cost.Cost { return onto(o.Cost(in, out), out) }

// RunOnto multiplies and adds in fixed pieces of rows.
func (InnerProduct) RunOnto(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.DotOnto(x.Ctx, in[0], in[1], out)
}

// ScaleBy multiplies x by the scalar s.
func (b *Builder) ScaleBy(x, s Value) Value { return b.Add(ScaleBy{}, x, s) }

// ScaleByOnePlus multiplies x by 1 + s.
func (b *Builder) ScaleByOnePlus(x, s Value) Value { return b.Add(ScaleBy{Plus: 1}, x, s) }
