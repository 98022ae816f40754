package kernel

import (
	"math"

	"github.com/weft-gnn/weft/tensor"
)

// Normalize scales each row to length 1: y = x/max(‖x‖₂, eps).
//
// Shapes: x and y are r×k.
// Contract: overwrites y, which may be x. A row of length eps or less is divided
// by eps > 0, so that 0 stays 0.
// Cost: per row 2k (squares and their sum), square root, maximum, reciprocal and
// k to scale: work r(3k + 3), bytes 8rk.
func Normalize(ctx *Ctx, eps float32, x, y tensor.Matrix) {
	wantShape("kernel.Normalize: x", x, y.Rows, y.Cols)
	ctx.call = call{body: normalizeRows, x: x, dst: y, scalar: eps}
	n, k := ctx.rows(y.Rows, y.Cols), int64(y.Cols)
	ctx.Count.Add(n*(3*k+3), 8*n*k)
}

func normalizeRows(c *call, _, _, lo, hi int) {
	for i := lo; i < hi; i++ {
		x := c.x.Row(i)
		scaleTo(c.dst.Row(i), x, nil, 1/max(sqrt(dot(x, x)), c.scalar))
	}
}

// NormalizeGrad computes the gradient of [Normalize]'s argument. With
// s = 1/max(‖x‖, eps),
//
//	d = s·(g − s²(x·g)·x) where ‖x‖ > eps, s·g elsewhere
//
// Shapes: x, g and d are r×k.
// Contract: overwrites d, which may be x or g.
// Cost: per row s (2k + 3), x·g (2k), s²(x·g) (2), and 3k to combine, counted
// also where ‖x‖ ≤ eps: work r(7k + 5), bytes 12rk.
func NormalizeGrad(ctx *Ctx, eps float32, x, g, d tensor.Matrix) {
	wantShape("kernel.NormalizeGrad: x", x, d.Rows, d.Cols)
	wantShape("kernel.NormalizeGrad: g", g, d.Rows, d.Cols)
	ctx.call = call{body: normalizeGradRows, x: x, y: g, dst: d, scalar: eps}
	n, k := ctx.rows(d.Rows, d.Cols), int64(d.Cols)
	ctx.Count.Add(n*(7*k+5), 12*n*k)
}

func normalizeGradRows(c *call, _, _, lo, hi int) {
	for i := lo; i < hi; i++ {
		x, g, d := c.x.Row(i), c.y.Row(i), c.dst.Row(i)
		norm := sqrt(dot(x, x))
		s := 1 / max(norm, c.scalar)
		along := s * s * dot(x, g)
		if norm <= c.scalar {
			along = 0
		}
		for j, v := range g {
			d[j] = s * (v - along*x[j])
		}
	}
}

// Softmax normalises each row: y = exp(x − max x)/Σ exp(x − max x).
//
// Shapes: x and y are r×k.
// Contract: overwrites y, which may be x. NaN poisons its row only.
// Cost: maximum, subtract, exp, sum, divide: work 5rk, bytes 8rk.
func Softmax(ctx *Ctx, x, y tensor.Matrix) {
	wantShape("kernel.Softmax: x", x, y.Rows, y.Cols)
	ctx.call = call{body: rowSoftmaxRows, x: x, dst: y}
	n, k := ctx.rows(y.Rows, 4*y.Cols), int64(y.Cols)
	ctx.Count.Add(5*n*k, 8*n*k)
}

func rowSoftmaxRows(c *call, _, _, lo, hi int) {
	for i := lo; i < hi; i++ {
		y := c.dst.Row(i)
		scaleTo(y, y, nil, 1/expRow(y, c.x.Row(i)))
	}
}

// expRow sets y to exp(x − max x) and returns its sum.
func expRow(y, x []float32) float32 {
	top := maxOf(x)
	var sum float32
	for j, v := range x {
		v = exp(v - top)
		y[j] = v
		sum += v
	}
	return sum
}

