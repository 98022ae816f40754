package kernel

import "github.com/weft-gnn/weft/tensor"

// rowLoops are the loops that take rows one at a time, in one variant of
// instructions. A row has the same bits wherever it lies; its sums are taken in
// an order of the variant's own, so that variants differ by rounding.
type rowLoops struct {
	copy      rowFunc // x
	narrow    rowFunc // x, dst being in bfloat16
	widen     rowFunc // x, which is in bfloat16
	shift     rowFunc // x − y₀
	scale     rowFunc // x·y₀
	normalize rowFunc // x/max(‖x‖, s)
	softmax   rowFunc
	// Of gradients, x is the argument of normalize, the result of the others.
	normalizeGrad, softmaxGrad, logSoftmaxGrad rowFunc

	headDot rowFunc // Σ x·y over the columns of each head, of which dst has one
	headSum rowFunc // Σ x over the heads, of columns as many as dst's
	// headScale is x·y of the column's head.
	headScale headFunc
	// headAdd adds the same to dst.
	headAdd headFunc
	// columnSum computes Σ x of rows lo to hi, headColumnSum Σ x·y of the column's head.
	columnSum     func(dst []float32, x tensor.Matrix, lo, hi int)
	headColumnSum func(dst []float32, x, y tensor.Matrix, lo, hi int, lane []uint32)

	// softmaxOf computes s·softmax(x) of the first n listed rows of x, to those of
	// dst. Rows of x that are listed after them are asked for.
	softmaxOf func(dst, x tensor.Matrix, rows []int32, n int, s float32)
	// addAt adds each row of x to the row of dst that is listed for it.
	addAt func(dst, x tensor.Matrix, rows []int32)
	// sumExp computes max x and Σ exp(x − max x), len(top) of them, of rows of x
	// as softmaxOf takes them, or of the first of all where rows is nil.
	sumExp func(top, sum []float32, x tensor.Matrix, rows []int32)
	// argMax finds the first column of max x of the listed rows, 0 where x has no number.
	argMax func(arg []int32, x tensor.Matrix, rows []int32)
}

// rowFunc computes rows lo to hi of dst from those of x, y and a scalar. dst may
// be an operand.
type rowFunc func(dst, x, y tensor.Matrix, lo, hi int, s float32)

// headFunc is a rowFunc whose y has a column per head; lane tells each column's,
// as [Ctx.headLanes] does.
type headFunc func(dst, x, y tensor.Matrix, lo, hi int, lane []uint32)

// headLanes returns, for each of the columns of some heads, the number of its
// head, and goes on to fill whole vectors.
func (c *Ctx) headLanes(cols, heads int) []uint32 {
	c.lanes = appendLanes(c.lanes[:0], cols, heads)
	return c.lanes
}

func appendLanes(lanes []uint32, cols, heads int) []uint32 {
	for h := range heads {
		for range cols / heads {
			lanes = append(lanes, uint32(h))
		}
	}
	for range widestVector {
		lanes = append(lanes, 0)
	}
	return lanes
}

// widestVector is how many values the widest vector holds.
const widestVector = 16

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
