package program

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// SparseMatMul multiplies sparse features by a matrix: Y = X·W, X given by its
// entries.
type SparseMatMul struct{}

func (SparseMatMul) String() string { return "SparseMatMul" }

// Shape: entries×1 and k_in×k to vertices×k.
func (SparseMatMul) Shape(in []Type) (Type, error) {
	if err := arity(in, 2); err != nil {
		return Type{}, err
	}
	if err := entries(in[0]); err != nil {
		return Type{}, err
	}
	if in[1].Space != One {
		return Type{}, fmt.Errorf("got %v, want a parameter", in[1])
	}
	return Type{Space: Vertices, Cols: in[1].Cols}, nil
}

func entries(t Type) error {
	if t.Space != Entries || t.Cols.N != 1 {
		return fmt.Errorf("got %v, want entries[1]", t)
	}
	return nil
}

// Cost: a product and an addition per entry and column; a row of W is gathered
// per entry.
func (SparseMatMul) Cost(in []Type, out Type) cost.Cost {
	gathered := cost.Mul(in[0].rows(), out.Cols.Expr)
	return cost.Cost{
		Work:  cost.Scale(2, gathered),
		Depth: cost.Add(cost.Int(1), cost.Log2(in[1].Rows.Expr)),
		Bytes: cost.Add(adjacency(Entries, Dst, true), cost.Scale(4, gathered), bytes(in[0], out)),
	}
}

// Gathers rows of W.
func (SparseMatMul) Gathers() []Gather { return []Gather{{Operand: 1, Over: Entries, By: Dst}} }

// Grad: ∂W = Xᵀ·∂Y. Features are not learned: the entries receive nothing.
func (SparseMatMul) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return []Value{None, b.Add(SparseMatMulT{b.Type(in[1]).Rows}, in[0], dy)}
}

// Split as MatMul: entries lie with their rows.
func (SparseMatMul) Split(s Split) (Placement, error) {
	switch x, w := s.In[0].Kind, s.In[1].Kind; {
	case w == Whole && (x == Whole || x == Rows):
		return Placement{Kind: x}, nil
	case w == Columns && x == Whole:
		return Placement{Kind: Columns}, nil
	}
	return s.refuse(1, fmt.Sprintf("entries that are %v do not multiply it", s.In[0]))
}

// Reference multiplies the dense matrix.
func (SparseMatMul) Reference(x *RefExec, in []Dense) Dense {
	dense := Densify{Cols(in[1].Rows)}.Reference(x, in[:1])
	return MatMul{}.Reference(x, []Dense{dense, in[1]})
}

// Run multiplies.
func (SparseMatMul) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.SpMM(x.Ctx, x.X, kernel.Dst, in[0], in[1], out)
}

// SparseMatMulT is W = Xᵀ·G, X given by its entries: the gradient of the first
// layer's weight.
type SparseMatMulT struct{ Features Dim }

func (SparseMatMulT) String() string { return "SparseMatMulT" }

// Shape: entries×1 and vertices×k to k_in×k.
func (o SparseMatMulT) Shape(in []Type) (Type, error) {
	if err := arity(in, 2); err != nil {
		return Type{}, err
	}
	if in[1].Space != Vertices {
		return Type{}, fmt.Errorf("got %v, want vertices", in[1])
	}
	return Type{Space: One, Rows: o.Features, Cols: in[1].Cols}, entries(in[0])
}

// Cost: a product and an addition per entry and column; a row of G is gathered
// per entry.
func (o SparseMatMulT) Cost(in []Type, out Type) cost.Cost {
	gathered := cost.Mul(in[0].rows(), out.Cols.Expr)
	index := cost.Add(cost.Scale(8, cost.Add(o.Features.Expr, cost.Int(1))), cost.Scale(2, indices(Entries)))
	return cost.Cost{
		Work:  cost.Scale(2, gathered),
		Depth: cost.Add(cost.Int(1), cost.Log2(in[1].rows())),
		Bytes: cost.Add(index, cost.Scale(4, gathered), bytes(in[0], out)),
	}
}

// Gathers rows of G and the entries, which lie by row.
func (SparseMatMulT) Gathers() []Gather {
	return []Gather{{Operand: 1, Over: Entries, By: Src}, {Operand: 0, Over: Entries, By: Src, Own: true}}
}

// Grad: ∂G = X·∂W.
func (o SparseMatMulT) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return []Value{None, b.Add(SparseMatMul{}, in[0], dy)}
}

// Split: rows give a partial sum; columns of G stay.
func (o SparseMatMulT) Split(s Split) (Placement, error) {
	switch x, g := s.In[0].Kind, s.In[1].Kind; {
	case x == Whole && (g == Whole || g == Columns):
		return s.In[1], nil
	case x == Rows && (g == Rows || g == Halo || g == Whole):
		return Placement{Partial, Sum}, nil
	case x == Partial:
		return s.refuse(0, "a sum over rows of products reads resolved values")
	}
	return s.refuse(1, fmt.Sprintf("it meets entries that are %v", s.In[0]))
}

// Reference multiplies the dense matrix.
func (o SparseMatMulT) Reference(x *RefExec, in []Dense) Dense {
	dense := Densify(o).Reference(x, in[:1])
	return MatMulT{}.Reference(x, []Dense{dense, in[1]})
}

// Run multiplies.
func (o SparseMatMulT) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.SpMM(x.Ctx, x.X, kernel.Src, in[0], in[1], out)
}

// Densify writes sparse features as dense rows, for ops that have no sparse form.
type Densify struct{ Features Dim }

func (Densify) String() string { return "Densify" }

// Shape: entries×1 to vertices×k_in.
func (o Densify) Shape(in []Type) (Type, error) {
	if err := arity(in, 1); err != nil {
		return Type{}, err
	}
	return Type{Space: Vertices, Cols: o.Features}, entries(in[0])
}

// Cost: moves only: the entries are read, the dense rows written.
func (o Densify) Cost(in []Type, out Type) cost.Cost {
	return cost.Cost{Work: cost.Int(0), Depth: cost.Int(0), Bytes: cost.Add(adjacency(Entries, Dst, true), bytes(in[0], out))}
}

// Grad: features are not learned.
func (o Densify) Grad(*Builder, []Value, Value, Value) []Value { return []Value{None} }

// Split is row-wise: entries lie with their rows.
func (o Densify) Split(s Split) (Placement, error) { return s.rowwise() }

// Reference is the definition.
func (o Densify) Reference(x *RefExec, in []Dense) Dense {
	y := NewDense(x.X.Dst, o.Features.N)
	for i := range y.Rows {
		for e := x.X.Ptr[i]; e < x.X.Ptr[i+1]; e++ {
			y.Data[i*y.Cols+int(x.X.Col[e])] += in[0].Data[e]
		}
	}
	return y
}

// Run writes.
func (o Densify) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.Densify(x.Ctx, x.X, in[0], out)
}
