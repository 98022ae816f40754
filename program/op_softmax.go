package program

import (
	"errors"
	"fmt"
	"math"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// EdgeSoftmax normalises edge values over the edges of each destination, per
// column: α_e = exp(x_e − max_v) / Σ_{e'→v} exp(x_e' − max_v), v the destination
// of e. Each destination has its own maximum, so that no range of values
// elsewhere can drown it. It is three rounds of (ψ, ⊕, φ): see Lower.
type EdgeSoftmax struct{ Over Space }

func (EdgeSoftmax) String() string { return "EdgeSoftmax" }

// Shape keeps the shape; rows must be the edges of Over.
func (o EdgeSoftmax) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	return in[0], edgesOf(o.Over, in[0])
}

func edgesOf(s Space, t Type) error {
	if !s.IsEdges() || t.Space != s {
		return fmt.Errorf("got %v, want rows that are edges", t)
	}
	return nil
}

// Cost: max, subtract, exp, sum, divide: five operations per element.
func (o EdgeSoftmax) Cost(in []Type, out Type) cost.Cost {
	return cost.Cost{
		Work:  cost.Scale(5, out.size()),
		Depth: cost.Add(cost.Int(3), cost.Scale(2, cost.Log2(Dst.degree(o.Over)))),
		Bytes: cost.Add(offsets(o.Over.End(Dst)), bytes(in[0], out)),
	}
}

// Grad: ∂x = α ⊙ (∂α − Scatter(Σ α∂α)), the maximum being a constant shift.
func (o EdgeSoftmax) Grad(b *Builder, _ []Value, y, dy Value) []Value {
	return []Value{b.Add(EdgeSoftmaxGrad(o), y, dy)}
}

// Held normalises edges as they are owned.
func (o EdgeSoftmax) Held(by Owner) Op { return EdgeSoftmax{o.Over.Held(by)} }

// Split: local where a destination's edges lie together.
func (o EdgeSoftmax) Split(s Split) (Placement, error) { return s.perDestination() }

func (s Split) perDestination() (Placement, error) {
	for i, p := range s.In {
		if p.Kind == Rows && !s.ownsAlong(Dst) {
			return s.refuse(i, "a destination's edges are spread over ranks: lower it")
		}
	}
	return s.elementwise()
}

// Reference is the definition.
func (o EdgeSoftmax) Reference(x *RefExec, in []Dense) Dense {
	img, y := x.image(Dst, o.Over), in[0].like()
	top := NewDense(x.images(Dst, o.Over), y.Cols)
	sum := top.like()
	for i := range top.Data {
		top.Data[i] = math.Inf(-1)
	}
	for e, v := range img {
		for j, a := range in[0].Row(e) {
			top.Set(int(v), j, max(top.At(int(v), j), a))
		}
	}
	for e, v := range img {
		for j, a := range in[0].Row(e) {
			y.Set(e, j, math.Exp(a-top.At(int(v), j)))
			sum.Data[int(v)*y.Cols+j] += y.At(e, j)
		}
	}
	for e, v := range img {
		for j := range y.Cols {
			y.Data[e*y.Cols+j] /= sum.At(int(v), j)
		}
	}
	return y
}

// Run normalises.
func (o EdgeSoftmax) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.EdgeSoftmax(x.Ctx, x.Block(o.Over), in[0], out)
}

// Lower replaces EdgeSoftmax by its three rounds, for plans that spread a
// destination's edges over ranks: max, subtract and exp, sum and divide. The
// maximum is a constant shift, so its gradient is stopped.
func (o EdgeSoftmax) Lower(b *Builder, in []Value) Value {
	x := in[0]
	top := b.Add(StopGradient{}, b.Add(Extreme{Of: Max, Along: Dst, Over: o.Over}, x))
	e := b.Apply(kernel.Exp, 0, b.Sub(x, b.Scatter(top, Dst, o.Over)))
	return b.Div(e, b.Scatter(b.Sum(e, Dst), Dst, o.Over))
}

// EdgeSoftmaxGrad is α ⊙ (g − Scatter(Σ_{e→v} α·g)).
type EdgeSoftmaxGrad struct{ Over Space }

func (EdgeSoftmaxGrad) String() string { return "EdgeSoftmax'" }

// Shape: α and g of one shape.
func (o EdgeSoftmaxGrad) Shape(in []Type) (Type, error) {
	if err := arity(in, 2); err != nil {
		return Type{}, err
	}
	return in[0], errors.Join(edgesOf(o.Over, in[0]), sameShape(in...))
}

// Cost: multiply, sum, subtract, multiply: four operations per element.
func (o EdgeSoftmaxGrad) Cost(in []Type, out Type) cost.Cost {
	return cost.Cost{
		Work:  cost.Scale(4, out.size()),
		Depth: cost.Add(cost.Int(3), cost.Log2(Dst.degree(o.Over))),
		Bytes: cost.Add(offsets(o.Over.End(Dst)), bytes(in...), bytes(out)),
	}
}

// Grad of s = α ⊙ (g − σ), σ = Scatter(Σ α·g), given D = ∂s, with
// δ = Scatter(Σ α·D): ∂g = α ⊙ (D − δ), ∂α = D ⊙ (g − σ) − g ⊙ δ.
func (o EdgeSoftmaxGrad) Grad(b *Builder, in []Value, _, dy Value) []Value {
	α, g := in[0], in[1]
	spread := func(x Value) Value { return b.Scatter(b.Sum(b.Mul(α, x), Dst), Dst, o.Over) }
	dα := b.Sub(b.Mul(dy, b.Sub(g, spread(g))), b.Mul(g, spread(dy)))
	return []Value{dα, b.Add(o, α, dy)}
}

// Held goes over edges as they are owned.
func (o EdgeSoftmaxGrad) Held(by Owner) Op { return EdgeSoftmaxGrad{o.Over.Held(by)} }

// Split: local where a destination's edges lie together.
func (o EdgeSoftmaxGrad) Split(s Split) (Placement, error) { return s.perDestination() }

// Lower replaces it by the operations that it is composed of.
func (o EdgeSoftmaxGrad) Lower(b *Builder, in []Value) Value {
	α, g := in[0], in[1]
	return b.Mul(α, b.Sub(g, b.Scatter(b.Sum(b.Mul(α, g), Dst), Dst, o.Over)))
}

// Reference is the definition.
func (o EdgeSoftmaxGrad) Reference(x *RefExec, in []Dense) Dense {
	α, g, y := in[0], in[1], in[0].like()
	img := x.image(Dst, o.Over)
	sum := NewDense(x.images(Dst, o.Over), y.Cols)
	for e, v := range img {
		for j := range y.Cols {
			sum.Data[int(v)*y.Cols+j] += α.At(e, j) * g.At(e, j)
		}
	}
	for e, v := range img {
		for j := range y.Cols {
			y.Set(e, j, α.At(e, j)*(g.At(e, j)-sum.At(int(v), j)))
		}
	}
	return y
}

// Run computes both passes over a destination's edges at once.
func (o EdgeSoftmaxGrad) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.EdgeSoftmaxGrad(x.Ctx, x.Block(o.Over), in[0], in[1], out)
}

// EdgeSoftmax normalises x over the edges of each destination.
func (b *Builder) EdgeSoftmax(x Value) Value {
	return b.Add(EdgeSoftmax{b.Type(x).Space}, x)
}
