package program

import (
	"math"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// L2Normalize scales every row to length one: y_i = x_i / max(‖x_i‖₂, 10⁻¹²),
// so that a zero row stays zero (GraphSAGE 1706.02216, Algorithm 1, line 7).
type L2Normalize struct{}

func (L2Normalize) String() string { return "L2Normalize" }

// Shape keeps the shape.
func (L2Normalize) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	return in[0], nil
}

// Cost: square, add and scale every element; a root, a maximum and a
// reciprocal per row.
func (L2Normalize) Cost(in []Type, out Type) cost.Cost { return perRow(3, 3, 5, in, out) }

// perRow is the cost of row-wise ops that reduce over a row's columns once.
func perRow(element, row, depth int64, in []Type, out Type) cost.Cost {
	c := elementwise(element, depth, in, out)
	c.Work = cost.Add(c.Work, cost.Scale(row, out.rows()))
	c.Depth = cost.Add(c.Depth, cost.Log2(out.Cols.Expr))
	return c
}

// Grad: ∂x = (∂y − y⟨y, ∂y⟩)/‖x‖; where the length was raised to 10⁻¹², ∂y/10⁻¹².
func (L2Normalize) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return []Value{b.Add(L2NormalizeGrad{}, in[0], dy)}
}

// Split is row-wise: a row's length needs all its columns.
func (L2Normalize) Split(s Split) (Placement, error) { return s.rowwise() }

const minNorm = 1e-12

func refNorm(row []float64) float64 {
	s := 0.0
	for _, x := range row {
		s += x * x
	}
	return max(math.Sqrt(s), minNorm)
}

// Reference is the definition.
func (L2Normalize) Reference(_ *RefExec, in []Dense) Dense {
	y := in[0].like()
	for i := range y.Rows {
		n := refNorm(in[0].Row(i))
		for j, x := range in[0].Row(i) {
			y.Set(i, j, x/n)
		}
	}
	return y
}

// Run normalises.
func (L2Normalize) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.Normalize(x.Ctx, minNorm, in[0], out)
}

// L2NormalizeGrad is the gradient of L2Normalize from x and ∂y.
type L2NormalizeGrad struct{}

func (L2NormalizeGrad) String() string { return "L2Normalize'" }

// Shape keeps the shape.
func (L2NormalizeGrad) Shape(in []Type) (Type, error) {
	if err := arity(in, 2); err != nil {
		return Type{}, err
	}
	return in[0], sameShape(in...)
}

// Cost: the length again (2 per element), ⟨x, ∂y⟩ (2) and the combination (3);
// five operations per row.
func (L2NormalizeGrad) Cost(in []Type, out Type) cost.Cost { return perRow(7, 5, 8, in, out) }

// Grad: no model needs the second derivative of a normalisation.
func (L2NormalizeGrad) Grad(b *Builder, _ []Value, _, _ Value) []Value {
	b.fail("L2Normalize has no second derivative")
	return []Value{None, None}
}

// Split is row-wise.
func (L2NormalizeGrad) Split(s Split) (Placement, error) { return s.rowwise() }

// Reference is the definition.
func (L2NormalizeGrad) Reference(_ *RefExec, in []Dense) Dense {
	x, g, out := in[0], in[1], in[0].like()
	for i := range out.Rows {
		n, dot := refNorm(x.Row(i)), 0.0
		if n > minNorm {
			for j := range out.Cols {
				dot += x.At(i, j) * g.At(i, j) / (n * n)
			}
		}
		for j := range out.Cols {
			out.Set(i, j, (g.At(i, j)-x.At(i, j)*dot)/n)
		}
	}
	return out
}

// Run projects.
func (L2NormalizeGrad) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.NormalizeGrad(x.Ctx, minNorm, in[0], in[1], out)
}

// L2Normalize scales every row to length one.
func (b *Builder) L2Normalize(x Value) Value { return b.Add(L2Normalize{}, x) }
