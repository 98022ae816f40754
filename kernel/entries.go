package kernel

import (
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/tensor"
)

// DropoutEntries is [Dropout] of a sparse matrix that holds its stored entries
// only: entry e of row i and column c is dropped exactly where Dropout of the
// dense matrix drops x[i, c].
//
// Shapes: b is the matrix, rows its destinations and columns its sources; x
// and y have one value per entry. ids as in Dropout, per row.
// Contract: overwrites y, which may be x.
// Cost: with z entries, work 2z, bytes 8z; places and identities belong to the
// random numbers, which count 0.
func DropoutEntries(ctx *Ctx, mask Mask, b *graph.Block, ids []int64, x, y tensor.Matrix) {
	wantShape("kernel.DropoutEntries: x", x, b.Edges(), 1)
	wantShape("kernel.DropoutEntries: y", y, b.Edges(), 1)
	if ids != nil {
		wantLen("kernel.DropoutEntries: ids", len(ids), b.Dst)
	}
	ctx.call = call{body: ctx.values().dropout.entries, seg: at(b, Dst), x: x, dst: y}
	ctx.call.dropout = newDropout(mask, ids)
	ctx.call.dropout.plan = newPhiloxPlan(mask.Key, nil, 1)
	ctx.dropoutRoom(&ctx.call.dropout, dropoutWords)
	z := ctx.rows(y.Rows, 4)
	ctx.Count.Add(2*z, 8*z)
}

func dropoutEntries(c *call, _, _, lo, hi int) {
	d := &c.dropout
	at := rng.Counter{Step: d.mask.Step, Site: d.mask.Site}
	row, group := -1, -1
	var words [4]uint32
	r := c.seg.rowOf(int64(lo))
	for e := lo; e < hi; e++ {
		r = c.seg.advance(r, e)
		col := int(c.seg.other[e])
		if r != row || col/4 != group {
			row, group = r, col/4
			at.ID, at.Group = d.id(r), uint16(group)
			words = d.mask.Key.Block(at)
		}
		c.dst.Row(e)[0] = d.apply(words[col%4], c.x.Row(e)[0])
	}
}

// Densify writes a sparse matrix as a dense one.
//
// Shapes: b is n×k with z entries, x has one value per entry, y is n×k.
// Contract: overwrites y; entries of equal place add up.
// Cost: work 0, bytes 8(n + 1) + 8z + 4nk.
func Densify(ctx *Ctx, b *graph.Block, x, y tensor.Matrix) {
	wantShape("kernel.Densify: x", x, b.Edges(), 1)
	wantShape("kernel.Densify: y", y, b.Dst, b.Src)
	ctx.call = call{body: densifyRows, seg: at(b, Dst), x: x, dst: y}
	n, k, z := ctx.rows(y.Rows, y.Cols), int64(y.Cols), int64(x.Rows)
	ctx.Count.Add(0, 8*(n+1)+8*z+4*n*k)
}

func densifyRows(c *call, _, _, lo, hi int) {
	for i := lo; i < hi; i++ {
		y := c.dst.Row(i)
		clear(y)
		for e := c.seg.ptr[i]; e < c.seg.ptr[i+1]; e++ {
			y[c.seg.other[e]] += c.x.Row(int(e))[0]
		}
	}
}
