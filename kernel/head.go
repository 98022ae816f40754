package kernel

import "github.com/weft-gnn/weft/tensor"

// A matrix of r×k holds H heads of f = k/H columns each, side by side:
// x[i, h, c] is column h·f + c of row i. One head makes these kernels row-wise.

// HeadScale scales each row, head by head: y[i, h, c] = s[i, h]·x[i, h, c].
//
// Shapes: x and y are r×k, s r×H with H dividing k.
// Contract: overwrites y, which may be x, or be stored in bfloat16. Its gradients
// are HeadScale of g by s, and [HeadDot] of g and x.
// Cost: work rk, bytes 4(2rk + rH), 2 for 4 in bfloat16.
func HeadScale(ctx *Ctx, x, s, y tensor.Matrix) {
	wantShape("kernel.HeadScale: x", x, y.Rows, y.Cols)
	wantShape("kernel.HeadScale: s", s, y.Rows, s.Cols)
	wantHeads("kernel.HeadScale: s", y.Cols, s.Cols)
	n, k := ctx.byHead(x, s, y), int64(y.Cols)
	ctx.Count.Add(n*k, (4+valueBytes(y))*n*k+4*n*int64(s.Cols))
}

// byHead computes y = x·s of the column's head, and returns the number of rows.
func (c *Ctx) byHead(x, s, y tensor.Matrix) int64 {
	c.call = call{body: headScaleRows, values: c.values(), lane: c.headLanes(y.Cols, s.Cols), x: x, y: s, dst: y}
	return c.stagedRows()
}

func headScaleRows(c *call, worker, _, lo, hi int) {
	c.eachStaged(worker, lo, hi, func(y tensor.Matrix, lo, hi int) {
		c.values.rows.headScale(y, c.x.Between(lo, hi), c.y.Between(lo, hi), 0, hi-lo, c.lane)
	})
}

// HeadDot multiplies rows head by head: z[i, h] = Σ_c x[i, h, c]·y[i, h, c].
//
// Shapes: x and y are r×k, z r×H with H dividing k.
// Contract: overwrites z. Its gradients are [HeadScale] of y and of x by g.
// Cost: work 2rk, bytes 4(2rk + rH).
func HeadDot(ctx *Ctx, x, y, z tensor.Matrix) {
	wantShape("kernel.HeadDot: x", x, z.Rows, x.Cols)
	wantShape("kernel.HeadDot: y", y, z.Rows, x.Cols)
	wantHeads("kernel.HeadDot: z", x.Cols, z.Cols)
	n, k := ctx.byRow(ctx.values().rows.headDot, x, y, z, x.Cols, 0), int64(x.Cols)
	ctx.Count.Add(2*n*k, 4*(2*n*k+n*int64(z.Cols)))
}

// HeadDotVec multiplies every row with one vector, head by head:
// z[i, h] = Σ_c x[i, h, c]·a[h, c], a score per row and head.
//
// Shapes: x is r×k, a 1×k, z r×H with H dividing k.
// Contract: overwrites z. Its gradients are [HeadOuter] of g and a, and
// [HeadSumVec] of x and g.
// Cost: work 2rk, bytes 4(rk + k + rH).
func HeadDotVec(ctx *Ctx, x, a, z tensor.Matrix) {
	wantShape("kernel.HeadDotVec: x", x, z.Rows, x.Cols)
	wantShape("kernel.HeadDotVec: a", a, 1, x.Cols)
	wantHeads("kernel.HeadDotVec: z", x.Cols, z.Cols)
	n, k := ctx.byRow(ctx.values().rows.headDot, x, repeated(a, x.Rows), z, x.Cols, 0), int64(x.Cols)
	ctx.Count.Add(2*n*k, 4*(n*k+k+n*int64(z.Cols)))
}

// HeadOuter computes y[i, h, c] = g[i, h]·a[h, c].
//
// Shapes: g is r×H, a 1×k, y r×k with H dividing k.
// Contract: overwrites y.
// Cost: work rk, bytes 4(rH + k + rk).
func HeadOuter(ctx *Ctx, g, a, y tensor.Matrix) {
	wantShape("kernel.HeadOuter: g", g, y.Rows, g.Cols)
	wantShape("kernel.HeadOuter: a", a, 1, y.Cols)
	wantHeads("kernel.HeadOuter: g", y.Cols, g.Cols)
	n, k := ctx.byHead(repeated(a, y.Rows), g, y), int64(y.Cols)
	ctx.Count.Add(n*k, 4*(n*int64(g.Cols)+k+n*k))
}

// AddOuter computes y[i, h, c] = x[i, h, c] + g[i, h]·a[h, c], as [HeadOuter] and
// [Add] do, of the first k of K columns; the others are those of x.
//
// Shapes: x and y are r×K, g r×H, a 1×k with H dividing k.
// Contract: overwrites y, which may be x. g may be columns of x.
// Cost: work 2rk, bytes 4(2rK + rH + k).
func AddOuter(ctx *Ctx, x, g, a, y tensor.Matrix) {
	wantShape("kernel.AddOuter: g", g, y.Rows, g.Cols)
	wantShape("kernel.AddOuter: x", x, y.Rows, y.Cols)
	wantOuter("kernel.AddOuter: a", a, g.Cols, y)
	n := ctx.addOuter(x, g, a, y)
	ctx.Count.Add(0, 4*n*int64(g.Cols))
}

