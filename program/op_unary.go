package program

import (
	"fmt"
	"math"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// Unary applies a function to every element: y = f(x).
type Unary struct{ Func kernel.Func }

func (o Unary) String() string {
	if o.Func.Param != 0 {
		return fmt.Sprintf("%v(%g)", o.Func.Kind, o.Func.Param)
	}
	return o.Func.Kind.String()
}

// Shape keeps the shape.
func (o Unary) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	return in[0], wantSlope(o.Func)
}

// wantSlope checks that the sign of the result tells that of the argument, where
// the derivative is computed from it.
func wantSlope(f kernel.Func) error {
	if (f.Kind == kernel.LeakyReLU || f.Kind == kernel.ELU) && !(f.Param >= 0) {
		return fmt.Errorf("the parameter of %v is %g, want at least 0", f.Kind, f.Param)
	}
	return nil
}

// Cost: one operation per element.
func (o Unary) Cost(in []Type, out Type) cost.Cost {
	return elementwise(o.Func.Work(), o.Func.Work(), in, out)
}

// Grad: ∂x = f'(x)·∂y, a UnaryGrad.
func (o Unary) Grad(b *Builder, in []Value, y, dy Value) []Value {
	switch o.Func.GradFrom() {
	case kernel.Input:
		return []Value{b.Add(UnaryGrad(o), in[0], dy)}
	case kernel.Output:
		return []Value{b.Add(UnaryGrad(o), y, dy)}
	}
	if o.Func.Kind == kernel.Scale {
		return []Value{b.Add(o, dy)}
	}
	return []Value{dy}
}

// Split is elementwise; Scale is linear.
func (o Unary) Split(s Split) (Placement, error) {
	if o.Func.Kind == kernel.Scale {
		return s.linear(0)
	}
	return s.elementwise()
}

// Reference applies the function in float64.
func (o Unary) Reference(_ *RefExec, in []Dense) Dense {
	y := in[0].like()
	for i, x := range in[0].Data {
		y.Data[i], _ = evaluate(o.Func, x)
	}
	return y
}

// Over: the operand may be overwritten.
func (o Unary) Over() int { return 0 }

// Run applies the function.
func (o Unary) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.Apply(x.Ctx, o.Func, in[0], out)
}

// evaluate returns f(x) and, for functions whose derivative is stated in x or
// is constant, f'(x), in float64.
func evaluate(f kernel.Func, x float64) (y, derivative float64) {
	α := float64(f.Param)
	switch f.Kind {
	case kernel.Identity:
		return x, 1
	case kernel.ReLU:
		return max(x, 0), step(x, 1, 0)
	case kernel.LeakyReLU:
		return x * step(x, 1, α), step(x, 1, α)
	case kernel.ELU:
		return step(x, x, α*math.Expm1(x)), step(x, 1, α*math.Exp(x))
	case kernel.Sigmoid:
		s := 1 / (1 + math.Exp(-x))
		return s, s * (1 - s)
	case kernel.LogSigmoid:
		return min(x, 0) - math.Log1p(math.Exp(-math.Abs(x))), 1 / (1 + math.Exp(x))
	case kernel.Tanh:
		return math.Tanh(x), 1 - math.Tanh(x)*math.Tanh(x)
	case kernel.Exp:
		return math.Exp(x), math.Exp(x)
	case kernel.Log:
		return math.Log(x), 1 / x
	case kernel.Sqrt:
		return math.Sqrt(x), 1 / (2 * math.Sqrt(x))
	case kernel.Reciprocal:
		return 1 / x, -1 / (x * x)
	case kernel.Square:
		return x * x, 2 * x
	case kernel.Abs:
		return math.Abs(x), step(x, 1, -1)
	case kernel.Scale:
		return α * x, α
	case kernel.Offset:
		return x + α, 1
	}
	panic(fmt.Sprintf("program: no reference for %v", f.Kind))
}

func step(x, above, below float64) float64 {
	if x > 0 {
		return above
	}
	return below
}

// UnaryGrad is the gradient of Unary: f'·dy, f' being computed from the input
// or the output of f, whichever its kernel reads.
type UnaryGrad struct{ Func kernel.Func }

func (o UnaryGrad) String() string { return Unary(o).String() + "'" }

// Shape keeps the shape.
func (o UnaryGrad) Shape(in []Type) (Type, error) {
	if err := arity(in, 2); err != nil {
		return Type{}, err
	}
	if o.Func.GradFrom() == kernel.Neither {
		return Type{}, fmt.Errorf("the derivative of %v is constant: scale by it", o.Func.Kind)
	}
	return in[0], sameShape(in...)
}

// Cost: the function states its operations per element.
func (o UnaryGrad) Cost(in []Type, out Type) cost.Cost {
	return elementwise(o.Func.GradWork(), o.Func.GradWork(), in, out)
}

// Grad is linear in dy. Second derivatives of curved functions are not
// offered: the derivative of this op by its first operand.
func (o UnaryGrad) Grad(b *Builder, in []Value, _, dy Value) []Value {
	switch o.Func.Kind {
	case kernel.ReLU, kernel.LeakyReLU, kernel.Abs:
		return []Value{None, b.Add(o, in[0], dy)}
	}
	b.fail("%v has no second derivative", o.Func.Kind)
	return []Value{None, None}
}

// Split is elementwise; it is linear in dy.
func (o UnaryGrad) Split(s Split) (Placement, error) { return s.linear(1) }

// Reference applies the derivative in float64.
func (o UnaryGrad) Reference(_ *RefExec, in []Dense) Dense {
	out := in[0].like()
	for i, at := range in[0].Data {
		out.Data[i] = derivative(o.Func, at) * in[1].Data[i]
	}
	return out
}

// derivative returns f' from x, or from y = f(x) where the kernel reads that.
func derivative(f kernel.Func, at float64) float64 {
	α := float64(f.Param)
	switch f.Kind {
	case kernel.ELU:
		return step(at, 1, at+α)
	case kernel.Sigmoid:
		return at * (1 - at)
	case kernel.LogSigmoid:
		return 1 - math.Exp(at)
	case kernel.Tanh:
		return 1 - at*at
	case kernel.Exp:
		return at
	case kernel.Sqrt:
		return 1 / (2 * at)
	case kernel.Reciprocal:
		return -at * at
	}
	_, d := evaluate(f, at) // stated in x, or of the sign that x and y share
	return d
}

// Over: dy may be overwritten.
func (o UnaryGrad) Over() int { return 1 }

// Run applies the derivative.
func (o UnaryGrad) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.ApplyGrad(x.Ctx, o.Func, in[0], in[1], out)
}

// Apply applies a function of package kernel; param is its parameter, if it has one.
func (b *Builder) Apply(f kernel.FuncKind, param float32, x Value) Value {
	return b.Add(Unary{kernel.Func{Kind: f, Param: param}}, x)
}

// ReLU is max(x, 0).
func (b *Builder) ReLU(x Value) Value { return b.Apply(kernel.ReLU, 0, x) }

// LeakyReLU is x where x > 0 and slope·x elsewhere.
func (b *Builder) LeakyReLU(x Value, slope float32) Value {
	return b.Apply(kernel.LeakyReLU, slope, x)
}

// ELU is x where x > 0 and eˣ−1 elsewhere.
func (b *Builder) ELU(x Value) Value { return b.Apply(kernel.ELU, 1, x) }

// Scale multiplies by a constant.
func (b *Builder) Scale(x Value, by float32) Value { return b.Apply(kernel.Scale, by, x) }
