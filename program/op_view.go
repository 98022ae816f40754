package program

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// View is a Slice that lies in its operand: in the arena its rows are as far apart as
// the operand's, which lives as long as any view of it, and nothing is moved. The pass
// view introduces it.
type View Slice

func (o View) String() string { return fmt.Sprintf("View(%v, %v)", o.From.Expr, o.Width.Expr) }

// Shape: rows×c to rows×Width.
func (o View) Shape(in []Type) (Type, error) { return Slice(o).Shape(in) }

// Cost: none.
func (View) Cost([]Type, Type) cost.Cost { return moves(nil, Type{}) }

// Grad is that of Slice.
func (o View) Grad(b *Builder, in []Value, y, dy Value) []Value { return Slice(o).Grad(b, in, y, dy) }

// Split is that of Slice.
func (o View) Split(s Split) (Placement, error) { return Slice(o).Split(s) }

// Reference copies.
func (o View) Reference(x *RefExec, in []Dense) Dense { return Slice(o).Reference(x, in) }

// Run does nothing where the result is Of the operand, as in an arena.
func (o View) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.View(x.Ctx, in[0], o.From.N, out)
}

// Of returns the columns of m.
func (o View) Of(m tensor.Matrix) tensor.Matrix { return m.Columns(o.From.N, o.From.N+o.Width.N) }

// viewed returns the operand of node v where that is a view, or None.
func (p *Program) viewed(v Value) Value {
	if _, ok := p.Nodes[v].Op.(View); ok {
		return p.Nodes[v].In[0]
	}
	return None
}

// shift is how many bytes after the place of its life a value lies: views lie within
// their operands.
func (p *Program) shift(v Value) int64 {
	if o, ok := p.Nodes[v].Op.(View); ok {
		return 4*int64(o.From.N) + p.shift(p.Nodes[v].In[0])
	}
	return 0
}
