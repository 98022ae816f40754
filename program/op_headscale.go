package program

import (
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// HeadScale multiplies each head of a row by that row's scalar for the head:
// y[i, h·f+c] = x[i, h·f+c] · s[i, h], for H heads of f columns. With one head
// it is a row scaling, diag(s)·X.
type HeadScale struct{}

func (HeadScale) String() string { return "HeadScale" }

// Shape: rows×(H·f) and rows×H to rows×(H·f).
func (HeadScale) Shape(in []Type) (Type, error) {
	if err := arity(in, 2); err != nil {
		return Type{}, err
	}
	if _, err := heads(in[0].Cols, in[1].Cols.N); err != nil {
		return Type{}, err
	}
	return in[0], sameRows(in...)
}

// Cost: one product per element.
func (HeadScale) Cost(in []Type, out Type) cost.Cost { return elementwise(1, 1, in, out) }

// Grad: ∂x = ∂y scaled by s, ∂s = the dot of ∂y and x per head.
func (HeadScale) Grad(b *Builder, in []Value, _, dy Value) []Value {
	x, s := in[0], in[1]
	return []Value{b.HeadScale(dy, s), b.HeadDot(dy, x, b.Type(s).Cols)}
}

// Split: linear in x, and in s; columns where they are cut at head boundaries,
// which a single head's scalar always is.
func (HeadScale) Split(s Split) (Placement, error) {
	x, c := s.In[0].Kind, s.In[1].Kind
	oneHead := s.Types[1].Cols.N == 1
	switch {
	case x == Columns && c == Columns && atHeads(s.Ranks, s.Types[1].Cols.N):
		return Placement{Kind: Columns}, nil
	case x == Columns && c == Whole && oneHead:
		return Placement{Kind: Columns}, nil
	case x == Columns:
		return s.refuse(0, "its columns are not cut between heads, with the scalars")
	case c == Columns:
		return s.refuse(1, "heads are split and the rows are not, or not between heads")
	}
	return s.linear(0)
}

// atHeads reports whether columns cut evenly over ranks are cut between heads.
func atHeads(ranks, heads int) bool { return heads%ranks == 0 }

// Reference is the definition.
func (HeadScale) Reference(_ *RefExec, in []Dense) Dense {
	y := in[0].like()
	f := max(1, y.Cols/max(1, in[1].Cols))
	for i := range y.Rows {
		for j, x := range in[0].Row(i) {
			y.Set(i, j, x*in[1].At(i, j/f))
		}
	}
	return y
}

// Over: x may be overwritten.
func (HeadScale) Over() int { return 0 }

// Run scales.
func (HeadScale) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.HeadScale(x.Ctx, in[0], in[1], out)
}

// HeadScale multiplies each head of x by its scalar in s.
func (b *Builder) HeadScale(x, s Value) Value { return b.Add(HeadScale{}, x, s) }
