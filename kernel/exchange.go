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
	ctx.call = call{body: ctx.sparse().gather, seg: segments{other: index}, x: x, dst: y}
	r := ctx.rows(y.Rows, y.Cols)
	ctx.Count.Add(0, 4*r+8*r*int64(y.Cols))
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
	FoldOpenMax // leaves ⊕'s identity
	FoldOpenMin
)

// FoldRows combines what others contribute with the rows that an index names, one group
// of them after the other:
//
//	y[index[i]] = y[index[i]] ⊕ z[i]   for i = ptr[g] … ptr[g+1] − 1, of group g
//
// In the end a maximum or minimum that is ⊕'s identity, which nobody had a value for, is
// set to 0, unless it is open.
//
// Shapes: z is len(index)×k, y n×k; ptr has an entry more than there are groups.
// Contract: accumulates; no group names a row twice.
// Cost: for c rows of z, work ck, bytes 4c + 12ck; of maximum and minimum nk and 8nk
// more, to find the identities.
func FoldRows(ctx *Ctx, f Folding, index []int32, ptr []int, z, y tensor.Matrix) {
	wantShape("kernel.FoldRows: z", z, len(index), y.Cols)
	c, k := int64(0), int64(y.Cols)
	for g := range len(ptr) - 1 {
		lo, hi := ptr[g], ptr[g+1]
		ctx.call = call{body: foldBodies[f], values: ctx.values(), x: z.Between(lo, hi), dst: y, index: index[lo:hi]}
		c += ctx.rows(hi-lo, 2*y.Cols)
	}
	ctx.Count.Add(c*k, 4*c+12*c*k)
	if f != FoldMax && f != FoldMin {
		return
	}
	ctx.call = call{body: unfoundedRows, dst: y, scalar: identities[f]}
	n := ctx.rows(y.Rows, y.Cols)
	ctx.Count.Add(n*k, 8*n*k)
}

var identities = [...]float32{FoldMax: float32(math.Inf(-1)), FoldMin: float32(math.Inf(1))}

var foldBodies = [...]func(c *call, _, _, lo, hi int){
	FoldSum: func(c *call, _, _, lo, hi int) {
		c.values.rows.addAt(c.dst, c.x.Between(lo, hi), c.index[lo:hi])
	},
	FoldMax:    func(c *call, _, _, lo, hi int) { c.foldEach(lo, hi, largerInto) },
	FoldMin:    func(c *call, _, _, lo, hi int) { c.foldEach(lo, hi, smallerInto) },
	FoldArgMax: func(c *call, _, _, lo, hi int) { c.foldEach(lo, hi, BetterOfMax) },
	FoldArgMin: func(c *call, _, _, lo, hi int) { c.foldEach(lo, hi, BetterOfMin) },

	FoldOpenMax: func(c *call, _, _, lo, hi int) { c.foldEach(lo, hi, largerInto) },
	FoldOpenMin: func(c *call, _, _, lo, hi int) { c.foldEach(lo, hi, smallerInto) },
}

func (c *call) foldEach(lo, hi int, into func(y, x []float32)) {
	for i := lo; i < hi; i++ {
		into(c.dst.Row(int(c.index[i])), c.x.Row(i))
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

// unfoundedRows replaces ⊕'s identity by 0.
func unfoundedRows(c *call, _, _, lo, hi int) {
	for i := lo; i < hi; i++ {
		for j, v := range c.dst.Row(i) {
			if v == c.scalar {
				c.dst.Row(i)[j] = 0
			}
		}
	}
}
