package program

import (
	"errors"
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// Where a vertex's edges are spread over ranks, the ranks compare their winners:
//
//	edges → ArgSelect → index of own winners → Candidates → fold → the winners of all
//
// A candidate is a value and the place of its edge among all edges of the vertex, side
// by side in the columns of one value. Whoever combines candidates takes the better
// value and of equal ones the lower place, so that ranks select the edge that one rank
// does. The values of the winners are the maximum; their places go back to the ranks,
// and each that has one routes the gradient to it:
//
//	index of own winners, places of the winners → Won → index of these, where the rank has them

// EdgeEnd is one end of the edges of a space.
type EdgeEnd struct {
	Over Space
	End  Map
}

// Candidates states the winners that a rank found: values, then places.
type Candidates struct {
	afterGrad
	Of    Reduction // Max or Min
	Along Map
	Over  Space
}

func (o Candidates) String() string { return fmt.Sprintf("Candidates(%v, %v)", o.Of, o.Along) }

// Shape: values over edges and an index of them to twice as many columns per row of
// the index.
func (o Candidates) Shape(in []Type) (Type, error) {
	t, err := Pick{o.Along, o.Over}.Shape(in)
	t.Cols = t.Cols.Times(Cols(2))
	return t, err
}

// Cost: moves only: of each winner its value and its place.
func (o Candidates) Cost(in []Type, out Type) cost.Cost {
	return cost.Cost{Work: cost.Int(0), Depth: cost.Int(0), Bytes: cost.Add(cost.Scale(3, bytes(in[1])), bytes(out))}
}

// Held states those among edges as they are owned.
func (o Candidates) Held(by Owner) Op {
	o.Over = o.Over.Held(by)
	return o
}

// Split: to be compared with those of other ranks, where there are others.
func (o Candidates) Split(s Split) (Placement, error) {
	switch {
	case s.all(Rows):
		return Placement{Kind: Rows}, nil
	case s.In[0].Kind == Rows && s.In[1] == (Placement{Partial, o.Of}):
		return Placement{Partial, o.Of.arg()}, nil
	}
	return s.refuse(1, "only winners among edges of several ranks are compared")
}

// Reference numbers the edges of a single rank.
func (o Candidates) Reference(x *RefExec, in []Dense) Dense {
	k := in[1].Cols
	values, y := Pick{o.Along, o.Over}.Reference(x, in), NewDense(in[1].Rows, 2*k)
	for i := range y.Rows {
		copy(y.Row(i), values.Row(i))
		copy(y.Row(i)[k:], in[1].Row(i))
	}
	return y
}

// Run states them.
func (o Candidates) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	place, first := x.places(o.Over, o.Along)
	kernel.Candidates(x.Ctx, in[1], in[0], place, first, out)
}

// places returns the places of edges at one end, and where those at hand begin among
// them.
func (x *Exec) places(over Space, end Map) ([]uint32, int64) {
	return x.Rank.Places[EdgeEnd{over.base(), end}], x.Block(over).First
}

// ties returns the places that decide between equal edges out of a vertex, where these
// lie on several ranks and their positions, which follow the rank's rows, do not: nil
// where positions do.
func (x *Exec) ties(over Space, end Map) []uint32 {
	if x.Rank == nil || end != Src || x.Rank.Destinations == nil {
		return nil
	}
	return x.Rank.Places[EdgeEnd{over.base(), end}]
}

// Won keeps of a rank's winners those that have won over those of other ranks.
type Won struct {
	afterGrad
	Along Map
	Over  Space
}

func (o Won) String() string { return fmt.Sprintf("Won(%v)", o.Along) }

// Shape: an index and as many places to an index.
func (o Won) Shape(in []Type) (Type, error) {
	if err := count(in, 2); err != nil {
		return Type{}, err
	}
	if in[1].Index {
		return Type{}, fmt.Errorf("got %v, want places", in[1])
	}
	return in[0], errors.Join(wantIndex(in[0], o.Along, o.Over, in[1].Cols), sameRows(in...))
}

// Cost: one comparison per element, by the place of the edge.
func (o Won) Cost(in []Type, out Type) cost.Cost {
	return cost.Cost{Work: out.size(), Depth: cost.Int(1), Bytes: cost.Add(bytes(in...), bytes(out, out))}
}

// ReadsAt: places at the end at which edges were selected, where the index lies too.
func (o Won) ReadsAt(operand int) (Map, bool) { return o.Along, operand == 1 }

// Held keeps those among edges as they are owned.
func (o Won) Held(by Owner) Op {
	o.Over = o.Over.Held(by)
	return o
}

// Split: an index that is decided, see [Split].
func (o Won) Split(s Split) (Placement, error) {
	arg, at := s.In[0], s.In[1].Kind
	switch {
	case arg.Kind == Rows && (at == Rows || at == Halo):
		return Placement{Kind: Rows}, nil
	case arg.Kind == Partial && arg.Of != Sum && (at == Halo || at == Whole):
		return Placement{Partial, Sum}, nil
	}
	return s.refuse(0, "only winners among edges of several ranks are decided, where the places of the winners are")
}

// Reference of a single rank has them all.
func (o Won) Reference(_ *RefExec, in []Dense) Dense { return in[0] }

// Run compares.
func (o Won) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	place, first := x.places(o.Over, o.Along)
	kernel.Won(x.Ctx, in[0], in[1], place, first, out)
}
