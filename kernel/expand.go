package kernel

import "github.com/weft-gnn/weft/tensor"

// Expand gives every row the one row of X: Y = 1x, the reverse of [ColumnSum].
//
// Shapes: x is 1×k, y r×k.
// Contract: overwrites y.
// Cost: work 0, bytes 4(k + rk).
func Expand(ctx *Ctx, x, y tensor.Matrix) {
	wantShape("kernel.Expand: x", x, 1, y.Cols)
	for i := range y.Rows {
		copy(y.Row(i), x.Row(0))
	}
	k := int64(y.Cols)
	ctx.Count.Add(0, 4*(k+int64(y.Rows)*k))
}
