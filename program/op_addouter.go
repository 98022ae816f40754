package program

import (
	"errors"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// AddOuter is a sum with what HeadOuter makes of the other operands, in one pass, in
// the first columns of rows:
// y[i, h·f+c] = x[i, h·f+c] + s[i, h] · a[h·f+c], and x where a has no column.
type AddOuter struct{}

func (AddOuter) String() string { return "Add HeadOuter" }

// Shape: rows×c, rows×H and 1×(H·f) to rows×c, c ≥ H·f.
func (AddOuter) Shape(in []Type) (Type, error) {
	if err := arity(in, 3); err != nil {
		return Type{}, err
	}
	outer, err := HeadOuter{}.Shape(in[1:])
	if err != nil {
		return Type{}, err
	}
	return in[0], wantFirst(in[0], outer)
}

// wantFirst checks that rows have the columns of outer, and perhaps more.
func wantFirst(rows, outer Type) error {
	if rows.Cols.N > outer.Cols.N {
		outer.Cols = rows.Cols
	}
	return sameShape(rows, outer)
}

// Cost: a product and a sum per element of a's columns.
func (AddOuter) Cost(in []Type, out Type) cost.Cost { return outerSum(in[2], in, out) }

// outerSum is the cost of adding an outer product with a to columns of rows.
func outerSum(a Type, in []Type, out Type) cost.Cost {
	c := elementwise(2, 2, in, out)
	c.Work = cost.Scale(2, cost.Mul(out.rows(), a.Cols.Expr))
	return c
}

// Grad: ∂x = ∂y, and those of HeadOuter.
func (AddOuter) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return append([]Value{dy}, HeadOuter{}.Grad(b, in[1:], None, b.first(dy, b.Type(in[2]).Cols))...)
}

// first returns the first columns of rows.
func (b *Builder) first(x Value, cols Dim) Value {
	if b.Type(x).Cols.N == cols.N {
		return x
	}
	return b.Add(Slice{From: Cols(0), Width: cols}, x)
}

// Split: that of the product, and of its sum with the first operand.
func (AddOuter) Split(s Split) (Placement, error) {
	at, err := HeadOuter{}.Split(s.of(1, 2))
	if err != nil {
		return at, err
	}
	if (s.In[0].Kind == Columns) != (at.Kind == Columns) {
		return s.refuse(2, "it is split by columns as the rows are, or neither is")
	}
	if at.Kind == Columns && s.Types[0].Cols.N != s.Types[2].Cols.N {
		return s.refuse(0, "ranks have other columns of the rows than of the vector")
	}
	sum := s.of(0, 1)
	sum.In[1], sum.Types[1] = at, s.Out
	return sum.additive()
}

// Reference is the definition.
func (AddOuter) Reference(_ *RefExec, in []Dense) Dense {
	y, f := in[0].like(), in[2].Cols/in[1].Cols
	copy(y.Data, in[0].Data)
	for i := range y.Rows {
		for j, a := range in[2].Data {
			y.Set(i, j, y.At(i, j)+in[1].At(i, j/f)*a)
		}
	}
	return y
}

// Over: the rows may be overwritten.
func (AddOuter) Over() int { return 0 }

// Run multiplies and adds.
func (AddOuter) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.AddOuter(x.Ctx, in[0], in[1], in[2], out)
}

// AddOwnOuter is AddOuter of the columns that follow a's in the same rows:
// y[i, h·f+c] = x[i, h·f+c] + x[i, H·f+h] · a[h·f+c], and x in these columns. So the
// gradient of rows takes that of their scores, which lies beside it.
type AddOwnOuter struct{}

func (AddOwnOuter) String() string { return "Add own HeadOuter" }

// Shape: rows×(H·f + H) and 1×(H·f) to rows×(H·f + H).
func (AddOwnOuter) Shape(in []Type) (Type, error) {
	if err := arity(in, 2); err != nil {
		return Type{}, err
	}
	_, err := heads(in[1].Cols, in[0].Cols.N-in[1].Cols.N)
	return in[0], errors.Join(wantRow(in[1], in[1].Cols), err)
}

// Cost: a product and a sum per element of a's columns.
func (AddOwnOuter) Cost(in []Type, out Type) cost.Cost { return outerSum(in[1], in, out) }

// Grad: those of AddOuter, of which that of the last columns is added to theirs.
func (AddOwnOuter) Grad(b *Builder, in []Value, _, dy Value) []Value {
	x, a := in[0], in[1]
	all, k := b.Type(x).Cols, b.Type(a).Cols
	s := b.Add(Slice{From: k, Width: Dim{N: all.N - k.N, Expr: cost.Sub(all.Expr, k.Expr)}}, x)
	g := HeadOuter{}.Grad(b, []Value{s, a}, None, b.first(dy, k))
	return []Value{b.AddValues(dy, b.Add(Pad{From: k, Width: all}, g[0])), g[1]}
}

// Split: the vector is whole, and rows have all columns.
func (AddOwnOuter) Split(s Split) (Placement, error) {
	if s.In[0].Kind == Columns {
		return s.refuse(0, "the first columns read the last")
	}
	if s.In[1].Kind != Whole {
		return s.refuse(1, "the vector is whole")
	}
	return s.linear(0)
}

// Reference is the definition.
func (AddOwnOuter) Reference(x *RefExec, in []Dense) Dense {
	k := Dim{N: in[1].Cols}
	own := Slice{From: k, Width: Dim{N: in[0].Cols - k.N}}.Reference(x, in[:1])
	return AddOuter{}.Reference(x, []Dense{in[0], own, in[1]})
}

// Over: the rows may be overwritten.
func (AddOwnOuter) Over() int { return 0 }

// Run multiplies and adds.
func (AddOwnOuter) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.AddOwnOuter(x.Ctx, in[0], in[1], out)
}