// maxOf returns the largest value that is a number, as maxColumn does.
func maxOf(x []float32) float32 {
	top := float32(math.Inf(-1))
	for _, v := range x {
		if v > top {
			top = v
		}
	}
	return top
}

// SoftmaxGrad computes the gradient of [Softmax]'s argument from its result:
// d = y ⊙ (g − Σ y ⊙ g).
//
// Shapes: y, g and d are r×k.
// Contract: overwrites d, which may be y or g.
// Cost: work 4rk, bytes 12rk.
func SoftmaxGrad(ctx *Ctx, y, g, d tensor.Matrix) {
	wantShape("kernel.SoftmaxGrad: y", y, d.Rows, d.Cols)
	wantShape("kernel.SoftmaxGrad: g", g, d.Rows, d.Cols)
	ctx.call = call{body: rowSoftmaxGradRows, x: y, y: g, dst: d}
	n, k := ctx.rows(d.Rows, d.Cols), int64(d.Cols)
	ctx.Count.Add(4*n*k, 12*n*k)
}

func rowSoftmaxGradRows(c *call, _, _, lo, hi int) {
	for i := lo; i < hi; i++ {
		y, g, d := c.x.Row(i), c.y.Row(i), c.dst.Row(i)
		sum := dot(y, g)
		for j, v := range g {
			d[j] = y[j] * (v - sum)
		}
	}
}

// LogSoftmax computes, per row, y = x − max x − ln Σ exp(x − max x).
//
// Shapes: x and y are r×k.
// Contract: overwrites y, which may be x. NaN poisons its row only.
// Cost: maximum, subtract, exp, sum, subtract per value and a logarithm per row:
// work r(5k + 1), bytes 8rk.
func LogSoftmax(ctx *Ctx, x, y tensor.Matrix) {
	wantShape("kernel.LogSoftmax: x", x, y.Rows, y.Cols)
	ctx.call = call{body: logSoftmaxRows, x: x, dst: y}
	n, k := ctx.rows(y.Rows, 4*y.Cols), int64(y.Cols)
	ctx.Count.Add(n*(5*k+1), 8*n*k)
}

func logSoftmaxRows(c *call, _, _, lo, hi int) {
	for i := lo; i < hi; i++ {
		x, y := c.x.Row(i), c.dst.Row(i)
		top, sum := logSumExp(x)
		for j, v := range x {
			y[j] = (v - top) - sum
		}
	}
}

// logSumExp returns m = max x and ln Σ exp(x − m).
func logSumExp(x []float32) (top, sum float32) {
	top = maxOf(x)
	for _, v := range x {
		sum += exp(v - top)
	}
	return top, log(sum)
}

// LogSoftmaxGrad computes the gradient of [LogSoftmax]'s argument from its
// result: d = g − exp(y)·Σ g.
//
// Shapes: y, g and d are r×k.
// Contract: overwrites d, which may be y or g.
// Cost: sum, exp, multiply, subtract: work 4rk, bytes 12rk.
func LogSoftmaxGrad(ctx *Ctx, y, g, d tensor.Matrix) {
	wantShape("kernel.LogSoftmaxGrad: y", y, d.Rows, d.Cols)
	wantShape("kernel.LogSoftmaxGrad: g", g, d.Rows, d.Cols)
	ctx.call = call{body: logSoftmaxGradRows, x: y, y: g, dst: d}
	n, k := ctx.rows(d.Rows, 4*d.Cols), int64(d.Cols)
	ctx.Count.Add(4*n*k, 12*n*k)
}

func logSoftmaxGradRows(c *call, _, _, lo, hi int) {
	for i := lo; i < hi; i++ {
		y, g, d := c.x.Row(i), c.y.Row(i), c.dst.Row(i)
		var sum float32
		for _, v := range g {
			sum += v
		}
		for j, v := range g {
			d[j] = v - exp(y[j])*sum
		}
	}
}
