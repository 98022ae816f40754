package kernel

import "github.com/weft-gnn/weft/tensor"

// Add computes Z = X + Y.
//
// Shapes: all r×k.
// Contract: overwrites z, which may be x or y.
// Cost: work rk, bytes 12rk.
func Add(ctx *Ctx, x, y, z tensor.Matrix) { zip3(ctx, "kernel.Add", ctx.values().add, x, y, z) }

// Sub computes Z = X − Y, as [Add].
func Sub(ctx *Ctx, x, y, z tensor.Matrix) { zip3(ctx, "kernel.Sub", ctx.values().sub, x, y, z) }

// Mul computes Z = X ⊙ Y, as [Add].
func Mul(ctx *Ctx, x, y, z tensor.Matrix) { zip3(ctx, "kernel.Mul", ctx.values().mul, x, y, z) }

// Div computes Z = X ⊘ Y by IEEE 754: x/0 is ±Inf, 0/0 NaN. Otherwise as [Add].
func Div(ctx *Ctx, x, y, z tensor.Matrix) { zip3(ctx, "kernel.Div", ctx.values().div, x, y, z) }

// Accumulate computes Y += X.
//
// Shapes: both r×k.
// Cost: work rk, bytes 12rk.
func Accumulate(ctx *Ctx, x, y tensor.Matrix) {
	zip3(ctx, "kernel.Accumulate", ctx.values().add, x, y, y)
}

// Copy computes Y = X.
//
// Shapes: both r×k.
// Cost: work 0, bytes 8rk.
func Copy(ctx *Ctx, x, y tensor.Matrix) {
	wantShape("kernel.Copy", x, y.Rows, y.Cols)
	n := ctx.byRow(ctx.copying(x, y), x, x, y, y.Cols, 0)
	ctx.Count.Add(0, 8*n*int64(y.Cols))
}

// copying returns how rows of x are best copied to y: Go's own way is best for
// what follows each other, and takes long for a few values.
func (c *Ctx) copying(x, y tensor.Matrix) rowFunc {
	if x.Contiguous() && y.Contiguous() {
		return copyBlock
	}
	return c.values().rows.copy
}

func copyBlock(dst, x, _ tensor.Matrix, lo, hi int, _ float32) {
	copy(block(dst, lo, hi-lo), block(x, lo, hi-lo))
}

// Fill sets every value of Y to v.
//
// Cost: work 0, bytes 4rk.
func Fill(ctx *Ctx, v float32, y tensor.Matrix) {
	n := ctx.byRow(ctx.values().fill, y, y, y, y.Cols, v)
	ctx.Count.Add(0, 4*n*int64(y.Cols))
}

// ScaleBy computes Y = (plus + s)·X for a scalar s that is itself a value of the
// program.
//
// Shapes: s is 1×1, x and y r×k.
// Contract: overwrites y, which may be x. The gradient of s is [Dot] of g and x.
// Cost: work rk, + 1 where plus is not 0, bytes 4(2rk + 1).
func ScaleBy(ctx *Ctx, plus float32, s, x, y tensor.Matrix) {
	wantShape("kernel.ScaleBy: s", s, 1, 1)
	wantShape("kernel.ScaleBy: x", x, y.Rows, y.Cols)
	n := ctx.byRow(ctx.values().scale, x, x, y, y.Cols, plus+s.Data[0])
	k := int64(y.Cols)
	ctx.Count.Add(n*k+factorWork(plus), 4*(2*n*k+1))
}

// AddScaled computes Y = X + (plus + s)·Z, as [ScaleBy] and [Add] do.
//
// Shapes: s is 1×1, x, y and z r×k.
// Contract: overwrites y, which may be x or z.
// Cost: work 2rk, + 1 where plus is not 0, bytes 4(3rk + 1).
func AddScaled(ctx *Ctx, plus float32, s, x, z, y tensor.Matrix) {
	wantShape("kernel.AddScaled: s", s, 1, 1)
	wantShape("kernel.AddScaled: x", x, y.Rows, y.Cols)
	wantShape("kernel.AddScaled: z", z, y.Rows, y.Cols)
	n := ctx.byRow(ctx.values().addScaled, x, z, y, y.Cols, plus+s.Data[0])
	k := int64(y.Cols)
	ctx.Count.Add(2*n*k+factorWork(plus), 4*(3*n*k+1))
}

// factorWork is what the sum of a factor takes.
func factorWork(plus float32) int64 {
	if plus == 0 {
		return 0
	}
	return 1
}

// AddBias computes Y = X + 1bᵀ: a row vector is added to every row.
//
// Shapes: b is 1×k, x and y r×k.
// Contract: overwrites y, which may be x. The gradient of b is [ColumnSum] of g.
// Cost: work rk, bytes 4(2rk + k).
func AddBias(ctx *Ctx, x, b, y tensor.Matrix) {
	wantShape("kernel.AddBias: b", b, 1, y.Cols)
	wantShape("kernel.AddBias: x", x, y.Rows, y.Cols)
	n := ctx.byRow(ctx.values().add, x, repeated(b, y.Rows), y, y.Cols, 0)
	k := int64(y.Cols)
	ctx.Count.Add(n*k, 4*(2*n*k+k))
}

// zip3 runs f over three matrices and counts one operation per value.
func zip3(ctx *Ctx, what string, f rowFunc, x, y, z tensor.Matrix) {
	wantShape(what, x, z.Rows, z.Cols)
	wantShape(what, y, z.Rows, z.Cols)
	n := ctx.byRow(f, x, y, z, z.Cols, 0)
	k := int64(z.Cols)
	ctx.Count.Add(n*k, 12*n*k)
}
