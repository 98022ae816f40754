package program

import (
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// AddOuter is a sum with what HeadOuter makes of the other operands, in one pass:
// y[i, h·f+c] = x[i, h·f+c] + s[i, h] · a[h·f+c].
type AddOuter struct{}

func (AddOuter) String() string { return "Add HeadOuter" }

// Shape: rows×(H·f), rows×H and 1×(H·f) to rows×(H·f).
func (AddOuter) Shape(in []Type) (Type, error) {
	if err := arity(in, 3); err != nil {
		return Type{}, err
	}
	outer, err := HeadOuter{}.Shape(in[1:])
	if err != nil {
		return Type{}, err
	}
	return in[0], sameShape(in[0], outer)
}

// Cost: a product and a sum per element.
func (AddOuter) Cost(in []Type, out Type) cost.Cost { return elementwise(2, 2, in, out) }

// Grad: ∂x = ∂y, and those of HeadOuter.
func (AddOuter) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return append([]Value{dy}, HeadOuter{}.Grad(b, in[1:], None, dy)...)
}

// Split: that of the product, and of its sum with the first operand.
func (AddOuter) Split(s Split) (Placement, error) {
	at, err := HeadOuter{}.Split(s.of(1, 2))
	if err != nil {
		return at, err
	}
	if (s.In[0].Kind == Columns) != (at.Kind == Columns) {
		return s.refuse(2, "it is split by columns as the rows are, or neither is")
	}
	sum := s.of(0, 1)
	sum.In[1], sum.Types[1] = at, s.Out
	return sum.additive()
}

// Reference is the definition.
func (AddOuter) Reference(x *RefExec, in []Dense) Dense {
	outer := HeadOuter{}.Reference(x, in[1:])
	return Binary{Plus}.Reference(x, []Dense{in[0], outer})
}

// Over: the rows may be overwritten.
func (AddOuter) Over() int { return 0 }

// Run multiplies and adds.
func (AddOuter) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.AddOuter(x.Ctx, in[0], in[1], in[2], out)
}
