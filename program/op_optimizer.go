package program

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// update is what optimisers have in common: operand 0 is a parameter, 1 its
// gradient, 2 the learning rate (1×1), the rest state of the parameter's shape.
type update struct{}

// none is the type of an update's result: nothing.
var nothing = Type{Space: One, Rows: Cols(0), Cols: Cols(0)}

func updateShape(in []Type, states int) (Type, error) {
	if err := arity(in, 3+states); err != nil {
		return Type{}, err
	}
	if in[0].Space != One {
		return Type{}, fmt.Errorf("got %v, want a parameter", in[0])
	}
	if err := wantScalar(in[2]); err != nil {
		return Type{}, fmt.Errorf("learning rate: %w", err)
	}
	return nothing, sameShape(append([]Type{in[0], in[1]}, in[3:]...)...)
}

// updateCost counts per operations on every element; parameter and state are
// read and written, the gradient is read; the learning rate is one number and
// counts 0.
func updateCost(per, depth int64, in []Type) cost.Cost {
	written := append([]Type{in[0]}, in[3:]...)
	return cost.Cost{
		Work:  cost.Scale(per, in[0].size()),
		Depth: cost.Int(depth),
		Bytes: cost.Add(bytes(in[1]), cost.Scale(2, bytes(written...))),
	}
}

func (update) Grad(b *Builder, in []Value, _, _ Value) []Value {
	b.fail("an update has no gradient")
	return make([]Value, len(in))
}

// Split: every rank updates what it has: operands lie alike.
func (update) Split(s Split) (Placement, error) {
	for i, p := range s.In {
		switch {
		case i == 2 && p.Kind != Whole:
			return s.refuse(i, "the learning rate is whole")
		case i != 2 && p != s.In[0]:
			return s.refuse(i, "an update's operands lie alike")
		}
	}
	if s.In[0].Kind == Partial {
		return s.refuse(0, "an update reads resolved gradients")
	}
	return s.In[0], nil
}

func (update) Reference(*RefExec, []Dense) Dense { return Dense{} }

// SGD is stochastic gradient descent, with momentum μ where it is not 0:
// v ← μv + g, w ← w − ηv (Sutskever et al. 2013); without, w ← w − ηg.
type SGD struct {
	update
	Momentum float32
}

func (o SGD) String() string { return fmt.Sprintf("SGD(momentum %g)", o.Momentum) }

func (o SGD) states() int {
	if o.Momentum == 0 {
		return 0
	}
	return 1
}

// Shape checks the operands.
func (o SGD) Shape(in []Type) (Type, error) { return updateShape(in, o.states()) }

// Cost: scale and subtract; with momentum, scale and add before.
func (o SGD) Cost(in []Type, _ Type) cost.Cost {
	per := int64(2 + 2*o.states())
	return updateCost(per, per, in)
}

// Writes lists the parameter and its velocity.
func (o SGD) Writes() []int { return []int{0, 3}[:1+o.states()] }

// Run updates in place.
func (o SGD) Run(x *Exec, in []tensor.Matrix, _ tensor.Matrix) {
	var velocity tensor.Matrix
	if o.states() == 1 {
		velocity = in[3]
	}
	kernel.StepSGD(x.Ctx, kernel.SGD{Rate: in[2].Data[0], Momentum: o.Momentum}, in[0], in[1], velocity)
}

// Adam is adaptive moment estimation (Kingma and Ba 1412.6980, Algorithm 1):
// m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², w ← w − η·m̂/(√v̂ + ε), m̂ and v̂
// divided by 1−β₁ᵗ and 1−β₂ᵗ. With Decay λ it is AdamW (Loshchilov and Hutter
// 1711.05101): w ← w − ηλw first.
type Adam struct {
	update
	Beta1, Beta2, Epsilon, Decay float32
}

func (o Adam) String() string {
	if o.Decay != 0 {
		return fmt.Sprintf("AdamW(decay %g)", o.Decay)
	}
	return "Adam"
}

// Shape checks the operands.
func (o Adam) Shape(in []Type) (Type, error) { return updateShape(in, 2) }

// Cost: 3 for the first moment, 4 for the second, then root, scale, add,
// divide, scale, subtract; decay scales and subtracts once more.
func (o Adam) Cost(in []Type, _ Type) cost.Cost {
	per := int64(13)
	if o.Decay != 0 {
		per += 2
	}
	return updateCost(per, per-3, in)
}

// Writes lists the parameter and both moments.
func (o Adam) Writes() []int { return []int{0, 3, 4} }

// Run updates in place.
func (o Adam) Run(x *Exec, in []tensor.Matrix, _ tensor.Matrix) {
	kernel.StepAdam(x.Ctx, kernel.Adam{
		Rate: in[2].Data[0], Beta1: o.Beta1, Beta2: o.Beta2, Epsilon: o.Epsilon,
		WeightDecay: o.Decay, Decoupled: o.Decay != 0,
	}, int(x.Step)+1, in[0], in[1], in[3], in[4])
}
