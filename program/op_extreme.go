package program

import (
	"fmt"
	"math"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// Extreme is the largest or smallest of the values of a vertex's edges, column by
// column: y_v = max_{e: μ(e)=v} x_e, and 0 where a vertex has none. Unlike a Pick of
// what ArgSelect finds it names no edge, so that ranks can combine theirs.
type Extreme struct {
	Of    Reduction // Max or Min
	Along Map
	Over  Space
	// Open gives ⊕'s identity where a vertex has no edges here: others may have some.
	Open bool
}

func (o Extreme) String() string { return fmt.Sprintf("Extreme(%v, %v)", o.Of, o.Along) }

// Shape: rows of Over to rows of the map's image.
func (o Extreme) Shape(in []Type) (Type, error) {
	if o.Of == Sum || o.Along == Member {
		return Type{}, fmt.Errorf("got the %v along %v, want a maximum or minimum at an end of edges", o.Of, o.Along)
	}
	return Aggregate{o.Along, o.Over}.Shape(in)
}

// Cost: one comparison per element.
func (o Extreme) Cost(in []Type, out Type) cost.Cost { return Aggregate{o.Along, o.Over}.Cost(in, out) }

// Gathers as Aggregate.
func (o Extreme) Gathers() []Gather { return Aggregate{o.Along, o.Over}.Gathers() }

// Grad: all of dy goes to the edge that ArgSelect finds.
func (o Extreme) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return []Value{b.Add(Route{o.Along, o.Over}, dy, b.Add(ArgSelect{o.Of, o.Along, o.Over}, in[0]))}
}

// Held goes over edges as they are owned.
func (o Extreme) Held(by Owner) Op {
	o.Over = o.Over.Held(by)
	o.Open = !Split{Edges: by.asked()}.ownsAlong(o.Along)
	return o
}

// Split as Aggregate.
func (o Extreme) Split(s Split) (Placement, error) { return s.aggregate(0, o.Along, o.Of) }

// none is the value where a vertex has no edges.
func (o Extreme) none() float64 {
	switch {
	case !o.Open:
		return 0
	case o.Of == Min:
		return math.Inf(1)
	}
	return math.Inf(-1)
}

// Reference picks what ArgSelect finds.
func (o Extreme) Reference(x *RefExec, in []Dense) Dense {
	arg := ArgSelect{o.Of, o.Along, o.Over}.Reference(x, in)
	y := Pick{o.Along, o.Over}.Reference(x, []Dense{in[0], arg})
	for i, at := range arg.Data {
		if at == noRow {
			y.Data[i] = o.none()
		}
	}
	return y
}

// Run compares.
func (o Extreme) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	find := kernel.Max
	if o.Of == Min {
		find = kernel.Min
	}
	find(x.Ctx, x.Block(o.Over), o.Along.end(), float32(o.none()), in[0], out)
}
