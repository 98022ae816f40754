package kernel

import (
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// Scatter gives each edge the row of its endpoint: y[e] = x[end(e)]. It is the
// reverse of [Aggregate] at the same end.
//
// Shapes: x is n_end×k, y m×k.
// Contract: overwrites y.
// Cost: work 0; bytes at Dst 8(n_dst + 1) + 4·n_dst·k + 4mk, at Src 4m + 8mk.
func Scatter(ctx *Ctx, b *graph.Block, end End, x, y tensor.Matrix) {
	wantShape("kernel.Scatter: x", x, vertices(b, end), y.Cols)
	wantShape("kernel.Scatter: y", y, b.Edges(), y.Cols)
	ctx.call = call{body: ctx.sparse().scatter, seg: at(b, Dst), x: x, dst: y}
	if end == Src {
		ctx.call.body = ctx.sparse().gather
	}
	m, k := ctx.edges(y.Rows, y.Cols), int64(y.Cols)
	if end == Src {
		ctx.Count.Add(0, 4*m+8*m*k)
		return
	}
	ctx.Count.Add(0, 8*int64(x.Rows+1)+4*int64(x.Rows)*k+4*m*k)
}

// Aggregate sums the rows of each vertex's edges: y[v] = Σ_{e at v} x[e].
//
// Shapes: x is m×k, y n_end×k.
// Contract: as [SpMM].
// Cost: work mk, bytes 8(n_end + 1) + 4mk + 4·n_end·k, + 4m at Src.
func Aggregate(ctx *Ctx, b *graph.Block, end End, x, y tensor.Matrix) {
	wantShape("kernel.Aggregate: x", x, b.Edges(), y.Cols)
	wantShape("kernel.Aggregate: y", y, vertices(b, end), y.Cols)
	ctx.call = call{sum: ctx.sparse().sumEdges, seg: at(b, end), x: x, dst: y}
	m, k := ctx.segmentSum(), int64(y.Cols)
	ctx.Count.Add(m*k, 8*int64(y.Rows+1)+4*m*k+4*int64(y.Rows)*k+positionBytes(end, m))
}

// EdgeAdd gives each edge the sum of a row of each end: z[e] = x[src(e)] + y[dst(e)].
//
// Shapes: x is n_src×k, y n_dst×k, z m×k.
// Contract: overwrites z.
// Cost: work mk, bytes 8(n_dst + 1) + 4m + 8mk + 4·n_dst·k.
func EdgeAdd(ctx *Ctx, b *graph.Block, x, y, z tensor.Matrix) {
	wantShape("kernel.EdgeAdd: x", x, b.Src, z.Cols)
	wantShape("kernel.EdgeAdd: y", y, b.Dst, z.Cols)
	wantShape("kernel.EdgeAdd: z", z, b.Edges(), z.Cols)
	ctx.call = call{body: ctx.sparse().edgeAdd, seg: at(b, Dst), x: x, y: y, dst: z}
	m, k := ctx.edges(z.Rows, z.Cols), int64(z.Cols)
	ctx.Count.Add(m*k, edgeBytes(b, m)+8*m*k+4*int64(b.Dst)*k)
}

// EdgeDot computes, per edge and head, the product of a row of each end, which
// is the sampled dense-dense product A ⊙ YXᵀ:
//
//	z[e, h] = Σ_c x[src(e), h, c] · y[dst(e), h, c]
//
// Shapes: x is n_src×k, y n_dst×k, z m×H with H dividing k.
// Contract: overwrites z. The gradients of x and y are [SpMM] with weight g.
// Cost: work 2mk, bytes 8(n_dst + 1) + 4m + 4mk + 4·n_dst·k + 4mH.
func EdgeDot(ctx *Ctx, b *graph.Block, x, y, z tensor.Matrix) {
	wantShape("kernel.EdgeDot: x", x, b.Src, x.Cols)
	wantShape("kernel.EdgeDot: y", y, b.Dst, x.Cols)
	wantShape("kernel.EdgeDot: z", z, b.Edges(), z.Cols)
	wantHeads("kernel.EdgeDot: z", x.Cols, z.Cols)
	ctx.call = call{body: ctx.sparse().edgeDot, seg: at(b, Dst), x: x, y: y, dst: z}
	m, k := ctx.edges(z.Rows, x.Cols), int64(x.Cols)
	ctx.Count.Add(2*m*k, edgeBytes(b, m)+4*m*k+4*int64(b.Dst)*k+4*m*int64(z.Cols))
}

// edgeBytes is what reading both ends of m edges in destination order takes.
func edgeBytes(b *graph.Block, m int64) int64 { return 8*int64(b.Dst+1) + 4*m }
