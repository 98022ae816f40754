package program

import (
	"math"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// ValueLossKind names a loss against real or 0/1 targets.
type ValueLossKind int

// The losses, each the mean over the target elements that are present (not
// NaN), and 0 when none is. With x a prediction and y its target:
const (
	SquaredError       ValueLossKind = iota // (x − y)²
	BinaryCrossEntropy                      // −y·ln σ(x) − (1−y)·ln(1 − σ(x)), x a logit
)

func (k ValueLossKind) String() string {
	return [...]string{"SquaredError", "BinaryCrossEntropy"}[k]
}

// ValueLoss is a mean loss against the target values.
type ValueLoss struct{ Kind ValueLossKind }

func (o ValueLoss) String() string { return o.Kind.String() }

// Shape: rows×c to 1×1.
func (ValueLoss) Shape(in []Type) (Type, error) { return lossShape(in) }

// work is the operations per present value of the loss, its addition to the
// sum included, and of its gradient: subtract, square, add; or, as
// max(x,0) − xy + ln(1 + e^−|x|), max, multiply, magnitude, exp, log1p, two
// sums, add; and for both gradients an error, and two scalings.
func (k ValueLossKind) work() (loss, grad int64) {
	if k == SquaredError {
		return 3, 3
	}
	return 8, 3
}

// Cost: per present value τ of the target rows, and one division; bytes are
// those of all values of the target rows.
func (o ValueLoss) Cost(in []Type, out Type) cost.Cost {
	c := in[0].Cols
	w, _ := o.Kind.work()
	return cost.Cost{
		Work:  cost.Add(cost.Scale(w, symPresent), cost.Int(1)),
		Depth: cost.Add(cost.Int(w), cost.Log2(symPresent)),
		Bytes: cost.Add(targetBytes(c, c.Expr), bytes(out)),
	}
}

// Grad on target rows, 0 elsewhere.
func (o ValueLoss) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return []Value{b.Add(ValueLossGrad(o), in[0], dy)}
}

// Split: target rows lie with their owners.
func (ValueLoss) Split(s Split) (Placement, error) { return s.loss() }

// Reference is the definition.
func (o ValueLoss) Reference(x *RefExec, in []Dense) Dense {
	out, n := NewDense(1, 1), x.Target.values()
	for _, i := range x.Target.Rows {
		for j, y := range x.Target.Value.Row(int(i)) {
			if p := in[0].At(int(i), j); math.IsNaN(y) {
				continue
			} else if o.Kind == SquaredError {
				out.Data[0] += (p - y) * (p - y) / n
			} else {
				out.Data[0] += (max(p, 0) - p*y + math.Log1p(math.Exp(-math.Abs(p)))) / n
			}
		}
	}
	return out
}

// kernel names the loss as kernels do.
func (k ValueLossKind) kernel() kernel.Loss {
	if k == SquaredError {
		return kernel.SquaredError
	}
	return kernel.LogisticError
}

// OfTargets marks it.
func (ValueLoss) OfTargets() {}

// Run computes the loss.
func (o ValueLoss) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.ValueLoss(x.Ctx, o.Kind.kernel(), in[0], x.Target.Value, x.Target.Items, out)
}

// ValueLossGrad is the gradient of ValueLoss.
type ValueLossGrad struct{ Kind ValueLossKind }

func (o ValueLossGrad) String() string { return o.Kind.String() + "'" }

// Shape: rows×c and 1×1 to rows×c.
func (ValueLossGrad) Shape(in []Type) (Type, error) { return lossGradShape(in) }

// Cost: per present value of the target rows, and one division.
func (o ValueLossGrad) Cost(in []Type, out Type) cost.Cost {
	c := in[0].Cols
	_, w := o.Kind.work()
	return cost.Cost{
		Work:  cost.Add(cost.Scale(w, symPresent), cost.Int(1)),
		Depth: cost.Int(w + 1),
		Bytes: cost.Add(targetBytes(c, c.Expr), bytes(in[1], out)),
	}
}

// Grad: training needs no second derivative of a loss.
func (o ValueLossGrad) Grad(b *Builder, _ []Value, _, _ Value) []Value {
	b.fail("%v has no second derivative", o.Kind)
	return []Value{None, None}
}

// Split: rows lie with their owners.
func (ValueLossGrad) Split(s Split) (Placement, error) { return s.lossGrad() }

// Reference is the definition.
func (o ValueLossGrad) Reference(x *RefExec, in []Dense) Dense {
	out, n := in[0].like(), x.Target.values()
	for _, i := range x.Target.Rows {
		for j, y := range x.Target.Value.Row(int(i)) {
			if p := in[0].At(int(i), j); math.IsNaN(y) {
				continue
			} else if o.Kind == SquaredError {
				out.Set(int(i), j, 2*(p-y)*in[1].Data[0]/n)
			} else {
				out.Set(int(i), j, (1/(1+math.Exp(-p))-y)*in[1].Data[0]/n)
			}
		}
	}
	return out
}

// OfTargets marks it.
func (ValueLossGrad) OfTargets() {}

// Run computes the gradient.
func (o ValueLossGrad) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.ValueLossGrad(x.Ctx, o.Kind.kernel(), in[0], x.Target.Value, x.Target.Items, in[1], out)
}

// ValueLoss is a mean loss of the target rows against the target values.
func (b *Builder) ValueLoss(k ValueLossKind, pred Value) Value { return b.Add(ValueLoss{k}, pred) }
