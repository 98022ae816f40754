package kernel

import (
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// AggregateOnto adds the row of each edge to that of its source:
// y[u] += Σ_{e out of u} x[e]. Over blocks that share the edges of a whole one
// it sums what [Aggregate] does at Src of the whole, a piece after the other.
//
// Shapes: x is m×k, y n_src×k.
// Contract: adds to y, which does not overlap x. A source's edges are added one
// after the other in order of position; rows of other sources are left alone.
// Cost: work mk, bytes 8m + 12mk: an edge's row of y is read and written.
func AggregateOnto(ctx *Ctx, b *graph.Block, x, y tensor.Matrix) {
	wantShape("kernel.AggregateOnto: x", x, b.Edges(), y.Cols)
	wantShape("kernel.AggregateOnto: y", y, b.Src, y.Cols)
	ctx.call = call{body: addBySource, seg: segments{other: b.Col, pos: b.SourceOrder()}, x: x, dst: y, values: ctx.values()}
	m, k := ctx.edges(x.Rows, x.Cols), int64(x.Cols)
	ctx.Count.Add(m*k, 8*m+12*m*k)
}

// addBySource adds the rows of the sources whose first edge lies at lo to hi in
// the order of sources.
func addBySource(c *call, _, _, lo, hi int) {
	for i := c.seg.sourceFrom(lo); i < c.seg.sourceFrom(hi); i++ {
		e := c.seg.pos[i]
		y := c.dst.Row(int(c.seg.other[e]))
		c.values.add.over(y, y, c.x.Row(int(e)), 0)
	}
}

// sourceFrom returns the first place from i on, in the order of sources, at
// which another source begins.
func (s segments) sourceFrom(i int) int {
	for i > 0 && i < len(s.pos) && s.other[s.pos[i]] == s.other[s.pos[i-1]] {
		i++
	}
	return i
}
