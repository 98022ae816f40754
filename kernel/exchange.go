package kernel

import (
	"math"

	"github.com/weft-gnn/weft/tensor"
)

// CollectRows reads the rows that an index names: y[i] = x[index[i]].
//
// Shapes: x is n×k, y len(index)×k.
// Contract: overwrites y.
// Cost: work 0, bytes 4r + 8rk for r rows of y.
func CollectRows(ctx *Ctx, index []int32, x, y tensor.Matrix) {
	wantShape("kernel.CollectRows: y", y, len(index), x.Cols)
	ctx.call = call{body: collectRows, x: x, dst: y, index: index}
	ctx.moved(y)
}

func collectRows(c *call, _, _, lo, hi int) {
	for i := lo; i < hi; i++ {
		copy(c.dst.Row(i), c.x.Row(int(c.index[i])))
	}
}

// moved runs a call that moves rows as an index says, and counts it.
func (c *Ctx) moved(y tensor.Matrix) {
	r := c.rows(y.Rows, y.Cols)
	c.Count.Add(0, 4*r+8*r*int64(y.Cols))
}

// MergeRows interleaves rows of two matrices: y[i] is x[from[i]], and where from
// is negative, row −1−from[i] of z.
//
// Shapes: x and z have k columns, y is len(from)×k.
// Contract: overwrites y.
// Cost: work 0, bytes 4r + 8rk for r rows of y.
func MergeRows(ctx *Ctx, from []int32, x, z, y tensor.Matrix) {
	wantShape("kernel.MergeRows: y", y, len(from), x.Cols)
	wantShape("kernel.MergeRows: z", z, z.Rows, x.Cols)
	ctx.call = call{body: mergeRows, x: x, y: z, dst: y, index: from}
	ctx.moved(y)
}

func mergeRows(c *call, _, _, lo, hi int) {
	for i := lo; i < hi; i++ {
		copy(c.dst.Row(i), c.either(c.index[i]))
	}
}

// either returns row from of x, or row −1−from of y.
func (c *call) either(from int32) []float32 {
	if from < 0 {
		return c.y.Row(int(-1 - from))
	}
	return c.x.Row(int(from))
}

// Folding is how FoldRows combines rows.
type Folding int

// The foldings.
const (
	FoldSum Folding = iota
	FoldMax         // keeps a NaN
	FoldMin
)

// FoldRows combines the contributions to each row in the order listed:
// y[i] = ⊕_{p = ptr[i]…ptr[i+1]−1} c_p, with c_p row from[p] of x or, where that
// is negative, row −1−from[p] of z; 0 where there are none, or all are ⊕'s identity.
//
// Shapes: x and z have k columns, y is (len(ptr)−1)×k.
// Contract: overwrites y.
// Cost: work ck, bytes 8(r + 1) + 4c + 4ck + 4rk for c contributions to r rows.
func FoldRows(ctx *Ctx, f Folding, ptr []int64, from []int32, x, z, y tensor.Matrix) {
	wantShape("kernel.FoldRows: y", y, len(ptr)-1, x.Cols)
	wantShape("kernel.FoldRows: z", z, z.Rows, x.Cols)
	ctx.call = call{body: foldRows, x: x, y: z, dst: y, index: from, ptr: ptr, row: ctx.folding(f), scalar: [...]float32{FoldMax: float32(math.Inf(-1)), FoldMin: float32(math.Inf(1))}[f]}
	r, k := ctx.rows(y.Rows, 2*y.Cols), int64(y.Cols)
	c := ptr[y.Rows] - ptr[0]
	ctx.Count.Add(c*k, 8*(r+1)+4*c+4*c*k+4*r*k)
}

func foldRows(c *call, _, _, lo, hi int) {
	for i := lo; i < hi; i++ {
		y := c.dst.Row(i)
		contributions := c.index[c.ptr[i]:c.ptr[i+1]]
		if len(contributions) == 0 {
			clear(y)
			continue
		}
		copy(y, c.either(contributions[0]))
		for _, from := range contributions[1:] {
			c.row.over(y, y, c.either(from), 0)
		}
		for j := range y {
			if c.scalar != 0 && y[j] == c.scalar {
				y[j] = 0
			}
		}
	}
}

// folding returns the loop that combines two rows.
func (c *Ctx) folding(f Folding) rowFunc {
	switch f {
	case FoldMax:
		return largerOf
	case FoldMin:
		return smallerOf
	}
	return c.values().add
}

func largerOf(dst, x, y tensor.Matrix, lo, hi int, _ float32) {
	for i := lo; i < hi; i++ {
		for j, v := range x.Row(i) {
			dst.Row(i)[j] = max(v, y.Row(i)[j])
		}
	}
}

func smallerOf(dst, x, y tensor.Matrix, lo, hi int, _ float32) {
	for i := lo; i < hi; i++ {
		for j, v := range x.Row(i) {
			dst.Row(i)[j] = min(v, y.Row(i)[j])
		}
	}
}
