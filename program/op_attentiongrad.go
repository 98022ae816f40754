package program

import (
	"errors"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// AttentionGradDst is the part of Attention's gradient that sums over the edges
// of destinations. From z, r, l and g = ∂y it computes, side by side, four values
// per destination and head, with δ_uv = mask(⟨g_v, z_u⟩):
//
//	l_v,  λ_v = ln Σ_u exp σ(l_v + r_u),  t_v = Σ_u α_uv·δ_uv,  ∂l_v = Σ_u α_uv·(δ_uv − t_v)·σ′
//
// of which AttentionGradSrc reads the first three. λ is 0 without edges.
type AttentionGradDst Attention

func (o AttentionGradDst) String() string { return "Attention'(dst, " + Attention(o).attributes() }

// Shape: vertices×(H·f), twice vertices×H, vertices×(H·f) to vertices×4H.
func (o AttentionGradDst) Shape(in []Type) (Type, error) {
	if err := arity(in, 4); err != nil {
		return Type{}, err
	}
	a := Attention(o)
	err := errors.Join(a.check(in[0]), a.reads(in[1], Src, o.Heads), a.reads(in[2], Dst, o.Heads), a.reads(in[3], Dst, in[0].Cols))
	return a.at(Dst, o.Heads.Times(Cols(4))), err
}

// Cost: the coefficients again, 7 operations per edge and head, and what it
// replaces, 7 more and 2 per edge and column; λ is 2 per vertex and head.
func (o AttentionGradDst) Cost(in []Type, out Type) cost.Cost {
	a := Attention(o)
	h, d := a.perHead(), cost.Log2(Dst.degree(o.Over))
	products := cost.Add(cost.Int(1), a.headDepth(in[0]), a.masking(cost.Int(1)))
	return cost.Cost{
		Work:  cost.Add(cost.Scale(2, a.perColumn(in[0])), cost.Scale(14, h), a.masking(h), cost.Scale(2, in[2].size())),
		Depth: cost.Add(cost.Int(5), cost.Scale(2, d), cost.Max(cost.Add(cost.Int(5), cost.Scale(2, d)), products)),
		Bytes: cost.Add(adjacency(o.Over, Dst, false), cost.Scale(4, cost.Add(a.perColumn(in[0]), h)), bytes(in[2], in[3], out)),
	}
}

// Grad is that of the composition.
func (o AttentionGradDst) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return b.gradComposed(in, dy, o.Lower)
}

// Held goes over edges as they are owned.
func (o AttentionGradDst) Held(by Owner) Op {
	return AttentionGradDst(Attention(o).Held(by).(Attention))
}

// Split: local where a destination's edges lie together.
func (o AttentionGradDst) Split(s Split) (Placement, error) {
	if s.spread(o.Over) && !s.ownsAlong(Dst) {
		return s.refuse(0, "a destination's edges are spread over ranks: lower it")
	}
	return s.walk(o)
}

// Walk: z and r are read at sources, l and g at destinations.
func (o AttentionGradDst) Walk() (over Space, along Map, reads []Map) {
	return o.Over, Dst, []Map{Src, Src, Dst, Dst}
}

// Gathers rows of z and of r.
func (o AttentionGradDst) Gathers() []Gather { return gathersOf(o) }

// Reference is the composition.
func (o AttentionGradDst) Reference(x *RefExec, in []Dense) Dense { return composed(x, in, o) }

// Run computes all four in one pass over the edges.
func (o AttentionGradDst) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.AttendGradDst(x.Ctx, x.Block(o.Over), Attention(o).kernel(x), in[0], in[1], in[2], in[3], out)
}

// Lower replaces it by the operations it is composed of. The largest score is
// among the sum of exponentials, so that the sum is at least 1 where there are
// edges; where there are none it is raised to 1.
func (o AttentionGradDst) Lower(b *Builder, in []Value) Value {
	z, r, l, g := in[0], in[1], in[2], in[3]
	score := Attention(o).scores(b, r, l)
	α := b.Add(EdgeSoftmax{o.Over}, score)
	δ := Attention(o).drop(b, b.Add(EdgeDot{o.Over, o.Heads}, z, g))
	t := b.Sum(b.Mul(α, δ), Dst)
	ds := b.Add(UnaryGrad{Attention(o).rectifier()}, score, b.Add(EdgeSoftmaxGrad{o.Over}, α, δ))
	top := b.Add(Extreme{Of: Max, Along: Dst, Over: o.Over}, score)
	sum := b.Sum(b.Apply(kernel.Exp, 0, b.Sub(score, b.Scatter(top, Dst, o.Over))), Dst)
	above := b.ReLU(b.Apply(kernel.Offset, -1, sum))
	λ := b.AddValues(top, b.Apply(kernel.Log, 0, b.Apply(kernel.Offset, 1, above)))
	return b.Concat(b.Concat(l, λ), b.Concat(t, b.Sum(ds, Dst)))
}

