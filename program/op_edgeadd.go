package program

import (
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// EdgeAdd adds the rows of both ends: for every edge u→v, y_e = a_u + b_v.
type EdgeAdd struct{ Over Space }

func (o EdgeAdd) String() string { return "EdgeAdd" }

// Shape: vertices×c at sources and at destinations to edges×c.
func (o EdgeAdd) Shape(in []Type) (Type, error) { return edgePair(in, o.Over) }

// Cost: one addition per edge and column.
func (o EdgeAdd) Cost(in []Type, out Type) cost.Cost {
	return cost.Cost{Work: out.size(), Depth: cost.Int(1), Bytes: edgePairBytes(o.Over, in, out)}
}

// Gathers rows of the sources.
func (o EdgeAdd) Gathers() []Gather { return []Gather{{Operand: 0, Over: o.Over, By: Dst}} }

// Grad: each end receives the sum of its edges.
func (o EdgeAdd) Grad(b *Builder, _ []Value, _, dy Value) []Value {
	return []Value{b.Add(Aggregate{Src, o.Over}, dy), b.Add(Aggregate{Dst, o.Over}, dy)}
}

// ReadsAt: the first operand at sources, the second at destinations.
func (o EdgeAdd) ReadsAt(operand int) (Map, bool) { return []Map{Src, Dst}[operand], true }

// Held gives edges as they are owned.
func (o EdgeAdd) Held(by Owner) Op { return EdgeAdd{o.Over.Held(by)} }

// Split is that of two Scatters and a sum.
func (o EdgeAdd) Split(s Split) (Placement, error) { return s.edgePair(Binary{Plus}) }

// Reference is the composition.
func (o EdgeAdd) Reference(x *RefExec, in []Dense) Dense {
	return Binary{Plus}.Reference(x, refEnds(x, o.Over, in))
}

// Run adds.
func (o EdgeAdd) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.EdgeAdd(x.Ctx, x.Block(o.Over), in[0], in[1], out)
}
