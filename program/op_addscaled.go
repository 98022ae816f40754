package program

import (
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// AddScaled is a sum with what ScaleBy makes of the second operand, in one pass:
// Y = X + (Plus + s)·Z.
type AddScaled struct{ Plus float32 }

func (o AddScaled) String() string { return "Add " + ScaleBy(o).String() }

// Shape: rows×c twice and 1×1 to rows×c.
func (AddScaled) Shape(in []Type) (Type, error) {
	if err := arity(in, 3); err != nil {
		return Type{}, err
	}
	if err := sameShape(in[:2]...); err != nil {
		return Type{}, err
	}
	return in[0], wantScalar(in[2])
}

// Cost: a product and a sum per element, and the factor's own sum.
func (o AddScaled) Cost(in []Type, out Type) cost.Cost {
	c := elementwise(2, 2, in, out)
	return o.factor(c)
}

// factor adds the sum Plus + s to a cost.
func (o AddScaled) factor(c cost.Cost) cost.Cost {
	if o.Plus != 0 {
		c.Work, c.Depth = cost.Add(c.Work, cost.Int(1)), cost.Add(c.Depth, cost.Int(1))
	}
	return c
}

// Grad: ∂X = ∂Y, and those of ScaleBy.
func (o AddScaled) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return append([]Value{dy}, ScaleBy(o).Grad(b, in[1:], None, dy)...)
}

// Split: additive in the rows; the scalar is whole.
func (AddScaled) Split(s Split) (Placement, error) {
	if s.In[2].Kind != Whole {
		return s.refuse(2, "the scalar is whole")
	}
	return s.of(0, 1).additive()
}

// Reference is the definition.
func (o AddScaled) Reference(_ *RefExec, in []Dense) Dense {
	y := in[0].like()
	for i, x := range in[0].Data {
		y.Data[i] = x + (float64(o.Plus)+in[2].Data[0])*in[1].Data[i]
	}
	return y
}

// Over: either rows may be overwritten; it is the first.
func (AddScaled) Over() int { return 0 }

// Run multiplies and adds.
func (o AddScaled) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.AddScaled(x.Ctx, o.Plus, in[2], in[0], in[1], out)
}