// AttentionGradSrc is the part of Attention's gradient that sums over the edges
// of sources. From z, r, g = ∂y and what AttentionGradDst computed, it computes,
// side by side,
//
//	∂z_u = Σ_v mask(α_uv)·g_v,  ∂r_u = Σ_v α_uv·(δ_uv − t_v)·σ′
//
// with α_uv = exp(σ(l_v + r_u) − λ_v).
type AttentionGradSrc Attention

func (o AttentionGradSrc) String() string { return "Attention'(src, " + Attention(o).attributes() }

// Shape: vertices×(H·f), vertices×H, vertices×(H·f), vertices×4H to
// vertices×(H·f + H).
func (o AttentionGradSrc) Shape(in []Type) (Type, error) {
	if err := arity(in, 4); err != nil {
		return Type{}, err
	}
	a := Attention(o)
	err := errors.Join(a.check(in[0]), a.reads(in[1], Src, o.Heads), a.reads(in[2], Dst, in[0].Cols), a.reads(in[3], Dst, o.Heads.Times(Cols(4))))
	return a.at(Src, in[0].Cols.Plus(o.Heads)), err
}

// Cost: the coefficients and the products again, 4 operations per edge and head
// and 2 per edge and column, and what it replaces, 5 and 2.
func (o AttentionGradSrc) Cost(in []Type, out Type) cost.Cost {
	a := Attention(o)
	h, d := a.perHead(), cost.Log2(Src.degree(o.Over))
	products := cost.Add(cost.Int(2), a.headDepth(in[0]), a.masking(cost.Int(1)))
	return cost.Cost{
		Work:  cost.Add(cost.Scale(4, a.perColumn(in[0])), cost.Scale(9, h), cost.Scale(2, a.masking(h))),
		Depth: cost.Add(cost.Max(cost.Int(4), products), cost.Int(3), d),
		Bytes: cost.Add(adjacency(o.Over, Src, false), cost.Scale(4, cost.Add(a.perColumn(in[0]), cost.Scale(4, h))), bytes(in[0], in[1], out)),
	}
}

// Grad is that of the composition.
func (o AttentionGradSrc) Grad(b *Builder, in []Value, _, dy Value) []Value {
	return b.gradComposed(in, dy, o.Lower)
}

// Held goes over edges as they are owned.
func (o AttentionGradSrc) Held(by Owner) Op {
	return AttentionGradSrc(Attention(o).Held(by).(Attention))
}

// Split: rows where a source's edges lie together, a partial sum otherwise.
func (o AttentionGradSrc) Split(s Split) (Placement, error) {
	return s.walk(o)
}

// Walk: z and r are read at sources, g and s at destinations.
func (o AttentionGradSrc) Walk() (over Space, along Map, reads []Map) {
	return o.Over, Src, []Map{Src, Src, Dst, Dst}
}

// Gathers rows of g and of s.
func (o AttentionGradSrc) Gathers() []Gather { return gathersOf(o) }

// Reference is the composition.
func (o AttentionGradSrc) Reference(x *RefExec, in []Dense) Dense { return composed(x, in, o) }

// Run computes both in one pass over the edges.
func (o AttentionGradSrc) Run(x *Exec, in []tensor.Matrix, out tensor.Matrix) {
	kernel.AttendGradSrc(x.Ctx, x.Block(o.Over), Attention(o).kernel(x), in[0], in[1], in[2], in[3], out)
}

// Lower replaces it by the operations it is composed of.
func (o AttentionGradSrc) Lower(b *Builder, in []Value) Value {
	z, r, g, s := in[0], in[1], in[2], in[3]
	part := func(i int) Value { return b.Add(Slice{From: o.Heads.Times(Cols(i)), Width: o.Heads}, s) }
	l, λ, t := part(0), part(1), part(2)
	score := Attention(o).scores(b, r, l)
	α := b.Apply(kernel.Exp, 0, b.Sub(score, b.Scatter(λ, Dst, o.Over)))
	δ := Attention(o).drop(b, b.Add(EdgeDot{o.Over, o.Heads}, z, g))
	ds := b.Mul(α, b.Sub(δ, b.Scatter(t, Dst, o.Over)))
	dr := b.Sum(b.Add(UnaryGrad{Attention(o).rectifier()}, score, ds), Src)
	return b.Concat(b.Add(SpMM{Src, o.Over, true}, g, Attention(o).drop(b, α)), dr)
}
