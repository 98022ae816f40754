package kernel

import (
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// SpMM computes Y = A·X at the destinations, or Y = Aᵀ·X at the sources:
//
//	y[v, h] = Σ_{e into v} weight[e, h] · x[src(e), h]   (end Dst)
//	y[u, h] = Σ_{e out of u} weight[e, h] · x[dst(e), h] (end Src)
//
// where [·, h] is column block h of H equal ones, and every weight is 1 where
// weight is the zero Matrix.
//
// Shapes: with n_end and n_other vertices at the two ends, x is n_other×k, y
// n_end×k, weight m×H with H dividing k.
// Contract: overwrites y, which does not overlap x. Each may be stored in
// bfloat16, x where there is at most one head. Vertices without edges get
// 0. A row of up to 2048 edges is summed in ascending order of the other end; a
// longer one is cut, from its start, into chunks of 2048 edges, whose sums are
// added in order.
// Cost: unweighted work mk, bytes 8(n_end + 1) + 4m + 4mk + 4·n_end·k; weighted
// work 2mk, bytes + 4mH, + 4m at Src, where edge positions are read. What is
// stored in bfloat16 takes 2 bytes a value.
func SpMM(ctx *Ctx, b *graph.Block, end End, weight, x, y tensor.Matrix) {
	wantStored("kernel.SpMM: x", x, vertices(b, end.other()), y.Cols)
	wantStored("kernel.SpMM: y", y, vertices(b, end), y.Cols)
	heads, seg := int64(weight.Cols), neighbours
	if heads > 0 {
		seg = at
	}
	ctx.call = call{seg: seg(b, end), x: x, y: weight, dst: y}
	ctx.takeTail(y, wantStored)
	if heads > 0 {
		wantShape("kernel.SpMM: weight", weight, b.Edges(), weight.Cols)
		wantHeads("kernel.SpMM: weight", y.Cols, weight.Cols)
	}
	ctx.spmmLoops(x, heads)
	band := ctx.band(x, y, heads)
	if !y.BFloat16 { // sums go on from range to range
		ctx.call.ranges = ctx.ranges(b, end, x, band, heads)
	}
	m, summed := ctx.sumBands(band)
	k := int64(y.Cols)
	work, bytes := summed, 8*int64(y.Rows+1)+4*m+valueBytes(x)*summed+valueBytes(y)*int64(y.Rows)*k
	if heads > 0 {
		work += summed
		bytes += 4*m*heads + positionBytes(end, m)
	}
	ctx.Count.Add(work, bytes)
}

// spmmLoops chooses the call's sums.
func (c *Ctx) spmmLoops(x tensor.Matrix, heads int64) {
	loops := c.sparse()
	sum, weighted := loops.sumNeighbours, loops.sumWeighted
	c.call.part = loops.sumPart
	if heads == 0 && !x.BFloat16 {
		c.call.ended = loops.sumEnded
	}
	if x.BFloat16 {
		wantLen("kernel.SpMM: heads of rows in bfloat16", int(max(1, heads)), 1)
		sum, weighted, c.call.part = loops.narrow.neighbours, loops.narrow.weighted, loops.narrow.part
	}
	if c.call.sum = sum; heads > 0 {
		c.call.sum = weighted
	}
}

// positionBytes is what reading the positions of m edges takes: they are
// implied at the destinations.
func positionBytes(end End, m int64) int64 {
	if end == Src {
		return 4 * m
	}
	return 0
}

// segmentSum runs the call's sum over every row of its segments, and returns
// the number of edges that the sums went through.
func (c *Ctx) segmentSum() int64 {
	k := &c.call
	k.body, k.hub = segmentSumRows, segmentSumChunk
	width := k.dst.Cols
	c.cutSegments(width)
	c.cutColumns(k.y.Cols)
	c.takeEnds()
	k.scratch = c.floats(len(k.chunks) * width)
	c.stage(0, k.stagedBlock())
	if k.ranges != nil {
		k.body, k.pieces = segmentSumRanges, min(k.pieces, rangePieces*c.Pool.Threads())
	}
	edges := c.runSegments()
	for i, h := range k.chunks {
		part := k.scratch[i*width : (i+1)*width]
		y := k.result(0, h.row, h.row+1)
		if h.span[0] == k.seg.ptr[h.row] {
			copy(y.Row(0), part)
		} else {
			accumulate(y.Row(0), part)
		}
		if h.span[1] == k.seg.ptr[h.row+1] {
			k.finish(0, y, h.row, h.row+1)
		}
	}
	return edges
}

func segmentSumRows(c *call, worker, _, lo, hi int) {
	edges := int64(0)
	for from, to := c.uncut(lo, hi); from < to; from, to = c.uncut(to, hi) {
		if c.ended != nil {
			c.ended(c, c.seg.ptr[from:to+1], c.dst.Between(from, to), from)
		} else {
			c.eachStaged(worker, from, to, func(y tensor.Matrix, lo, hi int) { c.sum(c, c.seg.ptr[lo:hi+1], y) })
		}
		edges += c.seg.ptr[to] - c.seg.ptr[from]
	}
	c.done.Add(edges)
}

func segmentSumChunk(c *call, slot int, h chunk) {
	width := c.dst.Cols
	part := tensor.Of(1, width, c.scratch[slot*width:(slot+1)*width])
	c.sum(c, c.chunks[slot].span[:], part)
}
