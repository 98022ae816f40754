package program

import (
	"fmt"
	"math"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// CrossEntropy is the mean, over the t target rows, of the negative
// log-likelihood of their classes: −(1/t) Σ_i log softmax(x_i)[c_i]; 0 when
// there is no target. Rows whose class is missing count for nothing, but Cost
// takes it that the caller lists none.
type CrossEntropy struct{}

func (CrossEntropy) String() string { return "CrossEntropy" }

// Shape: rows×C to 1×1.
func (CrossEntropy) Shape(in []Type) (Type, error) { return lossShape(in) }

// lossShape is rows×c to 1×1, the rows being vertices or graphs.
func lossShape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	if in[0].Space != Vertices && in[0].Space != Graphs {
		return Type{}, fmt.Errorf("got %v, want vertices or graphs", in[0])
	}
	return scalar(), nil
}

// lossGradShape is rows×c and the loss's gradient to rows×c.
func lossGradShape(in []Type) (Type, error) {
	if err := arity(in, 2); err != nil {
		return Type{}, err
	}
	if _, err := lossShape(in[:1]); err != nil {
		return Type{}, err
	}
	return in[0], wantScalar(in[1])
}

// targetCost is the cost of perElement operations on every element of the
// target rows and perRow on each row.
func targetCost(perElement, perRow int64, cols Dim) cost.Expr {
	return cost.Add(cost.Scale(perElement, cost.Mul(symTarget, cols.Expr)), cost.Scale(perRow, symTarget))
}

// targetBytes is the traffic of the target rows: their values, the row index
// and the class, or one value per column.
func targetBytes(cols Dim, labels cost.Expr) cost.Expr {
	return cost.Scale(4, cost.Mul(symTarget, cost.Add(cols.Expr, labels, cost.Int(1))))
}

// Cost, per target row of C columns: max, subtract, exp, sum (4C), then log,
// pick-and-subtract, and the addition to the mean (3); one division.
func (CrossEntropy) Cost(in []Type, out Type) cost.Cost {
	c := in[0].Cols
	return cost.Cost{
		Work:  cost.Add(targetCost(4, 3, c), cost.Int(1)),
		Depth: cost.Add(cost.Int(4), cost.Scale(2, cost.Log2(c.Expr)), cost.Log2(symTarget)),
		Bytes: cost.Add(targetBytes(c, cost.Int(1)), bytes(out)),
	}
}

// Grad: ∂x_i = (softmax(x_i) − onehot(c_i))·∂loss/t on target rows, 0 elsewhere.
func (CrossEntropy) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return []Value{b.Add(CrossEntropyGrad{}, in[0], dy)}
}

// Split: target rows lie with their owners, so that the sum is partial.
func (CrossEntropy) Split(s Split) (Placement, error) { return s.loss() }

// loss is the rule of means over target rows: the mean's denominator is global.
func (s Split) loss() (Placement, error) {
	switch s.In[0].Kind {
	case Whole:
		return s.In[0], nil
	case Rows, Halo:
		return Placement{Partial, Sum}, nil
	}
	return s.refuse(0, "a loss reads whole rows")
}

// Reference is the definition.
func (CrossEntropy) Reference(x *RefExec, in []Dense) Dense {
	y, n := NewDense(1, 1), x.Target.classes()
	for _, i := range x.Target.Rows {
		if c := x.Target.Class[i]; c >= 0 {
			y.Data[0] -= math.Log(refSoftmax(in[0].Row(int(i)))[c]) / n
		}
	}
	return y
}

func refSoftmax(row []float64) []float64 {
	top, sum := math.Inf(-1), 0.0
	for _, a := range row {
		top = max(top, a)
	}
	p := make([]float64, len(row))
	for j, a := range row {
		p[j] = math.Exp(a - top)
		sum += p[j]
	}
	for j := range p {
		p[j] /= sum
	}
	return p
}

// OfTargets marks it.
func (CrossEntropy) OfTargets() {}

// Run computes the loss.
func (CrossEntropy) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.CrossEntropy(x.Ctx, in[0], x.Target.Class, x.Target.Items, out)
}

// CrossEntropyGrad is the gradient of CrossEntropy.
type CrossEntropyGrad struct{}

func (CrossEntropyGrad) String() string { return "CrossEntropy'" }

// Shape: rows×C and 1×1 to rows×C.
func (CrossEntropyGrad) Shape(in []Type) (Type, error) { return lossGradShape(in) }

// Cost, per target row: the softmax (5C), the scaling by ∂loss/t (C), and the
// subtraction at the class (1); one division.
func (CrossEntropyGrad) Cost(in []Type, out Type) cost.Cost {
	c := in[0].Cols
	return cost.Cost{
		Work:  cost.Add(targetCost(6, 1, c), cost.Int(1)),
		Depth: cost.Add(cost.Int(5), cost.Scale(2, cost.Log2(c.Expr))),
		Bytes: cost.Add(targetBytes(c, cost.Int(1)), bytes(in[1], out)),
	}
}

// Grad: training needs no second derivative of a loss.
func (CrossEntropyGrad) Grad(b *Builder, _ []Value, _, _ Value) []Value {
	b.fail("CrossEntropy has no second derivative")
	return []Value{None, None}
}

// Split: rows lie with their owners.
func (CrossEntropyGrad) Split(s Split) (Placement, error) { return s.lossGrad() }

// lossGrad is the rule of a loss's gradient: row-wise, ∂loss being whole.
func (s Split) lossGrad() (Placement, error) {
	if s.In[1].Kind != Whole {
		return s.refuse(1, "the loss's gradient is whole")
	}
	return s.rowwise()
}

// Reference is the definition.
func (CrossEntropyGrad) Reference(x *RefExec, in []Dense) Dense {
	y, n := in[0].like(), x.Target.classes()
	for _, i := range x.Target.Rows {
		c := x.Target.Class[i]
		if c < 0 {
			continue
		}
		p := refSoftmax(in[0].Row(int(i)))
		p[c]--
		for j, a := range p {
			y.Set(int(i), j, a*in[1].Data[0]/n)
		}
	}
	return y
}

// OfTargets marks it.
func (CrossEntropyGrad) OfTargets() {}

// Run computes the gradient.
func (CrossEntropyGrad) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.CrossEntropyGrad(x.Ctx, in[0], x.Target.Class, x.Target.Items, in[1], out)
}

// CrossEntropy is the mean cross-entropy of the target rows.
func (b *Builder) CrossEntropy(logits Value) Value { return b.Add(CrossEntropy{}, logits) }
