package program

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// Scatter reads along a map: y_e = x_{μ(e)}. Along Dst or Src it gives each
// edge the row of that end; along Member it gives each vertex the row of its
// graph, which is the op Broadcast of the architecture.
type Scatter struct {
	Along Map
	To    Space
}

func (o Scatter) String() string { return fmt.Sprintf("Scatter(%v)", o.Along) }

// Shape: rows of the map's image to rows of To.
func (o Scatter) Shape(in []Type) (Type, error) {
	if err := count(in, 1); err != nil {
		return Type{}, err
	}
	if want := o.To.End(o.Along); in[0].Space != want {
		return Type{}, fmt.Errorf("got %v, want %v", in[0], want)
	}
	return Type{Space: o.To, Cols: in[0].Cols, Index: in[0].Index}, o.Along.from(o.To)
}

// Cost: moves only. By source, rows are gathered: one per edge.
func (o Scatter) Cost(in []Type, out Type) cost.Cost {
	c := cost.Cost{Work: cost.Int(0), Depth: cost.Int(0)}
	if o.Along == Src {
		c.Bytes = cost.Add(indices(o.To), bytes(out, out))
	} else {
		c.Bytes = cost.Add(offsets(in[0].Space), bytes(in[0], out))
	}
	return c
}

// Gathers rows of the sources. Those of destinations and graphs come in order.
func (o Scatter) Gathers() []Gather {
	if o.Along != Src {
		return nil
	}
	return []Gather{{Operand: 0, Over: o.To, By: Dst}}
}

// Grad: the reverse of Scatter is Aggregate(sum) along the same map.
func (o Scatter) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return []Value{b.Add(Aggregate{o.Along, o.To}, dy)}
}

// ReadsAt: at the end along which it reads.
func (o Scatter) ReadsAt(int) (Map, bool) { return o.Along, o.To.IsEdges() }

// Held reads edges as they are owned.
func (o Scatter) Held(by Owner) Op { return Scatter{o.Along, o.To.Held(by)} }

// Split: local where edges lie with that end, as entries always do; otherwise
// the halo is needed. A graph's row is read by the owners of all its vertices.
func (o Scatter) Split(s Split) (Placement, error) {
	local := s.ownsAlong(o.Along) || o.To == Entries
	switch k, spread := s.In[0].Kind, s.spread(o.To); {
	case !spread && (k == Whole || k == Columns):
		return s.In[0], nil
	case spread && (k == Whole || k == Halo || k == Rows && local):
		return Placement{Kind: Rows}, nil
	case spread && k == Rows:
		return s.refuse(0, "local edges name rows of other ranks: exchange the halo")
	}
	return s.refuse(0, "it reads whole rows of all ranks")
}

// Reference copies row by row.
func (o Scatter) Reference(x *RefExec, in []Dense) Dense {
	img := x.image(o.Along, o.To)
	y := NewDense(len(img), in[0].Cols)
	for e, v := range img {
		copy(y.Row(e), in[0].Row(int(v)))
	}
	return y
}

// Run gathers.
func (o Scatter) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	if o.Along == Member {
		kernel.GraphBroadcast(x.Ctx, x.Block(o.To), in[0], out)
		return
	}
	kernel.Scatter(x.Ctx, x.Block(o.To), o.Along.end(), in[0], out)
}

// end names a map's end of an edge as kernels do.
func (m Map) end() kernel.End {
	if m == Src {
		return kernel.Src
	}
	return kernel.Dst
}

// Scatter gives each edge of s the row of x at one of its ends.
func (b *Builder) Scatter(x Value, end Map, s Space) Value { return b.Add(Scatter{end, s}, x) }

// Broadcast gives each vertex the row of its graph.
func (b *Builder) Broadcast(x Value) Value { return b.Add(Scatter{Member, Vertices}, x) }