// AddOwnOuter is [AddOuter] of the K − k columns of x behind the first k.
//
// Shapes: x and y are r×K, a 1×k with K − k dividing k.
// Contract: overwrites y, which may be x.
// Cost: work 2rk, bytes 4(2rK + k).
func AddOwnOuter(ctx *Ctx, x, a, y tensor.Matrix) {
	wantShape("kernel.AddOwnOuter: x", x, y.Rows, y.Cols)
	wantOuter("kernel.AddOwnOuter: a", a, y.Cols-a.Cols, y)
	ctx.addOuter(x, x.Columns(a.Cols, x.Cols), a, y)
}

// addOuter runs and counts both but for g, and returns the number of rows.
func (c *Ctx) addOuter(x, g, a, y tensor.Matrix) int64 {
	c.call = call{body: addOuterRows, values: c.values(), lane: c.headLanes(a.Cols, g.Cols), x: x, y: g, z: a, dst: y}
	n, k := c.rows(y.Rows, y.Cols), int64(a.Cols)
	c.Count.Add(2*n*k, 4*(2*n*int64(y.Cols)+k))
	return n
}

// wantOuter panics unless a has the first of y's columns, of some heads.
func wantOuter(what string, a tensor.Matrix, heads int, y tensor.Matrix) {
	wantShape(what, a, 1, min(a.Cols, y.Cols))
	wantHeads(what, a.Cols, heads)
}

func addOuterRows(c *call, _, _, lo, hi int) {
	if len(c.x.Data) > 0 && &c.x.Data[0] != &c.dst.Data[0] {
		c.values.rows.copy(c.dst, c.x, c.x, lo, hi, 0)
	}
	c.values.addOuter(c.dst, c.y, c.z, lo, hi, c.lane)
}

// addOuter adds g·a to the columns of y that a has.
func (v *valueLoops) addOuter(y, g, a tensor.Matrix, lo, hi int, lane []uint32) {
	v.rows.headAdd(y.Columns(0, a.Cols), repeated(a, y.Rows), g, lo, hi, lane)
}

// HeadSumVec computes a[h, c] = Σ_i g[i, h]·x[i, h, c], the gradient of
// [HeadDotVec]'s vector.
//
// Shapes: x is r×k, g r×H with H dividing k, a 1×k.
// Contract: overwrites a. Fixed pieces of rows are summed in order.
// Cost: work 2rk, bytes 4(rk + rH + k).
func HeadSumVec(ctx *Ctx, x, g, a tensor.Matrix) {
	n, k := headSumVec(ctx, false, x, g, a), int64(x.Cols)
	ctx.Count.Add(2*n*k, 4*(n*k+n*int64(g.Cols)+k))
}

// HeadSumVecOnto adds to a what [HeadSumVec] computes, of rows that are a piece
// of more.
//
// Cost: work 2rk, bytes 4(rk + rH + 2k).
func HeadSumVecOnto(ctx *Ctx, x, g, a tensor.Matrix) {
	n, k := headSumVec(ctx, true, x, g, a), int64(x.Cols)
	ctx.Count.Add(2*n*k, 4*(n*k+n*int64(g.Cols)+2*k))
}

func headSumVec(ctx *Ctx, onto bool, x, g, a tensor.Matrix) int64 {
	wantShape("kernel.HeadSumVec: g", g, x.Rows, g.Cols)
	wantShape("kernel.HeadSumVec: a", a, 1, x.Cols)
	wantHeads("kernel.HeadSumVec: g", x.Cols, g.Cols)
	ctx.call = call{body: headSumVecRows, values: ctx.values(), lane: ctx.headLanes(x.Cols, g.Cols), x: x, y: g, dst: a, onto: onto}
	return ctx.reduceRows(x.Rows, x.Cols)
}

func headSumVecRows(c *call, _, piece, lo, hi int) {
	c.values.rows.headColumnSum(c.partial(piece).Row(0), c.x, c.y, lo, hi, c.lane)
}

// HeadSum adds the heads of each row: y[i, c] = Σ_h x[i, h, c].
//
// Shapes: x is r×k, y r×f with f dividing k.
// Contract: overwrites y. Its gradient is [HeadRepeat].
// Cost: work rk, bytes 4(rk + rf).
func HeadSum(ctx *Ctx, x, y tensor.Matrix) {
	wantShape("kernel.HeadSum: x", x, y.Rows, x.Cols)
	wantHeads("kernel.HeadSum: y", x.Cols, y.Cols)
	n, k := ctx.byRow(ctx.values().rows.headSum, x, x, y, x.Cols, 0), int64(x.Cols)
	ctx.Count.Add(n*k, 4*(n*k+n*int64(y.Cols)))
}

// HeadRepeat gives every head the same columns: y[i, h, c] = x[i, c].
//
// Shapes: x is r×f, y r×k with f dividing k.
// Contract: overwrites y.
// Cost: work 0, bytes 4(rf + rk).
func HeadRepeat(ctx *Ctx, x, y tensor.Matrix) {
	wantShape("kernel.HeadRepeat: x", x, y.Rows, x.Cols)
	wantHeads("kernel.HeadRepeat: x", y.Cols, x.Cols)
	ctx.call = call{body: headRepeatRows, x: x, dst: y}
	n := ctx.rows(y.Rows, y.Cols)
	ctx.Count.Add(0, 4*n*int64(x.Cols+y.Cols))
}

func headRepeatRows(c *call, _, _, lo, hi int) {
	for i := lo; i < hi; i++ {
		x := c.x.Row(i)
		for y := c.dst.Row(i); len(y) > 0; y = y[len(x):] {
			copy(y, x)
		}
	}
}
