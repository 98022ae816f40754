package program

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// MatMulT sums outer products over rows: W = Xᵀ·G, a weight's gradient.
type MatMulT struct{}

func (MatMulT) String() string { return "MatMulT" }

// Shape: rows×a and rows×b, both of which may be stored in bfloat16, to a×b.
func (MatMulT) Shape(in []Type) (Type, error) {
	if err := arity(in, 2, 0, 1); err != nil {
		return Type{}, err
	}
	return Type{Space: One, Rows: in[0].Cols, Cols: in[1].Cols}, sameRows(in...)
}

// Cost: 2·rows·a·b, a sum over the rows deep.
func (MatMulT) Cost(in []Type, out Type) cost.Cost {
	return cost.Cost{
		Work:  cost.Scale(2, cost.Mul(in[0].rows(), out.size())),
		Depth: cost.Add(cost.Int(1), cost.Log2(in[0].rows())),
		Bytes: bytes(in[0], in[1], out),
	}
}

// Grad: ∂X = G·∂Wᵀ, ∂G = X·∂W.
func (MatMulT) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return []Value{b.Add(MatMul{Transposed: true}, in[1], dy), b.Add(MatMul{}, in[0], dy)}
}

// Split: rows give a partial sum; columns of X give rows of W, columns of G
// its columns.
func (MatMulT) Split(s Split) (Placement, error) {
	switch x, g := s.In[0].Kind, s.In[1].Kind; {
	case x == Columns && g == Whole:
		return Placement{Kind: Rows}, nil
	case x == Whole && g == Columns:
		return Placement{Kind: Columns}, nil
	case x == Columns || g == Columns:
		return s.refuse(0, fmt.Sprintf("it meets rows that are %v", s.In[1]))
	}
	return s.reduceRows()
}

// Reference is the definition.
func (MatMulT) Reference(x *RefExec, in []Dense) Dense {
	return MatMul{}.Reference(x, []Dense{transpose(in[0]), in[1]})
}

// Run sums in fixed pieces of rows.
func (MatMulT) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.MatMulTN(x.Ctx, in[0], in[1], out)
}

// CostOnto adds to Cost that the result is read.
func (o MatMulT) CostOnto(in []Type, out Type) cost.Cost { return onto(o.Cost(in, out), out) }

// RunOnto sums in fixed pieces of rows.
func (MatMulT) RunOnto(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.MatMulTNOnto(x.Ctx, in[0], in[1], out)
}

// MatMulT returns Xᵀ·G.
func (b *Builder) MatMulT(x, g Value) Value { return b.Add(MatMulT{}, x, g) }
