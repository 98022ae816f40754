package program

import (
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// StopGradient is the identity whose operand receives no gradient.
type StopGradient struct{}

func (StopGradient) String() string { return "StopGradient" }

// Shape keeps the shape.
func (StopGradient) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	return in[0], nil
}

// Cost: moves only.
func (StopGradient) Cost(in []Type, out Type) cost.Cost { return moves(in, out) }

// Grad: none.
func (StopGradient) Grad(*Builder, []Value, Value, Value) []Value { return []Value{None} }

// Split: any placement is kept.
func (StopGradient) Split(s Split) (Placement, error) {
	if s.In[0].Kind == Halo {
		return Placement{Kind: Rows}, nil
	}
	return s.In[0], nil
}

// Reference copies.
func (StopGradient) Reference(_ *RefExec, in []Dense) Dense {
	y := in[0].like()
	copy(y.Data, in[0].Data)
	return y
}

// Over: the operand may be overwritten.
func (StopGradient) Over() int { return 0 }

// Run copies.
func (StopGradient) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.Copy(x.Ctx, in[0], out)
}
