package program

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// Narrow stores a value in bfloat16: it is rounded to eight binary digits and
// keeps float32's range. What is computed from it is computed in float32.
//
// Its derivative is 1: rounding, here as in float32, is an error of the
// arithmetic and no part of the function.
type Narrow struct{}

func (Narrow) String() string { return "Narrow" }

// Shape: any rows×k, in bfloat16.
func (Narrow) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	return in[0].stored(true), nil
}

// Cost: storing is a move.
func (Narrow) Cost(in []Type, out Type) cost.Cost { return moves(in, out) }

// Grad passes on.
func (Narrow) Grad(_ *Builder, _ []Value, _, dy Value) []Value { return []Value{dy} }

// Split is elementwise.
func (Narrow) Split(s Split) (Placement, error) { return s.elementwise() }

// Reference has nothing to round.
func (Narrow) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run rounds.
func (Narrow) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) { kernel.Narrow(x.Ctx, in[0], out) }

// Widen reads a value that is stored in bfloat16, for ops that read float32.
type Widen struct{}

func (Widen) String() string { return "Widen" }

// Shape: rows×k in bfloat16 to the same in float32.
func (Widen) Shape(in []Type) (Type, error) {
	if err := arity(in, 1, 0); err != nil {
		return Type{}, err
	}
	if !in[0].BFloat16 {
		return Type{}, fmt.Errorf("got %v, want bfloat16", in[0])
	}
	return in[0].stored(false), nil
}

// Cost: a move.
func (Widen) Cost(in []Type, out Type) cost.Cost { return moves(in, out) }

// Grad passes on.
func (Widen) Grad(_ *Builder, _ []Value, _, dy Value) []Value { return []Value{dy} }

// Split is elementwise.
func (Widen) Split(s Split) (Placement, error) { return s.elementwise() }

// Reference is the value.
func (Widen) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run reads.
func (Widen) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) { kernel.Widen(x.Ctx, in[0], out) }
