package program

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// HeadProject is the dot product of every row with one learned vector per
// head: s[i, h] = Σ_c x[i, h·f+c] · a[h·f+c].
type HeadProject struct{ Heads Dim }

func (o HeadProject) String() string { return fmt.Sprintf("HeadProject(%v)", o.Heads.Expr) }

// Shape: rows×(H·f) and 1×(H·f) to rows×H.
func (o HeadProject) Shape(in []Type) (Type, error) {
	if err := arity(in, 2); err != nil {
		return Type{}, err
	}
	if _, err := heads(in[0].Cols, o.Heads.N); err != nil {
		return Type{}, err
	}
	return Type{Space: in[0].Space, Rows: in[0].Rows, Cols: o.Heads}, wantRow(in[1], in[0].Cols)
}

// Cost: a product and an addition per element, a sum over a head deep.
func (o HeadProject) Cost(in []Type, out Type) cost.Cost { return HeadDot(o).Cost(in, out) }

// Grad: ∂x = the outer product of ∂s and a, ∂a = the rows of x combined by ∂s.
func (o HeadProject) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return []Value{b.Add(HeadOuter{}, dy, in[1]), b.Add(HeadCombine{}, in[0], dy)}
}

// OfColumns is that of HeadDot.
func (o HeadProject) OfColumns(_ Dim, at Place) Op {
	return HeadProject{at.heads(o.Heads)}
}

// Split as HeadDot, the vector whole or split with the columns.
func (o HeadProject) Split(s Split) (Placement, error) {
	if s.In[1].Kind == Columns && s.In[0].Kind == Columns || s.In[1].Kind == Whole {
		return HeadDot(o).Split(s)
	}
	return s.refuse(1, "the vector is whole, or split by columns as the rows are")
}

// Reference is the definition.
func (o HeadProject) Reference(_ *RefExec, in []Dense) Dense {
	s := NewDense(in[0].Rows, o.Heads.N)
	f := in[0].Cols / o.Heads.N
	for i := range s.Rows {
		for j, x := range in[0].Row(i) {
			s.Data[i*s.Cols+j/f] += x * in[1].Data[j]
		}
	}
	return s
}

// Run multiplies and adds.
func (o HeadProject) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.HeadDotVec(x.Ctx, in[0], in[1], out)
}

// HeadOuter scales one vector per head by every row's scalar for the head:
// y[i, h·f+c] = s[i, h] · a[h·f+c].
type HeadOuter struct{}

func (HeadOuter) String() string { return "HeadOuter" }

// Shape: rows×H and 1×(H·f) to rows×(H·f).
func (HeadOuter) Shape(in []Type) (Type, error) {
	if err := arity(in, 2); err != nil {
		return Type{}, err
	}
	if _, err := heads(in[1].Cols, in[0].Cols.N); err != nil {
		return Type{}, err
	}
	return Type{Space: in[0].Space, Rows: in[0].Rows, Cols: in[1].Cols}, wantRow(in[1], in[1].Cols)
}

// Cost: one product per element.
func (HeadOuter) Cost(in []Type, out Type) cost.Cost { return elementwise(1, 1, in, out) }

// Grad: ∂s = ∂y projected on a, ∂a = the rows of ∂y combined by s.
func (HeadOuter) Grad(b *Builder, in []Value, _, dy Value) []Value {
	s, a := in[0], in[1]
	return []Value{b.HeadProject(dy, a, b.Type(s).Cols), b.Add(HeadCombine{}, dy, s)}
}

// Split: rows keep rows; columns cut between heads keep columns.
func (HeadOuter) Split(s Split) (Placement, error) {
	oneHead := s.Types[0].Cols.N == 1
	switch c, a := s.In[0].Kind, s.In[1].Kind; {
	case a == Columns && c == Columns && !oneHead && atHeads(s.Ranks, s.Types[0].Cols.N),
		a == Columns && c == Whole && oneHead:
		return Placement{Kind: Columns}, nil
	case c == Columns:
		return s.refuse(0, "heads are split and the vector is not, or not between heads")
	case a == Columns:
		return s.refuse(1, "its columns are not cut between heads, with the scalars")
	case a != Whole:
		return s.refuse(1, "the vector is whole or split by columns")
	}
	return s.linear(0)
}

// Reference is the definition.
func (HeadOuter) Reference(_ *RefExec, in []Dense) Dense {
	y := NewDense(in[0].Rows, in[1].Cols)
	f := y.Cols / in[0].Cols
	for i := range y.Rows {
		for j, a := range in[1].Data {
			y.Set(i, j, in[0].At(i, j/f)*a)
		}
	}
	return y
}

// Run multiplies.
func (HeadOuter) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.HeadOuter(x.Ctx, in[0], in[1], out)
}

// HeadCombine sums rows with a scalar per row and head:
// a[h·f+c] = Σ_i x[i, h·f+c] · s[i, h].
type HeadCombine struct{}

func (HeadCombine) String() string { return "HeadCombine" }

// Shape: rows×(H·f) and rows×H to 1×(H·f).
func (HeadCombine) Shape(in []Type) (Type, error) {
	t, err := HeadScale{}.Shape(in)
	return row(t.Cols), err
}

// Cost: a product and an addition per element, a sum over the rows deep.
func (HeadCombine) Cost(in []Type, out Type) cost.Cost { return sumRows(2, in[0], in, out) }

// Grad: ∂x = the outer product of s and ∂a, ∂s = x projected on ∂a.
func (HeadCombine) Grad(b *Builder, in []Value, _, dy Value) []Value {
	x, s := in[0], in[1]
	return []Value{b.Add(HeadOuter{}, s, dy), b.HeadProject(x, dy, b.Type(s).Cols)}
}

// Split: rows give a partial sum; columns cut between heads keep columns.
func (HeadCombine) Split(s Split) (Placement, error) {
	if s.In[0].Kind == Columns || s.In[1].Kind == Columns {
		return HeadScale{}.Split(s)
	}
	return s.reduceRows()
}

// Reference is the composition.
func (HeadCombine) Reference(x *RefExec, in []Dense) Dense {
	return ColumnSum{}.Reference(x, []Dense{HeadScale{}.Reference(x, in)})
}

// Run multiplies and adds in fixed pieces of rows.
func (HeadCombine) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.HeadSumVec(x.Ctx, in[0], in[1], out)
}

// CostOnto adds to Cost that the result is read.
func (o HeadCombine) CostOnto(in []Type, out Type) cost.Cost { return onto(o.Cost(in, out), out) }

// RunOnto multiplies and adds in fixed pieces of rows.
func (HeadCombine) RunOnto(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.HeadSumVecOnto(x.Ctx, in[0], in[1], out)
}

// HeadProject is the dot product of every row with a's vector per head.
func (b *Builder) HeadProject(x, a Value, heads Dim) Value {
	return b.Add(HeadProject{heads}, x, a)
}
