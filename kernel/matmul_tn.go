package kernel

import "github.com/weft-gnn/weft/tensor"

// MatMulTN cuts its rows into at most tnParts parts of at least tnRows rows,
// whose partial products hold at most tnValues values together. They are part
// of the result.
const (
	tnRows   = 1024
	tnParts  = 32
	tnValues = 1 << 22
)

// cutTN is how a transposed product is cut: into pieces of one part of the
// operands' rows and tile rows of the result each.
type cutTN struct {
	tile   int
	tiles  int // how many tiles there are
	buffer int // values of scratch space per worker
}

// tnTile is the most rows of the result that a piece computes: so many stay in
// cache, and both operands are read once. Where parts make few pieces, it
// computes fewer.
const tnTile = 280

func cutResult(a, parts int) cutTN {
	const few, fewRows = 16, 84
	most := tnTile
	if parts < few {
		most = fewRows
	}
	tiles := (a + most - 1) / most
	return cutTN{tile: (a + tiles - 1) / max(tiles, 1), tiles: tiles}
}

// MatMulTN computes W = Xᵀ·G, the gradient of a dense layer's weights.
//
// Shapes: x is n×a, g n×b, w a×b.
// Contract: overwrites w, which overlaps neither operand. The rows are cut into
// fixed parts whose products are added in order.
// Cost: work 2nab, bytes 4(na + nb + ab). Scratch: 4·max(2²², ab) bytes at most,
// and a packing buffer per worker.
func MatMulTN(ctx *Ctx, x, g, w tensor.Matrix) {
	terms := matMulTN(ctx, false, x, g, w)
	ctx.Count.Add(2*terms, 4*int64(x.Rows*x.Cols+x.Rows*g.Cols+x.Cols*g.Cols))
}

// MatMulTNOnto computes W += Xᵀ·G, of rows that are a piece of more, as [MatMulTN].
//
// Cost: work 2nab, bytes 4(na + nb + 2ab).
func MatMulTNOnto(ctx *Ctx, x, g, w tensor.Matrix) {
	terms := matMulTN(ctx, true, x, g, w)
	ctx.Count.Add(2*terms, 4*int64(x.Rows*x.Cols+x.Rows*g.Cols+2*x.Cols*g.Cols))
}

// matMulTN returns the number of products that it summed.
func matMulTN(ctx *Ctx, onto bool, x, g, w tensor.Matrix) int64 {
	wantShape("kernel.MatMulTN: g", g, x.Rows, g.Cols)
	wantShape("kernel.MatMulTN: w", w, x.Cols, g.Cols)
	n, a, b := x.Rows, x.Cols, g.Cols
	c := &ctx.call
	p := ctx.products()
	*c = call{x: x, y: g, dst: w, onto: onto}
	c.parts = max(1, min(n/tnRows, tnParts, tnValues/max(a*b, 1)))
	c.n, c.grain = n, (n+c.parts-1)/c.parts
	c.matmul = matmulOperands{loops: p, tn: cutResult(a, c.parts)}
	c.matmul.tn.buffer = p.bufferTN
	c.scratch = ctx.floats(c.parts*a*b + ctx.Pool.Threads()*c.matmul.tn.buffer)
	ctx.Pool.Run(c.parts*c.matmul.tn.tiles, (*tilePieces)(c))
	done := c.done.Load()
	if c.apart() {
		ctx.combine()
	}
	return done * int64(b)
}

// apart reports whether the parts of a transposed product lie apart from dst.
func (c *call) apart() bool { return c.parts > 1 || c.onto }

// tilePieces runs part i/tiles of the rows against tile i%tiles of the result's rows.
type tilePieces call

func (t *tilePieces) Piece(worker, piece int) {
	c := (*call)(t)
	cut := c.matmul.tn
	part, tile := piece/cut.tiles, piece%cut.tiles
	lo := min(part*c.grain, c.n)
	hi := min(lo+c.grain, c.n)
	a0 := tile * cut.tile
	a1 := min(a0+cut.tile, c.x.Cols)
	out := c.dst
	if c.apart() {
		out = c.partial(part)
	}
	buffer := c.scratch[len(c.scratch)-(worker+1)*cut.buffer:][:cut.buffer]
	c.matmul.loops.multiplyTN(columns(rowsOf(c.x, lo, hi), a0, a1), rowsOf(c.y, lo, hi), rowsOf(out, a0, a1), buffer)
	c.done.Add(int64(hi-lo) * int64(a1-a0))
}
