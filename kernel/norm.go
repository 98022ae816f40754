package kernel

import "github.com/weft-gnn/weft/tensor"

// Normalize scales each row to length 1: y = x/max(‖x‖₂, eps).
//
// Shapes: x and y are r×k.
// Contract: overwrites y, which may be x. A row of length eps or less is divided
// by eps > 0, so that 0 stays 0.
// Cost: per row 2k (squares and their sum), square root, maximum, reciprocal and
// k to scale: work r(3k + 3), bytes 8rk.
func Normalize(ctx *Ctx, eps float32, x, y tensor.Matrix) {
	wantShape("kernel.Normalize: x", x, y.Rows, y.Cols)
	n, k := ctx.byRow(ctx.values().rows.normalize, x, x, y, y.Cols, eps), int64(y.Cols)
	ctx.Count.Add(n*(3*k+3), 8*n*k)
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
	n, k := ctx.byRow(ctx.values().rows.normalizeGrad, x, g, d, d.Cols, eps), int64(d.Cols)
	ctx.Count.Add(n*(7*k+5), 12*n*k)
}

// Softmax normalises each row: y = exp(x − max x)/Σ exp(x − max x).
//
// Shapes: x and y are r×k.
// Contract: overwrites y, which may be x. NaN poisons its row only.
// Cost: maximum, subtract, exp, sum, divide: work 5rk, bytes 8rk.
func Softmax(ctx *Ctx, x, y tensor.Matrix) {
	wantShape("kernel.Softmax: x", x, y.Rows, y.Cols)
	n, k := ctx.byRow(ctx.values().rows.softmax, x, x, y, 4*y.Cols, 0), int64(y.Cols)
	ctx.Count.Add(5*n*k, 8*n*k)
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
	n, k := ctx.byRow(ctx.values().rows.softmaxGrad, y, g, d, d.Cols, 0), int64(d.Cols)
	ctx.Count.Add(4*n*k, 12*n*k)
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
	ctx.logRoom()
	n, k := ctx.rows(y.Rows, 4*y.Cols), int64(y.Cols)
	ctx.Count.Add(n*(5*k+1), 8*n*k)
}

// Rows whose exponentials are summed are taken some at a time, so that one pass
// takes all their logarithms and finds the rows in cache again.
const (
	logRows   = 128
	logValues = 1 << 13
)

// rowsAtOnce is how many rows of some columns are so taken.
func rowsAtOnce(cols int) int { return max(1, min(logRows, logValues/max(1, cols))) }

// logRoom makes room for two values of logRows rows for each worker.
func (c *Ctx) logRoom() {
	c.call.values = c.values()
	c.call.scratch = c.floats(2 * logRows * c.Pool.Threads())
}

// logSums returns max x and ln Σ exp(x − max x) of some rows of x, as sumExp has
// them, in the worker's room.
func (c *call) logSums(worker, n int, x tensor.Matrix, rows []int32) (top, log tensor.Matrix) {
	room := c.scratch[2*logRows*worker:]
	top, log = tensor.Of(n, 1, room[:n]), tensor.Of(n, 1, room[logRows:logRows+n])
	c.values.rows.sumExp(top.Data, log.Data, x, rows)
	c.values.forward[Log](log, log, log, 0, n, 0)
	return top, log
}

func logSoftmaxRows(c *call, worker, _, lo, hi int) {
	step := rowsAtOnce(c.x.Cols)
	for ; lo < hi; lo += step {
		n := min(step, hi-lo)
		x, y := c.x.Between(lo, lo+n), c.dst.Between(lo, lo+n)
		top, log := c.logSums(worker, n, x, nil)
		c.values.rows.shift(y, x, top, 0, n, 0)
		c.values.rows.shift(y, y, log, 0, n, 0)
	}
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
	n, k := ctx.byRow(ctx.values().rows.logSoftmaxGrad, y, g, d, 4*d.Cols, 0), int64(d.Cols)
	ctx.Count.Add(4*n*k, 12*n*k)
}
