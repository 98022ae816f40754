package kernel

import "github.com/weft-gnn/weft/tensor"

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
	p := ctx.products()
	*c = call{x: x, y: g, dst: w}
	c.parts = max(1, min(n/tnRows, tnPieces, tnValues/max(a*b, 1)))
	c.n, c.grain = n, (n+c.parts-1)/c.parts
	c.matmul = matmulOperands{
		tiles:  (a + tnTile - 1) / tnTile,
		buffer: p.bufferTN(b),
		loops:  p,
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
	c.matmul.loops.multiplyTN(columns(rowsOf(c.x, lo, hi), a0, a1), rowsOf(c.y, lo, hi), rowsOf(out, a0, a1), buffer[:c.matmul.buffer])
	c.done.Add(int64(hi-lo) * int64(a1-a0))
}
