package kernel

import (
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// Where vertices have many edges, a sum gathers every row of x many times. It
// then goes through all its rows once per range of vertices at the other end,
// a range's rows of x filling half of the second-level cache: a gathered row is
// met there, not in the third level or in memory. A row's edges are summed in
// the same order as ever, so that results have the same bits.
const (
	nearBytes   = 1 << 20       // of the second-level cache, or less
	rangeBytes  = nearBytes / 2 // of x, the other half being left to index and sums
	rangeEdges  = 12            // a row has in a range at least, on average
	rangePieces = 4             // per thread, each of which reads all of x
)

// ranges returns the ranges in which an unweighted sum runs that takes so many
// columns of x at a time, nil for one.
func (c *Ctx) ranges(b *graph.Block, end End, x tensor.Matrix, band int, heads int64) *graph.Ranges {
	row := 4 * max(x.Stride, 1)
	if band < x.Cols {
		row = 4 * band
	}
	if heads > 0 || c.sparse().sumPart == nil || x.Rows*row <= nearBytes {
		return nil
	}
	width := max(1, rangeBytes/row)
	n := (x.Rows + width - 1) / width
	if b.Edges() < rangeEdges*n*vertices(b, end) {
		return nil
	}
	if end == Src {
		return b.Transpose().Ranges(b.Dst, width)
	}
	return b.Ranges(width)
}

// segmentSumRanges is segmentSumRows, range by range.
func segmentSumRanges(c *call, worker, _, lo, hi int) {
	edges, part := int64(0), c.part
	for from, to := c.uncut(lo, hi); from < to; from, to = c.uncut(to, hi) {
		y := c.dst.Between(from, to)
		for r := range y.Rows {
			clear(y.Row(r))
		}
		for i, next := range c.ranges.At[1:] {
			part(c, c.ranges.At[i][from:to], next[from:to], y)
		}
		c.follow(worker, y, from)
		edges += c.seg.ptr[to] - c.seg.ptr[from]
	}
	c.done.Add(edges)
}
