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
// Contract: overwrites y, which does not overlap x. Vertices without edges get
// 0. A row of up to 2048 edges is summed in ascending order of the other end; a
// longer one is cut, from its start, into chunks of 2048 edges, whose sums are
// added in order.
// Cost: unweighted work mk, bytes 8(n_end + 1) + 4m + 4mk + 4·n_end·k; weighted
// work 2mk, bytes + 4mH, + 4m at Src, where edge positions are read.
func SpMM(ctx *Ctx, b *graph.Block, end End, weight, x, y tensor.Matrix) {
	wantShape("kernel.SpMM: x", x, vertices(b, end.other()), y.Cols)
	wantShape("kernel.SpMM: y", y, vertices(b, end), y.Cols)
	loops := ctx.sparse()
	ctx.call = call{sum: loops.sumNeighbours, part: loops.sumPart, seg: at(b, end), x: x, y: weight, dst: y}
	ctx.takeTail(y)
	heads := int64(weight.Cols)
	if heads > 0 {
		wantShape("kernel.SpMM: weight", weight, b.Edges(), weight.Cols)
		wantHeads("kernel.SpMM: weight", y.Cols, weight.Cols)
		ctx.call.sum = loops.sumWeighted
	}
	ctx.call.ranges = ctx.ranges(b, end, x, heads)
	m := ctx.segmentSum()
	k := int64(y.Cols)
	work, bytes := m*k, 8*int64(y.Rows+1)+4*m+4*m*k+4*int64(y.Rows)*k
	if heads > 0 {
		work += m * k
		bytes += 4*m*heads + positionBytes(end, m)
	}
	ctx.Count.Add(work, bytes)
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
	k.scratch = c.floats(len(k.chunks) * width)
	if k.ranges != nil {
		k.body, k.pieces = segmentSumRanges, min(k.pieces, rangePieces*c.Pool.Threads())
	}
	edges := c.runSegments()
	for i, h := range k.chunks {
		part := k.scratch[i*width : (i+1)*width]
		if h.span[0] == k.seg.ptr[h.row] {
			copy(k.dst.Row(h.row), part)
		} else {
			accumulate(k.dst.Row(h.row), part)
		}
		if h.span[1] == k.seg.ptr[h.row+1] {
			k.follow(h.row, h.row+1)
		}
	}
	return edges
}

func segmentSumRows(c *call, _, _, lo, hi int) {
	edges := int64(0)
	for from, to := c.uncut(lo, hi); from < to; from, to = c.uncut(to, hi) {
		c.sum(c, c.seg.ptr[from:to+1], rowsOf(c.dst, from, to))
		c.follow(from, to)
		edges += c.seg.ptr[to] - c.seg.ptr[from]
	}
	c.done.Add(edges)
}

func segmentSumChunk(c *call, slot int, h chunk) {
	width := c.dst.Cols
	part := tensor.Of(1, width, c.scratch[slot*width:(slot+1)*width])
	c.sum(c, c.chunks[slot].span[:], part)
}
