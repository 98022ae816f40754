package kernel

import (
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// EdgeSoftmax normalises, per head, the scores of each destination's in-edges:
//
//	y[e, h] = exp(x[e, h] − max_h) / Σ_{e' into dst(e)} exp(x[e', h] − max_h)
//
// with max_h the largest score into the same destination, so that no score is
// too large for the exponential.
//
// Shapes: x and y are m×H.
// Contract: overwrites y, which may be x. A score of NaN or +Inf, or none above
// −Inf, makes the head NaN at that destination and nowhere else. A row is summed
// in an order that depends on its edges, the heads and the strides alone; a long
// row is cut as in [SpMM].
// Cost: work 5mH, bytes 8(n_dst + 1) + 8mH.
func EdgeSoftmax(ctx *Ctx, b *graph.Block, x, y tensor.Matrix) {
	wantShape("kernel.EdgeSoftmax: x", x, b.Edges(), y.Cols)
	wantShape("kernel.EdgeSoftmax: y", y, b.Edges(), y.Cols)
	c, loops := &ctx.call, &ctx.sparse().softmax
	*c = call{body: segmentRows, each: loops.rows, hub: loops.chunkMax, seg: at(b, Dst), x: x, dst: y}
	ctx.cutSegments(y.Cols)
	c.scratch = ctx.floats(len(c.chunks) * y.Cols)
	m := ctx.runSegments()
	if len(c.chunks) > 0 {
		c.spread(maxTo)
		c.hub = loops.chunkExp
		ctx.runChunks()
		c.spread(accumulate)
		c.hub = loops.chunkDivide
		ctx.runChunks()
	}
	h := int64(y.Cols)
	ctx.Count.Add(5*m*h, 8*int64(b.Dst+1)+8*m*h)
}

// segmentRows runs a call's loop over the rows that are not cut.
func segmentRows(c *call, _, _, lo, hi int) {
	edges := int64(0)
	for from, to := c.uncut(lo, hi); from < to; from, to = c.uncut(to, hi) {
		c.each(c, from, to)
		edges += c.seg.ptr[to] - c.seg.ptr[from]
	}
	c.done.Add(edges)
}

// The chunks of a row that is cut keep one value per head in scratch: their
// maximum, then the row's, then their sum, then the row's.

func (c *call) slot(i int) []float32 {
	return c.scratch[i*c.dst.Cols : (i+1)*c.dst.Cols]
}

// spread combines the slots of each row that is cut in order, and gives the
// result to all of them.
func (c *call) spread(combine func(y, x []float32)) {
	for i := 0; i < len(c.chunks); {
		first := c.slot(i)
		j := i + 1
		for ; j < len(c.chunks) && c.chunks[j].row == c.chunks[i].row; j++ {
			combine(first, c.slot(j))
		}
		for i++; i < j; i++ {
			copy(c.slot(i), first)
		}
	}
}

// maxTo computes y = max(y, x).
func maxTo(y, x []float32) {
	for i, v := range x {
		if v > y[i] {
			y[i] = v
		}
	}
}

// EdgeSoftmaxGrad computes the gradient of [EdgeSoftmax]'s scores from its result:
//
//	d[e] = y[e] · (g[e] − Σ_{e' into dst(e)} y[e']·g[e'])
//
// Shapes: y, g and d are m×H.
// Contract: overwrites d, which may be y or g.
// Cost: work 4mH, bytes 8(n_dst + 1) + 12mH.
func EdgeSoftmaxGrad(ctx *Ctx, b *graph.Block, y, g, d tensor.Matrix) {
	wantShape("kernel.EdgeSoftmaxGrad: y", y, b.Edges(), d.Cols)
	wantShape("kernel.EdgeSoftmaxGrad: g", g, b.Edges(), d.Cols)
	wantShape("kernel.EdgeSoftmaxGrad: d", d, b.Edges(), d.Cols)
	c, loops := &ctx.call, &ctx.sparse().softmax
	*c = call{body: segmentRows, each: loops.gradRows, hub: loops.chunkSum, seg: at(b, Dst), x: y, y: g, dst: d}
	ctx.cutSegments(d.Cols)
	c.scratch = ctx.floats(len(c.chunks) * d.Cols)
	m := ctx.runSegments()
	if len(c.chunks) > 0 {
		c.spread(accumulate)
		c.hub = loops.chunkWeigh
		ctx.runChunks()
	}
	h := int64(d.Cols)
	ctx.Count.Add(4*m*h, 8*int64(b.Dst+1)+12*m*h)
}
