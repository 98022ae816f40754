package program

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// EdgeDot is the sampled dense-dense product (SDDMM): for every edge u→v and
// head h, s[e, h] = Σ_c x[u, h·f+c] · y[v, h·f+c].
type EdgeDot struct {
	Over  Space
	Heads Dim
}

func (o EdgeDot) String() string { return fmt.Sprintf("EdgeDot(%v)", o.Heads.Expr) }

// Shape: vertices×(H·f), read at sources, and the same at destinations, to edges×H.
func (o EdgeDot) Shape(in []Type) (Type, error) {
	t, err := edgePair(in, o.Over)
	if err != nil {
		return t, err
	}
	t.Cols = o.Heads
	_, err = heads(in[0].Cols, o.Heads.N)
	return t, err
}

// edgePair is two vertex values of one width, read at both ends of each edge.
func edgePair(in []Type, over Space) (Type, error) {
	if err := arity(in, 2); err != nil {
		return Type{}, err
	}
	if !over.IsEdges() || in[0].Space != over.End(Src) || in[1].Space != over.End(Dst) {
		return Type{}, fmt.Errorf("got %v and %v over %v, want %v and %v over edges", in[0], in[1], over, over.End(Src), over.End(Dst))
	}
	dst := in[1]
	dst.Space = in[0].Space
	return Type{Space: over, Cols: in[0].Cols}, sameShape(in[0], dst)
}

// edgePairBytes is the traffic of walking edges by destination: a gathered row
// per edge at the source, one row per destination.
func edgePairBytes(over Space, in []Type, out Type) cost.Expr {
	gathered := cost.Scale(4, cost.Mul(over.rows(), in[0].Cols.Expr))
	return cost.Add(adjacency(over, Dst, false), gathered, bytes(in[1], out))
}

// Cost: a product and an addition per edge and column.
func (o EdgeDot) Cost(in []Type, out Type) cost.Cost {
	return cost.Cost{
		Work:  cost.Scale(2, cost.Mul(o.Over.rows(), in[0].Cols.Expr)),
		Depth: cost.Add(cost.Int(1), cost.Log2(headCols(in[0].Cols, o.Heads))),
		Bytes: edgePairBytes(o.Over, in, out),
	}
}

// Gathers rows of the sources.
func (o EdgeDot) Gathers() []Gather { return []Gather{{Operand: 0, Over: o.Over, By: Dst}} }

// Grad: products with the matrix of ∂s and with its transpose.
func (o EdgeDot) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return []Value{b.Add(SpMM{Src, o.Over, true}, in[1], dy), b.Add(SpMM{Dst, o.Over, true}, in[0], dy)}
}

// ReadsAt: the first operand at sources, the second at destinations.
func (o EdgeDot) ReadsAt(operand int) (Map, bool) { return []Map{Src, Dst}[operand], true }

// Held gives edges as they are owned.
func (o EdgeDot) Held(by Owner) Op { return EdgeDot{o.Over.Held(by), o.Heads} }

// Split is that of two Scatters and a row-wise op.
func (o EdgeDot) Split(s Split) (Placement, error) { return s.edgePair(HeadDot{o.Heads}) }

// OfColumns is that of HeadDot.
func (o EdgeDot) OfColumns(_ Dim, at Place) Op {
	o.Heads = at.heads(o.Heads)
	return o
}

// edgePair places both ends' rows on edges, then asks the row-wise op.
func (s Split) edgePair(op Op) (Placement, error) {
	rows := s.of(0, 1)
	for i, end := range []Map{Src, Dst} {
		p, err := Scatter{end, s.Out.Space}.Split(s.of(i))
		if err != nil {
			return p, err
		}
		rows.In[i] = p
	}
	return op.Split(rows)
}

// Reference is the composition.
func (o EdgeDot) Reference(x *RefExec, in []Dense) Dense {
	return HeadDot{o.Heads}.Reference(x, refEnds(x, o.Over, in))
}

// refEnds reads in[0] at sources and in[1] at destinations.
func refEnds(x *RefExec, over Space, in []Dense) []Dense {
	return []Dense{Scatter{Src, over}.Reference(x, in[:1]), Scatter{Dst, over}.Reference(x, in[1:])}
}

// Run multiplies and adds.
func (o EdgeDot) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.EdgeDot(x.Ctx, x.Block(o.Over), in[0], in[1], out)
}
