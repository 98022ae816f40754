package kernel

import "github.com/weft-gnn/weft/tensor"

// products are the loops of the dense products in one variant of instructions.
//
// Within a variant a row's values have the same bits for any number of threads
// and any rows beside it: they are sums in ascending order, restarted at fixed
// places. Variants differ where they round. Those in assembly add a product to
// its sum in one rounding and restart sums every blockDepth products (every
// blockRows rows in MatMulTN); they agree with each other. The portable one
// rounds twice and restarts sums in MatMulTN only. So each is within
// (a + 8)·2⁻²⁴·Σ|x·w| of the exact sum of a products.
type products struct {
	panels
	inPlace    func(w tensor.Matrix) bool // whether multiply reads whole panels of w where they are
	multiply   func(x tensor.Matrix, w right, y tensor.Matrix, e epilogue)
	multiplyTN func(x, g slab, w tensor.Matrix, buffer []float32)
	transpose  func(panel []float32, width int, w tensor.Matrix) // packs rows as columns
	bufferTN   int                                               // values of multiplyTN's buffer
	rowsTN     int                                               // how many rows it takes at once
}

// epilogue is what follows a product: y = f(y + bias).
type epilogue struct {
	bias   tensor.Matrix // 1 × b, or empty
	fn     Func
	values *valueLoops
	tail   operandRows
}

// products returns the loops that a context uses.
func (c *Ctx) products() *products { return &productVariants[c.variant()] }

// matmulOperands is what the dense products need beside their matrices.
type matmulOperands struct {
	loops      *products
	w          right
	transposed bool // w's matrix is
	bias       tensor.Matrix
	tn         cutTN
}

// MatMul computes Y = X·W.
//
// Shapes: x is n×a, w a×b, y n×b.
// Contract: overwrites y, which overlaps neither operand. Each value is summed
// over the inner index in ascending order, wherever it lies in a tile. x and y may
// be stored in bfloat16.
// Cost: work 2nab, bytes 4(na + ab + nb), 2 for 4 in bfloat16. Scratch: 4ab bytes
// at most, and for what is in bfloat16 a few hundred rows per worker.
func MatMul(ctx *Ctx, x, w, y tensor.Matrix) {
	wantShape("kernel.MatMul: w", w, x.Cols, y.Cols)
	matmul(ctx, "kernel.MatMul: y", x, w, y, false)
}

// MatMulNT computes Y = X·Wᵀ, the gradient of a dense layer's input.
//
// Shapes: x is n×a, w b×a, y n×b.
// Contract and cost: as [MatMul].
func MatMulNT(ctx *Ctx, x, w, y tensor.Matrix) {
	wantShape("kernel.MatMulNT: w", w, y.Cols, x.Cols)
	matmul(ctx, "kernel.MatMulNT: y", x, w, y, true)
}

func matmul(ctx *Ctx, what string, x, w, y tensor.Matrix, transposed bool) {
	wantStored(what, y, x.Rows, y.Cols)
	n := ctx.product(x, w, y, epilogue{}, transposed)
	a, b := int64(x.Cols), int64(y.Cols)
	ctx.Count.Add(2*n*a*b, valueBytes(x)*n*a+4*a*b+valueBytes(y)*n*b)
}

// Dense computes Y = σ(X·W + 1bᵀ), a dense layer in one pass over Y.
//
// Shapes: x is n×a, w a×b, bias 1×b or the zero Matrix for none, y n×b.
// Contract: as [MatMul]; σ is any [Func].
// Cost: work 2nab, + nb with a bias, + nb·f.Work();
// bytes 4(na + ab + nb), + 4b with a bias.
func Dense(ctx *Ctx, x, w, bias tensor.Matrix, f Func, y tensor.Matrix) {
	wantShape("kernel.Dense: w", w, x.Cols, y.Cols)
	wantStored("kernel.Dense: y", y, x.Rows, y.Cols)
	a, b := int64(x.Cols), int64(y.Cols)
	biased := int64(bias.Rows)
	if biased != 0 {
		wantShape("kernel.Dense: bias", bias, 1, y.Cols)
	}
	n := ctx.product(x, w, y, epilogue{bias: bias, fn: f}, false)
	ctx.Count.Add(2*n*a*b+biased*n*b+n*b*f.Work(), valueBytes(x)*n*a+4*(a*b+biased*b)+valueBytes(y)*n*b)
}

// product runs y = f(x·w + bias) over pieces of rows and returns their number.
func (c *Ctx) product(x, w, y tensor.Matrix, e epilogue, transposed bool) int64 {
	k := &c.call
	*k = call{body: productRows, x: x, dst: y, fn: e.fn}
	c.takeTail(y, wantStored)
	k.matmul = matmulOperands{loops: c.products(), w: right{matrix: w}, bias: e.bias, transposed: transposed}
	c.packRight()
	k.cutProduct(x.Rows, k.matmul.loops.values(x.Cols, y.Cols), c.Pool.Threads())
	c.stage(k.grain, k.grain)
	return c.cutRows()
}

// productRows computes rows of y = f(x·w + bias).
func productRows(c *call, worker, _, lo, hi int) {
	m, y := &c.matmul, c.result(worker, lo, hi)
	m.loops.multiply(c.left(worker, lo, hi), m.w, y, epilogue{m.bias, c.fn, c.values, c.tail.operandRows(lo, hi)})
	c.finish(worker, y, lo, hi)
}

// cutProduct sets pieces for rows of work multiply-adds each. A row does not
// depend on its piece, so that the pieces may depend on the threads: a few for
// each, none too small to be worth handing out, and none so large that its rows
// leave the second-level cache before what follows has been done to them.
func (c *call) cutProduct(rows, work, threads int) {
	const piecesPerThread, most, least = 4, 224, 56
	const leastWork = 1 << 20
	grain := min(most, max(least, rows/(piecesPerThread*threads)))
	grain = max(grain, leastWork/max(work, 1))
	c.n = rows
	c.pieces = (rows + grain - 1) / grain
	c.grain = max(0, rows+c.pieces-1) / max(c.pieces, 1)
}
