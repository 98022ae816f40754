package program

import (
	"errors"
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// Aggregate sums along a map: y_v = Σ_{e: μ(e)=v} x_e, and 0 where nothing
// maps to v. Along Dst or Src it sums the edges at that end; along Member the
// vertices of each graph, which is the op Pool of the architecture. A mean is
// a sum times the coefficient InvDegree or InvSize.
type Aggregate struct {
	Along Map
	Over  Space
}

func (o Aggregate) String() string { return fmt.Sprintf("Aggregate(sum, %v)", o.Along) }

// Shape: rows of Over to rows of the map's image.
func (o Aggregate) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	if in[0].Space != o.Over {
		return Type{}, fmt.Errorf("got %v, want %v", in[0], o.Over)
	}
	if o.Over == Entries {
		return Type{}, errors.New("entries are not summed: features are not learned")
	}
	return Type{Space: o.Over.End(o.Along), Cols: in[0].Cols}, o.Along.from(o.Over)
}

// Cost: one addition per element that is reduced.
func (o Aggregate) Cost(in []Type, out Type) cost.Cost {
	c := cost.Cost{Work: in[0].size(), Depth: cost.Log2(o.Along.degree(o.Over)), Bytes: cost.Add(offsets(out.Space), bytes(in[0], out))}
	if o.Along == Src {
		c.Bytes = cost.Add(c.Bytes, indices(o.Over))
	}
	return c
}

// Gathers the rows of edges by their source. By destination they come in order.
func (o Aggregate) Gathers() []Gather {
	if o.Along != Src {
		return nil
	}
	return []Gather{{Operand: 0, Over: o.Over, By: Src, Own: true}}
}

// Grad: the reverse of Aggregate(sum) is Scatter along the same map.
func (o Aggregate) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return []Value{b.Add(Scatter{o.Along, o.Over}, dy)}
}

// Held sums edges as they are owned.
func (o Aggregate) Held(by Owner) Op { return Aggregate{o.Along, o.Over.Held(by)} }

// Split: rows where the reduced rows lie with their image, a partial sum otherwise.
func (o Aggregate) Split(s Split) (Placement, error) { return s.aggregate(0, o.Along, Sum) }

// aggregate is the rule of reductions along a map.
func (s Split) aggregate(i int, along Map, of Reduction) (Placement, error) {
	switch s.In[i].Kind {
	case Whole, Columns:
		return s.In[i], nil
	case Rows, Halo:
		if s.ownsAlong(along) {
			return Placement{Kind: Rows}, nil
		}
		return Placement{Partial, of}, nil
	}
	return s.refuse(i, "a reduction reads resolved rows")
}

// Reference adds row by row.
func (o Aggregate) Reference(x *RefExec, in []Dense) Dense {
	y := NewDense(x.images(o.Along, o.Over), in[0].Cols)
	for e, v := range x.image(o.Along, o.Over) {
		for j, a := range in[0].Row(e) {
			y.Data[int(v)*y.Cols+j] += a
		}
	}
	return y
}

// Run sums.
func (o Aggregate) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	if o.Along == Member {
		kernel.GraphSum(x.Ctx, x.Block(o.Over), in[0], out)
		return
	}
	kernel.Aggregate(x.Ctx, x.Block(o.Over), o.Along.end(), in[0], out)
}

// CostOnto of sums at the sources: those of a chunk's edges lie anywhere, so that
// an edge reads its source's row and writes it.
func (o Aggregate) CostOnto(in []Type, out Type) cost.Cost {
	c := o.Cost(in, out)
	c.Bytes = cost.Add(cost.Scale(2, indices(o.Over)), cost.Scale(3, bytes(in[0])))
	return c
}

// RunOnto sums at the sources.
func (o Aggregate) RunOnto(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.AggregateOnto(x.Ctx, x.Block(o.Over), in[0], out)
}

// Sum sums the edge values x at one end.
func (b *Builder) Sum(x Value, end Map) Value {
	return b.Add(Aggregate{end, b.Type(x).Space}, x)
}

// Mean averages the edge values x of N at their destinations; the mean over
// no edges is 0.
func (b *Builder) Mean(x Value) Value {
	if t := b.Type(x); t.Space != Edges {
		return b.fail("Mean: got %v, want values of the edges that degrees count", t)
	}
	return b.HeadScale(b.Sum(x, Dst), b.VertexCoef(InvDegree))
}

// SumPool sums the vertices of each graph; MeanPool averages them.
func (b *Builder) SumPool(x Value) Value { return b.Add(Aggregate{Member, Vertices}, x) }

// MeanPool averages the vertices of each graph; the mean of none is 0.
func (b *Builder) MeanPool(x Value) Value {
	return b.HeadScale(b.SumPool(x), b.Add(GraphCoef{InvSize, Graphs}))
}
