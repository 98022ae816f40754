package program

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// SpMM is Scatter, multiply and Aggregate in one pass over the edges: along
// Dst, y_v = Σ_{u→v} w_uv ⊙ x_u; along Src, y_u = Σ_{u→v} w_uv ⊙ x_v, the
// product with the transposed matrix. Weights are one per edge and head, or
// none.
type SpMM struct {
	Along    Map
	Over     Space
	Weighted bool
}

func (o SpMM) String() string {
	w := ""
	if o.Weighted {
		w = ", weighted"
	}
	return fmt.Sprintf("SpMM(%v, %v%s)", o.Along, o.Over, w)
}

func (o SpMM) arity() int {
	if o.Weighted {
		return 2
	}
	return 1
}

// Shape: vertices×(H·f), which may be stored in bfloat16 where H is 1, and, where
// weighted, edges×H to vertices×(H·f).
func (o SpMM) Shape(in []Type) (Type, error) {
	if err := arity(in, o.arity(), 0); err != nil {
		return Type{}, err
	}
	if !o.Over.IsEdges() || o.Along == Member {
		return Type{}, fmt.Errorf("%v does not lead from %v to an end of theirs", o.Along, o.Over)
	}
	if want := o.Over.End(o.other()); in[0].Space != want {
		return Type{}, fmt.Errorf("got %v, want %v", in[0], want)
	}
	if o.Weighted {
		if err := edgesOf(o.Over, in[1]); err != nil {
			return Type{}, err
		}
		if _, err := heads(in[0].Cols, in[1].Cols.N); err != nil {
			return Type{}, err
		}
	}
	if o.Weighted && in[0].BFloat16 && in[1].Cols.N > 1 {
		return Type{}, fmt.Errorf("%v of %d heads, want float32", in[0], in[1].Cols.N)
	}
	return Type{Space: o.Over.End(o.Along), Cols: in[0].Cols}, nil
}

// Cost: 2mk with weights, mk without; bytes count a gathered row per edge.
func (o SpMM) Cost(in []Type, out Type) cost.Cost {
	gathered := cost.Mul(o.Over.rows(), in[0].Cols.Expr)
	c := cost.Cost{
		Work:  gathered,
		Depth: cost.Log2(o.Along.degree(o.Over)),
		Bytes: cost.Add(adjacency(o.Over, o.Along, o.Weighted), cost.Scale(in[0].valueBytes(), gathered), bytes(out)),
	}
	if o.Weighted {
		c.Work = cost.Scale(2, c.Work)
		c.Depth = cost.Add(cost.Int(1), c.Depth)
		c.Bytes = cost.Add(c.Bytes, bytes(in[1]))
	}
	return c
}

// Gathers rows of x at the other end and, by source, of the weights.
func (o SpMM) Gathers() []Gather {
	g := []Gather{{Operand: 0, Over: o.Over, By: o.Along}}
	if o.Weighted && o.Along == Src {
		g = append(g, Gather{Operand: 1, Over: o.Over, By: Src, Own: true})
	}
	return g
}

// other is the map of the end that is read.
func (o SpMM) other() Map { return Dst + Src - o.Along }

// Grad: ∂x is the product with the transposed matrix, ∂w the dot of both ends.
func (o SpMM) Grad(b *Builder, in []Value, _, dy Value) []Value {
	back := SpMM{o.other(), o.Over, o.Weighted}
	if !o.Weighted {
		return []Value{b.Add(back, dy)}
	}
	src, dst := b.widened(in[:1])[0], dy
	if o.Along == Src {
		src, dst = dst, src
	}
	return []Value{b.Add(back, dy, in[1]), b.Add(EdgeDot{o.Over, b.Type(in[1]).Cols}, src, dst)}
}

// ReadsAt: rows at the end opposite to that of the sum.
func (o SpMM) ReadsAt(operand int) (Map, bool) { return o.other(), operand == 0 }

// Held sums edges as they are owned.
func (o SpMM) Held(by Owner) Op { return SpMM{o.Along, o.Over.Held(by), o.Weighted} }

// Split is that of Scatter followed by Aggregate.
func (o SpMM) Split(s Split) (Placement, error) {
	if o.Weighted && s.In[0].Kind == Columns {
		return HeadScale{}.Split(s)
	}
	at, err := Scatter{o.other(), o.Over}.Split(s.of(0))
	if err != nil {
		return at, err
	}
	if o.Weighted && s.In[1].Kind != at.Kind && s.In[1].Kind != Whole {
		return s.refuse(1, "weights lie with their edges")
	}
	return Split{Ranks: s.Ranks, Edges: s.Edges, In: []Placement{at}}.aggregate(0, o.Along, Sum)
}

// Reference is the composition.
func (o SpMM) Reference(x *RefExec, in []Dense) Dense {
	msg := Scatter{o.other(), o.Over}.Reference(x, in[:1])
	if o.Weighted {
		msg = HeadScale{}.Reference(x, []Dense{msg, in[1]})
	}
	return Aggregate{o.Along, o.Over}.Reference(x, []Dense{msg})
}

// Run multiplies.
func (o SpMM) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	var w tensor.Matrix
	if o.Weighted {
		w = in[1]
	}
	kernel.SpMM(x.Ctx, x.Block(o.Over), o.Along.end(), w, in[0], out)
}
