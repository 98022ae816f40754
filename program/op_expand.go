package program

import (
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// Expand gives every row of a space the one row of x: the reverse of ColumnSum.
type Expand struct {
	To   Space
	Rows Dim // in One
}

func (o Expand) String() string { return "Expand" }

// Shape: 1×c to rows×c.
func (o Expand) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	return Type{Space: o.To, Rows: o.Rows, Cols: in[0].Cols}, wantRow(in[0], in[0].Cols)
}

// Cost: moves only.
func (o Expand) Cost(in []Type, out Type) cost.Cost { return moves(in, out) }

// Grad sums over the rows.
func (o Expand) Grad(b *Builder, _ []Value, _, dy Value) []Value {
	return []Value{b.ColumnSum(dy)}
}

// Split: a whole row is expanded by whoever owns the rows; columns stay.
func (o Expand) Split(s Split) (Placement, error) {
	switch k := s.In[0].Kind; {
	case k == Whole && s.spread(o.To):
		return Placement{Kind: Rows}, nil
	case k == Whole, k == Columns && !s.spread(o.To):
		return s.In[0], nil
	}
	return s.refuse(0, "it reads a whole row")
}

// Reference is the definition.
func (o Expand) Reference(x *RefExec, in []Dense) Dense {
	y := NewDense(x.rowsOf(Type{Space: o.To, Rows: o.Rows}), in[0].Cols)
	for i := range y.Rows {
		copy(y.Row(i), in[0].Data)
	}
	return y
}

// Run copies.
func (o Expand) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.Expand(x.Ctx, in[0], out)
}
