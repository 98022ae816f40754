package kernel

import "github.com/weft-gnn/weft/tensor"

// Decide finds what a classifier decides for: of each listed row the first column of the
// largest value, 0 where none is a number,
//
//	arg[i] = min argmax_j x[rows[i], j]
//
// Shapes: x is n×k, k ≥ 1; arg has as many entries as rows.
// Contract: overwrites arg.
// Cost: with r rows listed, a comparison per value to find the largest and one to find
// where it is: work 2rk, bytes 4r(k + 2).
func Decide(ctx *Ctx, x tensor.Matrix, rows, arg []int32) {
	wantLen("kernel.Decide: arg", len(arg), len(rows))
	ctx.call = call{body: decideRows, values: ctx.values(), x: x, index: rows, decided: arg}
	r, k := ctx.rows(len(rows), x.Cols), int64(x.Cols)
	ctx.Count.Add(2*r*k, 4*r*(k+2))
}

func decideRows(c *call, _, _, lo, hi int) {
	c.values.rows.argMax(c.decided[lo:hi], c.x, c.index[lo:hi])
}
