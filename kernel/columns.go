package kernel

import "github.com/weft-gnn/weft/tensor"

// Concat sets Y = X₁ ‖ X₂ ‖ …, the operands' columns side by side.
//
// Shapes: operand i is r×kᵢ, y r×Σkᵢ.
// Contract: overwrites y, which overlaps no operand.
// Cost: work 0, bytes 8r·Σkᵢ.
func Concat(ctx *Ctx, xs []tensor.Matrix, y tensor.Matrix) {
	cols := 0
	for _, x := range xs {
		cols += x.Cols
	}
	wantShape("kernel.Concat: y", y, y.Rows, cols)
	for at, i := 0, 0; i < len(xs); i++ {
		Copy(ctx, xs[i], y.Columns(at, at+xs[i].Cols))
		at += xs[i].Cols
	}
}

// Slice copies columns from on of X to Y.
//
// Shapes: x is r×K, y r×k with from + k ≤ K.
// Contract: overwrites y. Its gradient is [Unslice]. Steps given to [Ctx.Then]
// follow.
// Cost: work 0, bytes 8rk.
func Slice(ctx *Ctx, x tensor.Matrix, from int, y tensor.Matrix) {
	wantColumns("kernel.Slice", x, from, y)
	wantShape("kernel.Slice: x", x, y.Rows, x.Cols)
	ctx.call = call{body: sliceRows, x: x.Columns(from, from+y.Cols), dst: y}
	ctx.takeTail(y, wantShape)
	n := ctx.rows(y.Rows, y.Cols)
	ctx.Count.Add(0, 8*n*int64(y.Cols))
}

// View lets Y be columns from on of X: nothing is done where it lies there. Elsewhere,
// as where an operation runs by itself, the columns are copied.
//
// Shapes: as in [Slice].
// Contract: y lies in x, or overlaps nothing and is overwritten.
// Cost: none, since only a y that lies in x is meant.
func View(ctx *Ctx, x tensor.Matrix, from int, y tensor.Matrix) {
	wantColumns("kernel.View", x, from, y)
	wantShape("kernel.View: x", x, y.Rows, x.Cols)
	x = x.Columns(from, from+y.Cols)
	if y.Cols > 0 && !sameStart(x, y) {
		ctx.byRow(ctx.values().rows.copy, x, x, y, y.Cols, 0)
	}
}

func sliceRows(c *call, worker, _, lo, hi int) {
	c.values.rows.copy(c.dst, c.x, c.x, lo, hi, 0)
	c.follow(worker, c.dst.Between(lo, hi), lo)
}

// Unslice copies G to columns from on of D and sets the other columns to 0.
//
// Shapes: g is r×k, d r×K with from + k ≤ K.
// Contract: overwrites d, which does not overlap g.
// Cost: work 0, bytes 4(rk + rK).
func Unslice(ctx *Ctx, g tensor.Matrix, from int, d tensor.Matrix) {
	wantColumns("kernel.Unslice", d, from, g)
	wantShape("kernel.Unslice: g", g, d.Rows, g.Cols)
	ctx.call = call{body: unsliceRows, x: g, dst: d, offset: from}
	n := ctx.rows(d.Rows, d.Cols)
	ctx.Count.Add(0, 4*n*int64(g.Cols+d.Cols))
}

func unsliceRows(c *call, _, _, lo, hi int) {
	for i := lo; i < hi; i++ {
		d := c.dst.Row(i)
		clear(d[:c.offset])
		clear(d[c.offset+copy(d[c.offset:], c.x.Row(i)):])
	}
}

func wantColumns(what string, whole tensor.Matrix, from int, part tensor.Matrix) {
	if from < 0 || from+part.Cols > whole.Cols {
		panic(tensor.ShapeError{Op: what, Got: part.String(), Want: "columns within " + whole.String()})
	}
}
