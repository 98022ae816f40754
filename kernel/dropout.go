package kernel

import (
	"math"

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
	words []uint32 // a row of random numbers per worker
	below uint32   // a word below it drops its value
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
	c.dropout = dropoutOperands{mask: mask, ids: ids, words: ctx.randoms(ctx.Pool.Threads() * y.Cols)}
	c.dropout.below = uint32(float64(mask.P) * (1 << 32))
	c.dropout.scale = float32(1 / (1 - float64(mask.P)))
	n, k := ctx.rows(y.Rows, 4*y.Cols), int64(y.Cols)
	ctx.Count.Add(2*n*k, 8*n*k)
}

func newDropout(mask Mask, ids []int64) dropoutOperands {
	return dropoutOperands{
		mask: mask, ids: ids,
		below: uint32(float64(mask.P) * (1 << 32)),
		scale: float32(1 / (1 - float64(mask.P))),
	}
}

// id returns the identity of row i.
func (d *dropoutOperands) id(i int) uint64 {
	if d.ids == nil {
		return uint64(i)
	}
	return uint64(d.ids[i])
}

// apply drops or scales a value by its random word.
func (d *dropoutOperands) apply(word uint32, x float32) float32 {
	if word < d.below {
		return 0
	}
	return x * d.scale
}

func dropoutRows(c *call, _, _, lo, hi int) {
	d := &c.dropout
	at := rng.Counter{Step: d.mask.Step, Site: d.mask.Site}
	for i := lo; i < hi; i++ {
		at.ID = d.id(i)
		y, x := c.dst.Row(i), c.x.Row(i)
		for j := 0; j < len(y); j += 4 {
			at.Group = uint16(j / 4)
			words := d.mask.Key.Block(at)
			for k := j; k < min(j+4, len(y)); k++ {
				y[k] = d.apply(words[k-j], x[k])
			}
		}
	}
}
