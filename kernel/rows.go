package kernel

import "github.com/weft-gnn/weft/tensor"

// rowLoops are the loops that take rows one at a time, in one variant of
// instructions. A row has the same bits wherever it lies; its sums are taken in
// an order of the variant's own, so that variants differ by rounding.
type rowLoops struct {
	add       rowFunc // x + y
	shift     rowFunc // x − y₀
	scale     rowFunc // x·y₀
	normalize rowFunc // x/max(‖x‖, s)
	softmax   rowFunc
	// Of gradients, x is the argument of normalize, the result of the others.
	normalizeGrad, softmaxGrad, logSoftmaxGrad rowFunc

	// softmaxOf computes s·softmax(x) of the listed rows of x, to those of dst.
	softmaxOf func(dst, x tensor.Matrix, rows []int32, s float32)
	// sumExp computes max x and Σ exp(x − max x) of the listed rows of x, or of
	// the first where rows is nil.
	sumExp func(top, sum []float32, x tensor.Matrix, rows []int32)
}

// rowFunc computes rows lo to hi of dst from those of x, y and a scalar. dst may
// be an operand.
type rowFunc func(dst, x, y tensor.Matrix, lo, hi int, s float32)

// byRow runs f over the rows of dst, in pieces for rows of width values, and
// returns their number.
func (c *Ctx) byRow(f rowFunc, x, y, dst tensor.Matrix, width int, s float32) int64 {
	c.call = call{body: rowFuncRows, row: f, x: x, y: y, dst: dst, scalar: s}
	return c.rows(dst.Rows, width)
}

func rowFuncRows(c *call, _, _, lo, hi int) { c.row(c.dst, c.x, c.y, lo, hi, c.scalar) }

// repeated views the one row of m as every row of a matrix.
func repeated(m tensor.Matrix, rows int) tensor.Matrix {
	return tensor.Matrix{Rows: rows, Cols: m.Cols, Data: m.Data}
}
