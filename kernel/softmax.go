package kernel

import (
	"math"

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
// Contract: overwrites y, which may be x. A NaN, or no finite score, makes the
// head NaN at that destination and nowhere else. Sums are ordered as in [SpMM].
// Cost: work 5mH, bytes 8(n_dst + 1) + 8mH.
func EdgeSoftmax(ctx *Ctx, b *graph.Block, x, y tensor.Matrix) {
	wantShape("kernel.EdgeSoftmax: x", x, b.Edges(), y.Cols)
	wantShape("kernel.EdgeSoftmax: y", y, b.Edges(), y.Cols)
	c := &ctx.call
	*c = call{body: softmaxRows, hub: softmaxChunkMax, seg: at(b, Dst), x: x, dst: y}
	ctx.cutSegments(y.Cols)
	c.scratch = ctx.floats(len(c.chunks) * y.Cols)
	m := ctx.runSegments()
	if len(c.chunks) > 0 {
		c.spread(maxTo)
		c.hub = softmaxChunkExp
		ctx.runChunks()
		c.spread(accumulate)
		c.hub = softmaxChunkScale
		ctx.runChunks()
	}
	h := int64(y.Cols)
	ctx.Count.Add(5*m*h, 8*int64(b.Dst+1)+8*m*h)
}

// headGroup is how many heads are carried through a row's edges at once.
const headGroup = 8

func softmaxRows(c *call, _, _, lo, hi int) {
	var top, sum [headGroup]float32
	edges := 0
	for r := lo; r < hi; r++ {
		from, to := int(c.seg.ptr[r]), int(c.seg.ptr[r+1])
		if to-from > chunkEdges {
			continue
		}
		for h := 0; h < c.dst.Cols; h += headGroup {
			n := min(headGroup, c.dst.Cols-h)
			headMax(c.x, from, to, h, top[:n])
			headExp(c.dst, c.x, from, to, h, top[:n], sum[:n])
			headScale(c.dst, from, to, h, sum[:n])
		}
		edges += to - from
	}
	c.done.Add(int64(edges))
}

// The chunks of a row that is cut keep one value per head in scratch: their
// maximum, then the row's, then their sum, then the row's.

func (c *call) slot(i int) []float32 {
	return c.scratch[i*c.dst.Cols : (i+1)*c.dst.Cols]
}

func softmaxChunkMax(c *call, slot int, k chunk) {
	headMax(c.x, int(k.lo), int(k.hi), 0, c.slot(slot))
}

func softmaxChunkExp(c *call, slot int, k chunk) {
	var top [headGroup]float32
	s := c.slot(slot)
	for h := 0; h < len(s); h += headGroup {
		sum := s[h:min(h+headGroup, len(s))]
		copy(top[:], sum)
		headExp(c.dst, c.x, int(k.lo), int(k.hi), h, top[:len(sum)], sum)
	}
}

func softmaxChunkScale(c *call, slot int, k chunk) {
	headScale(c.dst, int(k.lo), int(k.hi), 0, c.slot(slot))
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

// maxTo computes y = max(y, x), NaN where either is.
func maxTo(y, x []float32) {
	for i, v := range x {
		if v > y[i] || v != v {
			y[i] = v
		}
	}
}

// headMax sets top to the maxima of columns h on over rows lo to hi of x.
func headMax(x tensor.Matrix, lo, hi, h int, top []float32) {
	for i := range top {
		top[i] = float32(math.Inf(-1))
	}
	for e := lo; e < hi; e++ {
		maxTo(top, x.Row(e)[h:h+len(top)])
	}
}

// headExp sets y to exp(x − top) and sum to its sums.
func headExp(y, x tensor.Matrix, lo, hi, h int, top, sum []float32) {
	clear(sum)
	for e := lo; e < hi; e++ {
		to, from := y.Row(e)[h:h+len(top)], x.Row(e)[h:h+len(top)]
		for i, v := range from {
			v = exp(v - top[i])
			to[i] = v
			sum[i] += v
		}
	}
}

// headScale divides y by sum.
func headScale(y tensor.Matrix, lo, hi, h int, sum []float32) {
	for e := lo; e < hi; e++ {
		row := y.Row(e)[h : h+len(sum)]
		for i := range row {
			row[i] /= sum[i]
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
	c := &ctx.call
	*c = call{body: softmaxGradRows, hub: softmaxGradChunkSum, seg: at(b, Dst), x: y, y: g, dst: d}
	ctx.cutSegments(d.Cols)
	c.scratch = ctx.floats(len(c.chunks) * d.Cols)
	m := ctx.runSegments()
	if len(c.chunks) > 0 {
		c.spread(accumulate)
		c.hub = softmaxGradChunk
		ctx.runChunks()
	}
	h := int64(d.Cols)
	ctx.Count.Add(4*m*h, 8*int64(b.Dst+1)+12*m*h)
}

func softmaxGradRows(c *call, _, _, lo, hi int) {
	var sum [headGroup]float32
	edges := 0
	for r := lo; r < hi; r++ {
		from, to := int(c.seg.ptr[r]), int(c.seg.ptr[r+1])
		if to-from > chunkEdges {
			continue
		}
		for h := 0; h < c.dst.Cols; h += headGroup {
			s := sum[:min(headGroup, c.dst.Cols-h)]
			headWeigh(c.x, c.y, from, to, h, s)
			headGrad(c.dst, c.x, c.y, from, to, h, s)
		}
		edges += to - from
	}
	c.done.Add(int64(edges))
}

func softmaxGradChunkSum(c *call, slot int, k chunk) {
	headWeigh(c.x, c.y, int(k.lo), int(k.hi), 0, c.slot(slot))
}

func softmaxGradChunk(c *call, slot int, k chunk) {
	headGrad(c.dst, c.x, c.y, int(k.lo), int(k.hi), 0, c.slot(slot))
}

// headWeigh sets sum to Σ y·g.
func headWeigh(y, g tensor.Matrix, lo, hi, h int, sum []float32) {
	clear(sum)
	for e := lo; e < hi; e++ {
		a, b := y.Row(e)[h:h+len(sum)], g.Row(e)[h:h+len(sum)]
		for i := range sum {
			sum[i] += a[i] * b[i]
		}
	}
}

// headGrad sets d to y·(g − sum).
func headGrad(d, y, g tensor.Matrix, lo, hi, h int, sum []float32) {
	for e := lo; e < hi; e++ {
		to, a, b := d.Row(e)[h:h+len(sum)], y.Row(e)[h:h+len(sum)], g.Row(e)[h:h+len(sum)]
		for i, s := range sum {
			to[i] = a[i] * (b[i] - s)
		}
	}
}
