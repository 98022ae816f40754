package program

import (
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// AddBias adds one row to every row: Y = X + 1·b.
type AddBias struct{}

func (AddBias) String() string { return "AddBias" }

// Shape: rows×c and 1×c to rows×c.
func (AddBias) Shape(in []Type) (Type, error) {
	if err := arity(in, 2); err != nil {
		return Type{}, err
	}
	return in[0], wantRow(in[1], in[0].Cols)
}

// Cost: one addition per element.
func (AddBias) Cost(in []Type, out Type) cost.Cost { return elementwise(1, 1, in, out) }

// Grad: ∂X = ∂Y, ∂b = the column sums of ∂Y.
func (AddBias) Grad(b *Builder, _ []Value, _, dy Value) []Value {
	return []Value{dy, b.ColumnSum(dy)}
}

// Split is elementwise: a bias is added after a partial sum is resolved, once.
func (AddBias) Split(s Split) (Placement, error) { return s.vector() }

// vector is the rule of ops with rows in operand 0 and a row vector in operand
// 1: both split by columns, or the vector whole.
func (s Split) vector() (Placement, error) {
	x, v := s.In[0].Kind, s.In[1].Kind
	switch {
	case v == Columns && (x == Columns || x == Whole):
		return Placement{Kind: Columns}, nil
	case v == Whole:
		return s.elementwise()
	}
	return s.refuse(1, "the vector is whole, or split by columns as the rows are")
}

// Reference is the definition.
func (AddBias) Reference(_ *RefExec, in []Dense) Dense {
	y := in[0].like()
	for i, x := range in[0].Data {
		y.Data[i] = x + in[1].Data[i%y.Cols]
	}
	return y
}

// Over: the rows may be overwritten.
func (AddBias) Over() int { return 0 }

// Run adds.
func (AddBias) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.AddBias(x.Ctx, in[0], in[1], out)
}

// AddBias adds a parameter's row to every row.
func (b *Builder) AddBias(x, bias Value) Value { return b.Add(AddBias{}, x, bias) }
