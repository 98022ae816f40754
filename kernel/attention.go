package kernel

import (
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// Attention says how additive attention weighs the edges of a block. With r of
// the source and l of the destination of edge e, and v that destination,
//
//	s[e, h] = r[src(e), h] + l[v, h],  a[e, h] = s where s > 0, Slope·s elsewhere
//	α[e, h] = exp(a[e, h]) / Σ_{e' into v} exp(a[e', h])
//	w[e, h] = α[e, h] · mask[e, h]
//
// where mask is that of [Dropout] on edges, and 1 where Mask.P is 0.
type Attention struct {
	Heads int
	Slope float32 // 0 < Slope ≤ 1
	Mask  Mask
	IDs   []int64 // the edges' identities, as in Dropout; nil where e's is Mask.First + e
}

// Attend sums, at each destination, the rows of its neighbours by their
// attention:
//
//	y[v, h] = Σ_{e into v} w[e, h] · z[src(e), h]
//
// where [·, h] is column block h of H equal ones. It is [EdgeAdd], [LeakyReLU],
// [EdgeSoftmax], [Dropout] and [SpMM] in one pass over the edges: blocks of rows
// go through all of it while their scores are in cache, so that no value per
// edge is stored.
//
// Shapes: z is n_src×k, r n_src×H, l n_dst×H, y n_dst×k, H dividing k.
// Contract: overwrites y, which overlaps no operand. Vertices without edges get
// 0. A score of NaN or +Inf makes the head NaN at that destination and nowhere
// else, and so may one of −Inf. A row of more than 2048 edges is cut, from its
// start, into chunks of 2048, each normalised by itself; they are combined in
// order, each weighted by its share of the row's sum of exponentials. Steps
// given to [Ctx.Then] follow.
// Cost: work m(2k + 7H), + 2mH with a mask; bytes 8(n_dst + 1) + 4m +
// 4(m + n_dst)(k + H).
// Source: Veličković et al., arXiv 1710.10903, Eqs. 1 to 5; combining parts as
// Milakov and Gimelshein, arXiv 1805.02867, do.
func Attend(ctx *Ctx, b *graph.Block, a Attention, z, r, l, y tensor.Matrix) {
	a.check(b, z, r, l)
	wantShape("kernel.Attend: y", y, b.Dst, z.Cols)
	c := &ctx.call
	*c = call{seg: at(b, Dst), dst: y}
	c.attend = attendOperands{z: z, r: r, l: l, run: attendSum, slot: y.Cols + 2*a.Heads, rows: blockHeight}
	ctx.takeTail(y, wantShape)
	m := ctx.attendRows(a, y.Cols)
	c.eachCut(attendSumCombine)
	h, k, n := int64(a.Heads), int64(y.Cols), int64(b.Dst)
	ctx.Count.Add(m*(2*k+7*h+a.maskWork()), 8*(n+1)+4*m+4*(m+n)*(k+h))
}

// AttendGradDst computes what the gradient of [Attend] is made of at the
// destinations. With g the gradient of y and d[e, h] = mask[e, h] · ⟨z[src(e), h],
// g[v, h]⟩, it sets four values of each destination v and head h, those of all
// heads side by side:
//
//	l[v, h]
//	λ[v, h] = ln Σ_{e into v} exp(a[e, h])
//	t[v, h] = Σ_{e into v} α[e, h] · d[e, h]
//	∂l[v, h] = Σ_{e into v} α[e, h] · (d[e, h] − t[v, h]) · σ′[e, h]
//
// where σ′ is 1 where s > 0 and Slope elsewhere. The last is the gradient of l;
// the first three are what [AttendGradSrc] gathers.
//
// Shapes: z, r and l as in Attend, g n_dst×k, s n_dst×4H.
// Contract: overwrites s. λ, t and ∂l of vertices without edges are 0.
// Otherwise as Attend.
// Cost: work m(2k + 14H) + 2·n_dst·H, + 2mH with a mask; bytes 8(n_dst + 1) +
// 4m + 4(m + n_dst)(k + H) + 16·n_dst·H.
func AttendGradDst(ctx *Ctx, b *graph.Block, a Attention, z, r, l, g, s tensor.Matrix) {
	a.check(b, z, r, l)
	wantShape("kernel.AttendGradDst: g", g, b.Dst, z.Cols)
	wantShape("kernel.AttendGradDst: s", s, b.Dst, 4*a.Heads)
	c := &ctx.call
	*c = call{seg: at(b, Dst), dst: s}
	c.attend = attendOperands{z: z, r: r, l: l, g: g, run: attendMoments, slot: moments * a.Heads, rows: blockHeight}
	m := ctx.attendRows(a, g.Cols)
	c.eachCut(attendMomentsCombine)
	h, k, n := int64(a.Heads), int64(z.Cols), int64(b.Dst)
	ctx.Count.Add(m*(2*k+14*h+a.maskWork())+2*n*h, 8*(n+1)+4*m+4*(m+n)*(k+h)+16*n*h)
}

// AttendGradSrc computes the gradients of [Attend] at the sources, from what
// [AttendGradDst] left in s. With d as there, it sets k + H values of each
// source u, those of the first gradient and then those of the second:
//
//	∂z[u, h] = Σ_{e out of u} w[e, h] · g[dst(e), h]
//	∂r[u, h] = Σ_{e out of u} α[e, h] · (d[e, h] − t[dst(e), h]) · σ′[e, h]
//
// Shapes: z is n_src×k, r n_src×H, g n_dst×k, s n_dst×4H, d n_src×(k + H).
// Contract: overwrites d. Vertices without edges get 0. Long rows are cut as in
// [SpMM]. Steps given to [Ctx.Then] follow.
// Cost: work m(4k + 9H), + 4mH with a mask; bytes 8(n_src + 1) + 4m +
// 4m(k + 4H) + 8·n_src(k + H).
func AttendGradSrc(ctx *Ctx, b *graph.Block, a Attention, z, r, g, s, d tensor.Matrix) {
	wantShape("kernel.AttendGradSrc: g", g, b.Dst, z.Cols)
	wantShape("kernel.AttendGradSrc: s", s, b.Dst, 4*a.Heads)
	a.check(b, z, r, s.Columns(0, a.Heads))
	wantShape("kernel.AttendGradSrc: d", d, b.Src, z.Cols+a.Heads)
	c := &ctx.call
	seg := neighbours
	if a.Mask.P > 0 {
		seg = at
	}
	*c = call{seg: seg(b, Src), dst: d}
	c.attend = attendOperands{z: z, r: r, g: g, l: s, run: attendBack, slot: d.Cols, rows: max(1, blockSums/max(1, z.Cols)), width: z.Cols}
	ctx.takeTail(d, wantShape)
	m := ctx.attendRows(a, g.Cols)
	c.eachCut(attendBackCombine)
	h, k, n := int64(a.Heads), int64(z.Cols), int64(b.Src)
	ctx.Count.Add(m*(4*k+9*h+2*a.maskWork()), 8*(n+1)+4*m+4*m*(k+4*h)+8*n*(k+h))
}

// check panics unless the operands fit together.
func (a Attention) check(b *graph.Block, z, r, l tensor.Matrix) {
	wantShape("kernel.Attention: z", z, b.Src, z.Cols)
	wantHeads("kernel.Attention: z", z.Cols, a.Heads)
	wantShape("kernel.Attention: r", r, b.Src, a.Heads)
	wantShape("kernel.Attention: l", l, b.Dst, a.Heads)
	if a.IDs != nil {
		wantLen("kernel.Attention: ids", len(a.IDs), b.Edges())
	}
}

// maskWork is the operations per edge of one use of the mask.
func (a Attention) maskWork() int64 {
	if a.Mask.P == 0 {
		return 0
	}
	return 2 * int64(a.Heads)
}
