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
	FoldArgMax // of candidates, see [Candidates]: the one that ArgMax finds over all edges
	FoldArgMin
)

// FoldRows combines the contributions to each row in the order listed:
// y[i] = ⊕_{p = ptr[i]…ptr[i+1]−1} c_p, with c_p row from[p] of x or, where that
// is negative, row −1−from[p] of z; 0 where there are none, or all are ⊕'s identity; of candidates none.
//
// Shapes: x and z have k columns, y is (len(ptr)−1)×k.
// Contract: overwrites y.
// Cost: work ck, bytes 8(r + 1) + 4c + 4ck + 4rk for c contributions to r rows.
func FoldRows(ctx *Ctx, f Folding, ptr []int64, from []int32, x, z, y tensor.Matrix) {
	wantShape("kernel.FoldRows: y", y, len(ptr)-1, x.Cols)
	wantShape("kernel.FoldRows: z", z, z.Rows, x.Cols)
	ctx.call = call{body: foldBodies[f], x: x, y: z, dst: y, index: from, ptr: ptr}
	r, k := ctx.rows(y.Rows, 2*y.Cols), int64(y.Cols)
	c := ptr[y.Rows] - ptr[0]
	ctx.Count.Add(c*k, 8*(r+1)+4*c+4*c*k+4*r*k)
}

// foldBodies are the loops of FoldRows. Most rows have one contribution or few, so
// that a call for each would cost more than its values.
var foldBodies = [...]func(c *call, _, _, lo, hi int){
	FoldSum: func(c *call, _, _, lo, hi int) { c.foldEach(lo, hi, addInto) },
	FoldMax: func(c *call, _, _, lo, hi int) {
		c.foldEach(lo, hi, largerInto)
		unfounded(c.dst, lo, hi, float32(math.Inf(-1)))
	},
	FoldMin: func(c *call, _, _, lo, hi int) {
		c.foldEach(lo, hi, smallerInto)
		unfounded(c.dst, lo, hi, float32(math.Inf(1)))
	},
	FoldArgMax: func(c *call, _, _, lo, hi int) {
		c.foldEach(lo, hi, BetterOfMax)
		c.nowhere(lo, hi)
	},
	FoldArgMin: func(c *call, _, _, lo, hi int) {
		c.foldEach(lo, hi, BetterOfMin)
		c.nowhere(lo, hi)
	},
}

// foldEach combines the contributions to each row, into the first.
func (c *call) foldEach(lo, hi int, into func(y, x []float32)) {
	for i := lo; i < hi; i++ {
		y, from := c.dst.Row(i), c.index[c.ptr[i]:c.ptr[i+1]]
		if len(from) == 0 {
			clear(y)
			continue
		}
		copy(y, c.either(from[0]))
		for _, f := range from[1:] {
			into(y, c.either(f))
		}
	}
}

// nowhere gives the candidates of rows without contributions no place.
func (c *call) nowhere(lo, hi int) {
	for i := lo; i < hi; i++ {
		if c.ptr[i] == c.ptr[i+1] {
			row := c.dst.Row(i)
			for j := len(row) / 2; j < len(row); j++ {
				SetBits(&row[j], None)
			}
		}
	}
}

func addInto(y, x []float32) {
	x = x[:len(y)]
	for j := range y {
		y[j] += x[j]
	}
}

func largerInto(y, x []float32) {
	for j, v := range x {
		y[j] = max(y[j], v)
	}
}

func smallerInto(y, x []float32) {
	for j, v := range x {
		y[j] = min(y[j], v)
	}
}

// unfounded replaces ⊕'s identity, which is what no rank had a value for, by 0.
func unfounded(y tensor.Matrix, lo, hi int, identity float32) {
	for i := lo; i < hi; i++ {
		for j, v := range y.Row(i) {
			if v == identity {
				y.Row(i)[j] = 0
			}
		}
	}
}
