package program

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// Penalty is L2 regularisation, λ/2 · ‖W‖²: added to the loss it is what the
// papers call weight decay, and its gradient is λW.
type Penalty struct{ Lambda float32 }

func (o Penalty) String() string { return fmt.Sprintf("Penalty(%g)", o.Lambda) }

// Shape: a×b in One to 1×1.
func (o Penalty) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	if in[0].Space != One {
		return Type{}, fmt.Errorf("got %v, want a parameter", in[0])
	}
	return scalar(), nil
}

// Cost: that of ⟨W, W⟩, W being read as both operands; the factor counts once.
func (o Penalty) Cost(in []Type, out Type) cost.Cost {
	c := InnerProduct{}.Cost([]Type{in[0], in[0]}, out)
	c.Work, c.Depth = cost.Add(c.Work, cost.Int(1)), cost.Add(c.Depth, cost.Int(1))
	return c
}

// Grad: ∂W = λ·∂y·W.
func (o Penalty) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return []Value{b.Scale(b.ScaleBy(in[0], dy), o.Lambda)}
}

// Split: pieces of W give a partial sum.
func (o Penalty) Split(s Split) (Placement, error) {
	switch s.In[0].Kind {
	case Whole:
		return s.In[0], nil
	case Rows, Columns:
		return Placement{Partial, Sum}, nil
	}
	return s.refuse(0, "a norm reads resolved values")
}

// Reference is the definition.
func (o Penalty) Reference(_ *RefExec, in []Dense) Dense {
	y := NewDense(1, 1)
	for _, w := range in[0].Data {
		y.Data[0] += float64(o.Lambda) / 2 * w * w
	}
	return y
}

// Run computes the penalty.
func (o Penalty) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.Dot(x.Ctx, in[0], in[0], out)
	out.Data[0] *= o.Lambda / 2
	x.Count.Add(1, 0)
}

// Penalty is λ/2 · ‖W‖².
func (b *Builder) Penalty(w Value, lambda float64) Value {
	return b.Add(Penalty{float32(lambda)}, w)
}
