package kernel

import "github.com/weft-gnn/weft/tensor"

// Expand gives every row the one row of X: Y = 1x, the reverse of [ColumnSum].
//
// Shapes: x is 1×k, y r×k.
// Contract: overwrites y, which does not overlap x.
// Cost: work 0, bytes 4(k + rk).
func Expand(ctx *Ctx, x, y tensor.Matrix) {
	wantShape("kernel.Expand: x", x, 1, y.Cols)
	ctx.call = call{body: expandRows, x: x, dst: y}
	n, k := ctx.rows(y.Rows, y.Cols), int64(y.Cols)
	ctx.Count.Add(0, 4*(k+n*k))
}

func expandRows(c *call, _, _, lo, hi int) {
	x := c.x.Row(0)
	for i := lo; i < hi; i++ {
		copy(c.dst.Row(i), x)
	}
}
