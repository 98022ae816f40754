package kernel

import "github.com/weft-gnn/weft/tensor"

// products are the loops of the dense products in one variant of instructions.
// Within a variant results have the same bits for any number of threads, and
// for any rows beside a row. The variants in assembly add each product to its
// sum in one rounding, the portable one in two; they also start a new sum after
// every blockDepth products, which are added in order. So a value of one
// variant is within (a + 8)·2⁻²⁴·Σ|xw| of another's.
type products struct {
	panels
	multiply   func(x tensor.Matrix, packed []float32, y tensor.Matrix, e epilogue)
	multiplyTN func(x, g, w tensor.Matrix, buffer []float32)
	bufferTN   func(b int) int // values of buffer for g of b columns
}

// epilogue is what follows a product: y = f(y + bias).
type epilogue struct {
	bias tensor.Matrix // 1 × b, or empty
	fn   Func
}

// products returns the loops that a context uses.
func (c *Ctx) products() *products { return &productVariants[c.variant()] }

// matmulOperands is what the dense products need beside their matrices.
type matmulOperands struct {
	loops  *products
	packed []float32 // the right operand
	bias   tensor.Matrix
	tiles  int // of MatMulTN: how many pieces the result's rows are cut into
	buffer int // of MatMulTN: values of scratch space per worker
}

// MatMul computes Y = X·W.
//
// Shapes: x is n×a, w a×b, y n×b.
// Contract: overwrites y, which overlaps neither operand. Each value is summed
// over the inner index in ascending order, wherever it lies in a tile.
// Cost: work 2nab, bytes 4(na + ab + nb).
func MatMul(ctx *Ctx, x, w, y tensor.Matrix) {
	wantShape("kernel.MatMul: w", w, x.Cols, y.Cols)
	matmul(ctx, "kernel.MatMul: y", x, w, y, packColumns)
}

// MatMulNT computes Y = X·Wᵀ, the gradient of a dense layer's input.
//
// Shapes: x is n×a, w b×a, y n×b.
// Contract and cost: as [MatMul].
func MatMulNT(ctx *Ctx, x, w, y tensor.Matrix) {
	wantShape("kernel.MatMulNT: w", w, y.Cols, x.Cols)
	matmul(ctx, "kernel.MatMulNT: y", x, w, y, packRows)
}

func matmul(ctx *Ctx, what string, x, w, y tensor.Matrix, pack packFunc) {
	wantShape(what, y, x.Rows, y.Cols)
	n := ctx.product(x, w, y, epilogue{}, pack)
	a, b := int64(x.Cols), int64(y.Cols)
	ctx.Count.Add(2*n*a*b, 4*(n*a+a*b+n*b))
}

// Dense computes Y = σ(X·W + 1bᵀ), a dense layer in one pass over Y.
//
// Shapes: x is n×a, w a×b, bias 1×b or the zero Matrix for none, y n×b.
// Contract: as [MatMul]; σ is any [Func].
// Cost: work 2nab, + nb with a bias, + nb·f.Work();
// bytes 4(na + ab + nb), + 4b with a bias.
func Dense(ctx *Ctx, x, w, bias tensor.Matrix, f Func, y tensor.Matrix) {
	wantShape("kernel.Dense: w", w, x.Cols, y.Cols)
	wantShape("kernel.Dense: y", y, x.Rows, y.Cols)
	a, b := int64(x.Cols), int64(y.Cols)
	biased := int64(bias.Rows)
	if biased != 0 {
		wantShape("kernel.Dense: bias", bias, 1, y.Cols)
	}
	n := ctx.product(x, w, y, epilogue{bias, f}, packColumns)
	ctx.Count.Add(2*n*a*b+biased*n*b+n*b*f.Work(), 4*(n*a+a*b+n*b+biased*b))
}

// product runs y = f(x·w + bias) over pieces of rows and returns their number.
func (c *Ctx) product(x, w, y tensor.Matrix, e epilogue, pack packFunc) int64 {
	k := &c.call
	p := c.products()
	*k = call{body: productRows, x: x, dst: y, fn: e.fn}
	c.takeTail(y)
	k.matmul = matmulOperands{loops: p, packed: c.floats(p.values(x.Cols, y.Cols)), bias: e.bias}
	pack(p.panels, k.matmul.packed, w)
	k.cutProduct(x.Rows, x.Cols*y.Cols)
	return c.cutRows()
}

// productRows computes rows of y = f(x·w + bias).
func productRows(c *call, _, _, lo, hi int) {
	m := &c.matmul
	m.loops.multiply(rowsOf(c.x, lo, hi), m.packed, rowsOf(c.dst, lo, hi), epilogue{m.bias, c.fn})
	c.follow(lo, hi)
}

// cutProduct sets pieces for rows of work multiply-adds each. A piece reads the
// whole right operand, so it gets enough rows to be worth that.
func (c *call) cutProduct(rows, work int) {
	const grainWork, fewest = 8 * grainValues, 16
	c.n = rows
	c.grain = max(fewest, (grainWork/max(work, 1))&^1)
	c.pieces = (rows + c.grain - 1) / c.grain
}
