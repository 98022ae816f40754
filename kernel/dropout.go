package kernel

import (
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/tensor"
)

// Mask names the random numbers of one dropout of the declared program.
type Mask struct {
	Key  rng.Key
	Step uint32 // training step
	Site uint16 // number of the dropout in the declaration
	P    float32
}

// dropoutOperands is what Dropout needs beside its matrices.
type dropoutOperands struct {
	mask  Mask
	ids   []int64
	below uint32 // a word below it drops its value
	scale float32
}

// Dropout sets each value to 0 with probability p and scales the others by
// 1/(1−p), so that the expectation stays:
//
//	y[i, c] = x[i, c]/(1 − p) where word(step, site, c, ids[i]) ≥ p·2³², else 0
//
// The same mask on the gradient of y gives that of x.
//
// Shapes: x and y are r×k; ids has an entry per row, the row's global identity,
// or is nil where row i is i.
// Contract: overwrites y, which may be x. 0 ≤ p < 1. A dropped NaN is dropped.
// Word c is word c mod 4 of the Philox block whose counter holds step, site, c/4
// and the identity, so that the mask depends on neither order nor placement of rows.
// Cost: work 2rk, bytes 8rk; identities belong to the random numbers, which
// count 0.
func Dropout(ctx *Ctx, mask Mask, ids []int64, x, y tensor.Matrix) {
	wantShape("kernel.Dropout: x", x, y.Rows, y.Cols)
	if ids != nil {
		wantLen("kernel.Dropout: ids", len(ids), y.Rows)
	}
	c := &ctx.call
	*c = call{body: dropoutRows, x: x, dst: y}
	c.dropout = dropoutOperands{mask: mask, ids: ids}
	c.dropout.below = uint32(float64(mask.P) * (1 << 32))
	c.dropout.scale = float32(1 / (1 - float64(mask.P)))
	n, k := ctx.rows(y.Rows, 4*y.Cols), int64(y.Cols)
	ctx.Count.Add(2*n*k, 8*n*k)
}

func dropoutRows(c *call, _, _, lo, hi int) {
	d := &c.dropout
	at := rng.Counter{Step: d.mask.Step, Site: d.mask.Site}
	for i := lo; i < hi; i++ {
		at.ID = uint64(i)
		if d.ids != nil {
			at.ID = uint64(d.ids[i])
		}
		y, x := c.dst.Row(i), c.x.Row(i)
		for j := 0; j < len(y); j += 4 {
			at.Group = uint16(j / 4)
			words := d.mask.Key.Block(at)
			for k := j; k < min(j+4, len(y)); k++ {
				if words[k-j] < d.below {
					y[k] = 0
				} else {
					y[k] = x[k] * d.scale
				}
			}
		}
	}
}
