package program

import (
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// ColumnSum sums over rows: y_j = Σ_i x_ij, a bias's gradient.
type ColumnSum struct{}

func (ColumnSum) String() string { return "ColumnSum" }

// Shape: rows×c to 1×c.
func (ColumnSum) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	return row(in[0].Cols), nil
}

// Cost: one addition per element, a sum over the rows deep.
func (ColumnSum) Cost(in []Type, out Type) cost.Cost { return sumRows(1, in[0], in, out) }

// Grad: every row receives dy.
func (ColumnSum) Grad(b *Builder, in []Value, _, dy Value) []Value {
	t := b.Type(in[0])
	return []Value{b.Add(Expand{t.Space, t.Rows}, dy)}
}

// Split: rows give a partial sum.
func (ColumnSum) Split(s Split) (Placement, error) { return s.reduceRows() }

// Reference is the definition.
func (ColumnSum) Reference(_ *RefExec, in []Dense) Dense {
	y := NewDense(1, in[0].Cols)
	for i := range in[0].Rows {
		for j, a := range in[0].Row(i) {
			y.Data[j] += a
		}
	}
	return y
}

// Run sums in fixed pieces of rows.
func (ColumnSum) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.ColumnSum(x.Ctx, in[0], out)
}

// CostOnto adds to Cost that the result is read.
func (o ColumnSum) CostOnto(in []Type, out Type) cost.Cost { return onto(o.Cost(in, out), out) }

// RunOnto sums in fixed pieces of rows.
func (ColumnSum) RunOnto(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.ColumnSumOnto(x.Ctx, in[0], out)
}

// ColumnSum sums over rows.
func (b *Builder) ColumnSum(x Value) Value { return b.Add(ColumnSum{}, x) }
