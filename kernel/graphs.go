package kernel

import (
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// graphsOf views the vertices of a batch of graphs, or of its only graph.
func (c *Ctx) graphsOf(b *graph.Block) segments {
	if b.Graphs != nil {
		return segments{ptr: b.Graphs}
	}
	c.span = [2]int64{0, int64(b.Dst)}
	return segments{ptr: c.span[:]}
}

// GraphSum pools vertices: y[g] = Σ_{v in g} x[v].
//
// Shapes: with G graphs (1 where b.Graphs is nil), x is n×k and y G×k.
// Contract: overwrites y; empty graphs get 0. Sums are ordered as in [SpMM].
// Cost: work nk, bytes 8(G + 1) + 4nk + 4Gk.
func GraphSum(ctx *Ctx, b *graph.Block, x, y tensor.Matrix) {
	s := ctx.graphsOf(b)
	wantShape("kernel.GraphSum: x", x, int(s.edges()), y.Cols)
	wantShape("kernel.GraphSum: y", y, s.rows(), y.Cols)
	ctx.call = call{sum: ctx.sparse().sumEdges, seg: s, x: x, dst: y}
	n, k := ctx.segmentSum(), int64(y.Cols)
	ctx.Count.Add(n*k, 8*int64(y.Rows+1)+4*n*k+4*int64(y.Rows)*k)
}

// GraphBroadcast gives each vertex the row of its graph, the reverse of [GraphSum].
//
// Shapes: x is G×k, y n×k.
// Contract: overwrites y.
// Cost: work 0, bytes 8(G + 1) + 4Gk + 4nk.
func GraphBroadcast(ctx *Ctx, b *graph.Block, x, y tensor.Matrix) {
	s := ctx.graphsOf(b)
	wantShape("kernel.GraphBroadcast: x", x, s.rows(), y.Cols)
	wantShape("kernel.GraphBroadcast: y", y, int(s.edges()), y.Cols)
	ctx.call = call{body: ctx.sparse().scatter, seg: s, x: x, dst: y}
	n, k := ctx.rows(y.Rows, y.Cols), int64(y.Cols)
	ctx.Count.Add(0, 8*int64(x.Rows+1)+4*int64(x.Rows)*k+4*n*k)
}

// GraphArgMax finds, per graph and column, the vertex with the largest value.
//
// Shapes: x is n×k, arg G×k.
// Contract: as [ArgMax], with vertices in place of edges; for [Pick] and [Route].
// Cost: work nk, bytes 8(G + 1) + 4nk + 4Gk.
func GraphArgMax(ctx *Ctx, b *graph.Block, x, arg tensor.Matrix) {
	s := ctx.graphsOf(b)
	wantShape("kernel.GraphArgMax: x", x, int(s.edges()), arg.Cols)
	wantShape("kernel.GraphArgMax: arg", arg, s.rows(), arg.Cols)
	graphArg(ctx, s, 1, x, arg)
}

// GraphArgMin finds the smallest values, as [GraphArgMax].
func GraphArgMin(ctx *Ctx, b *graph.Block, x, arg tensor.Matrix) {
	s := ctx.graphsOf(b)
	wantShape("kernel.GraphArgMin: x", x, int(s.edges()), arg.Cols)
	wantShape("kernel.GraphArgMin: arg", arg, s.rows(), arg.Cols)
	graphArg(ctx, s, -1, x, arg)
}

func graphArg(ctx *Ctx, s segments, sign float32, x, arg tensor.Matrix) {
	n, k := ctx.argSegments(s, sign, nil, x, arg), int64(arg.Cols)
	ctx.Count.Add(n*k, 8*int64(arg.Rows+1)+4*n*k+4*int64(arg.Rows)*k)
}
