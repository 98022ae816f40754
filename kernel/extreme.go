package kernel

import (
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// Max finds the largest value of each vertex's edges, per column:
// y[v, c] = max_{e at v} x[e, c], and none where a vertex has no edges.
//
// Shapes: x is m×k, y n_end×k.
// Contract: overwrites y. A NaN reaches its own vertex and column and no other.
// Cost: as [ArgMax].
func Max(ctx *Ctx, b *graph.Block, end End, none float32, x, y tensor.Matrix) {
	ArgMax(ctx, b, end, x, y)
	ctx.selected(none, x, y)
}

// Min finds the smallest value, as [Max].
func Min(ctx *Ctx, b *graph.Block, end End, none float32, x, y tensor.Matrix) {
	ArgMin(ctx, b, end, x, y)
	ctx.selected(none, x, y)
}

// selected replaces the positions in y by the values there.
func (c *Ctx) selected(none float32, x, y tensor.Matrix) {
	c.call = call{body: selectRows, x: x, dst: y, scalar: none}
	c.rows(y.Rows, y.Cols)
}

func selectRows(c *call, _, _, lo, hi int) {
	for i := lo; i < hi; i++ {
		for j, e := range c.dst.Row(i) {
			c.dst.Row(i)[j] = c.scalar
			if at := Bits(e); at != None {
				c.dst.Row(i)[j] = c.x.Row(int(at))[j]
			}
		}
	}
}
