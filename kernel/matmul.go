package kernel

import "github.com/weft-gnn/weft/tensor"

// matmulOperands is what the dense products need beside their matrices.
type matmulOperands struct {
	panels []float32     // the right operand, packed
	bias   tensor.Matrix // 1 × b, or empty
	tiles  int           // of MatMulTN: how many pieces the result's rows are cut into
	buffer int           // of MatMulTN: values of scratch space per worker
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

func matmul(ctx *Ctx, what string, x, w, y tensor.Matrix, pack func(panels []float32, w tensor.Matrix)) {
	wantShape(what, y, x.Rows, y.Cols)
	n := ctx.product(x, w, y, tensor.Matrix{}, Func{}, pack)
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
	n := ctx.product(x, w, y, bias, f, packColumns)
	ctx.Count.Add(2*n*a*b+biased*n*b+n*b*f.Work(), 4*(n*a+a*b+n*b+biased*b))
}

// product runs y = f(x·w + bias) over pieces of rows and returns their number.
func (c *Ctx) product(x, w, y, bias tensor.Matrix, f Func, pack func([]float32, tensor.Matrix)) int64 {
	k := &c.call
	*k = call{body: productRows, x: x, dst: y, fn: f}
	k.matmul = matmulOperands{panels: c.floats(panelValues(x.Cols, y.Cols)), bias: bias}
	pack(k.matmul.panels, w)
	k.cutProduct(x.Rows, x.Cols*y.Cols)
	return c.cutRows()
}

// cutProduct sets pieces for rows of work multiply-adds each. A piece reads the
// whole right operand, so it gets enough rows to be worth that.
func (c *call) cutProduct(rows, work int) {
	const grainWork, fewest = 8 * grainValues, 16
	c.n = rows
	c.grain = max(fewest, (grainWork/max(work, 1))&^1)
	c.pieces = (rows + c.grain - 1) / c.grain
}

// MatMulTN cuts its rows into at most tnPieces pieces of at least tnRows rows,
// whose partial products hold at most tnValues values together.
const (
	tnRows   = 1024
	tnPieces = 32
	tnValues = 1 << 22
	tnTile   = 64  // rows of the result that one piece computes
	tnBlock  = 128 // rows of the operands that are packed at once
)

// MatMulTN computes W = Xᵀ·G, the gradient of a dense layer's weights.
//
// Shapes: x is n×a, g n×b, w a×b.
// Contract: overwrites w, which overlaps neither operand. The rows are cut into
// fixed pieces whose products are added in order.
// Cost: work 2nab, bytes 4(na + nb + ab). Scratch: 4·max(2²², ab) bytes at most,
// and a packing buffer per worker.
func MatMulTN(ctx *Ctx, x, g, w tensor.Matrix) {
	wantShape("kernel.MatMulTN: g", g, x.Rows, g.Cols)
	wantShape("kernel.MatMulTN: w", w, x.Cols, g.Cols)
	n, a, b := x.Rows, x.Cols, g.Cols
	c := &ctx.call
	*c = call{x: x, y: g, dst: w}
	c.parts = max(1, min(n/tnRows, tnPieces, tnValues/max(a*b, 1)))
	c.n, c.grain = n, (n+c.parts-1)/c.parts
	c.matmul = matmulOperands{
		tiles:  (a + tnTile - 1) / tnTile,
		buffer: tnBlock*tnTile + panelValues(tnBlock, b),
	}
	c.scratch = ctx.floats(c.parts*a*b + ctx.Pool.Threads()*c.matmul.buffer)
	ctx.Pool.Run(c.parts*c.matmul.tiles, (*tilePieces)(c))
	done := c.done.Load()
	if c.parts > 1 {
		ctx.combine()
	}
	ctx.Count.Add(2*done*int64(b), 4*int64(n*a+n*b+a*b))
}

// tilePieces runs part i/tiles of the rows against tile i%tiles of the result's rows.
type tilePieces call

func (t *tilePieces) Piece(worker, piece int) {
	c := (*call)(t)
	part, tile := piece/c.matmul.tiles, piece%c.matmul.tiles
	lo := min(part*c.grain, c.n)
	hi := min(lo+c.grain, c.n)
	a0 := tile * tnTile
	a1 := min(a0+tnTile, c.x.Cols)
	out := c.dst
	if c.parts > 1 {
		out = c.partial(part)
	}
	buffer := c.scratch[len(c.scratch)-(worker+1)*c.matmul.buffer:]
	productTN(columns(rowsOf(c.x, lo, hi), a0, a1), rowsOf(c.y, lo, hi), rowsOf(out, a0, a1), buffer[:c.matmul.buffer])
	c.done.Add(int64(hi-lo) * int64(a1-a0))
}
