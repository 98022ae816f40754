package program

import (
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// BinaryKind names a function of two values.
type BinaryKind int

// The functions.
const (
	Plus     BinaryKind = iota // x + y
	Minus                      // x − y
	Product                    // x · y
	Quotient                   // x / y
)

func (k BinaryKind) String() string { return [...]string{"Add", "Sub", "Mul", "Div"}[k] }

// Binary combines two values of equal shape element by element.
type Binary struct{ Func BinaryKind }

func (o Binary) String() string { return o.Func.String() }

// Shape keeps the shape.
func (o Binary) Shape(in []Type) (Type, error) {
	if err := arity(in, 2); err != nil {
		return Type{}, err
	}
	return in[0], sameShape(in...)
}

// Cost: one operation per element.
func (o Binary) Cost(in []Type, out Type) cost.Cost { return elementwise(1, 1, in, out) }

// Grad by the rules of sums, products and quotients.
func (o Binary) Grad(b *Builder, in []Value, y, dy Value) []Value {
	x, z := in[0], in[1]
	switch o.Func {
	case Plus:
		return []Value{dy, dy}
	case Minus:
		return []Value{dy, b.Scale(dy, -1)}
	case Product:
		return []Value{b.Mul(dy, z), b.Mul(dy, x)}
	default: // ∂(x/z) = ∂x/z − y·∂z/z
		dx := b.Add(Binary{Quotient}, dy, z)
		return []Value{dx, b.Scale(b.Mul(dx, y), -1)}
	}
}

// Split: sums are additive; a product or quotient is linear in its first operand.
func (o Binary) Split(s Split) (Placement, error) {
	switch o.Func {
	case Plus, Minus:
		return s.additive()
	}
	return s.linear(0)
}

// Reference computes in float64.
func (o Binary) Reference(_ *RefExec, in []Dense) Dense {
	y := in[0].like()
	for i, a := range in[0].Data {
		c := in[1].Data[i]
		y.Data[i] = [...]float64{Plus: a + c, Minus: a - c, Product: a * c, Quotient: a / c}[o.Func]
	}
	return y
}

// Over: the first operand may be overwritten.
func (o Binary) Over() int { return 0 }

// Run combines.
func (o Binary) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	switch o.Func {
	case Plus:
		kernel.Add(x.Ctx, in[0], in[1], out)
	case Minus:
		kernel.Sub(x.Ctx, in[0], in[1], out)
	case Product:
		kernel.Mul(x.Ctx, in[0], in[1], out)
	case Quotient:
		kernel.Div(x.Ctx, in[0], in[1], out)
	}
}

// AddValues returns x + y.
func (b *Builder) AddValues(x, y Value) Value { return b.Add(Binary{Plus}, x, y) }

// Sub returns x − y.
func (b *Builder) Sub(x, y Value) Value { return b.Add(Binary{Minus}, x, y) }

// Mul returns x ⊙ y.
func (b *Builder) Mul(x, y Value) Value { return b.Add(Binary{Product}, x, y) }

// Div returns x ⊘ y.
func (b *Builder) Div(x, y Value) Value { return b.Add(Binary{Quotient}, x, y) }
