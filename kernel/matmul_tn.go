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
	x, g   int // where in it rows of x and of g begin that are stored in bfloat16
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
	tile := (a + tiles - 1) / max(tiles, 1)
	tile += tile % 2 // begins with a word of bfloat16
	return cutTN{tile: tile, tiles: (a + tile - 1) / max(tile, 1)}
}

// MatMulTN computes W = Xᵀ·G, the gradient of a dense layer's weights.
//
// Shapes: x is n×a, g n×b, w a×b.
// Contract: overwrites w, which overlaps neither operand. The rows are cut into
// fixed parts whose products are added in order. x and g may be stored in bfloat16.
// Cost: work 2nab, bytes 4(na + nb + ab), 2 for 4 in bfloat16. Scratch:
// 4·max(2²², ab) bytes at most, and a packing buffer per worker.
func MatMulTN(ctx *Ctx, x, g, w tensor.Matrix) {
	matMulTN(ctx, false, x, g, w)
}

// MatMulTNOnto computes W += Xᵀ·G, of rows that are a piece of more, as [MatMulTN].
//
// Cost: work 2nab, bytes 4(na + nb + 2ab).
func MatMulTNOnto(ctx *Ctx, x, g, w tensor.Matrix) {
	matMulTN(ctx, true, x, g, w)
	ctx.Count.Add(0, 4*int64(x.Cols*g.Cols))
}

// matMulTN computes both.
func matMulTN(ctx *Ctx, onto bool, x, g, w tensor.Matrix) {
	wantStored("kernel.MatMulTN: g", g, x.Rows, g.Cols)
	wantShape("kernel.MatMulTN: w", w, x.Cols, g.Cols)
	n, a, b := x.Rows, x.Cols, g.Cols
	c := &ctx.call
	p := ctx.products()
	*c = call{x: x, y: g, dst: w, onto: onto, values: ctx.values()}
	c.parts = max(1, min(n/tnRows, tnParts, tnValues/max(a*b, 1)))
	c.n, c.grain = n, (n+c.parts-1)/c.parts
	turned := b*p.padded(a) < a*p.padded(b)
	if turned {
		c.x, c.y = g, x
	}
	c.matmul = matmulOperands{loops: p, tn: cutResult(c.x.Cols, c.parts)}
	c.matmul.tn.room(p, c.x, c.y)
	c.scratch = ctx.floats((c.parts+1)*a*b + ctx.Pool.Threads()*c.matmul.tn.buffer)
	if turned {
		c.turnResult(w)
	}
	ctx.Pool.Run(c.parts*c.matmul.tn.tiles, (*tilePieces)(c))
	done := c.done.Load()
	if c.apart() {
		ctx.combine()
	}
	if turned {
		scatter(w.Data, w.Stride, c.dst)
	}
	rows := int64(n)
	ctx.Count.Add(2*done*int64(c.y.Cols), valueBytes(x)*rows*int64(a)+valueBytes(g)*rows*int64(b)+4*int64(a*b))
}

// turnResult computes Wᵀ = Gᵀ·X in w's stead, behind the parts: the same sums, where
// the columns of x fill vectors better than those of g.
func (c *call) turnResult(w tensor.Matrix) {
	size := w.Rows * w.Cols
	c.dst = tensor.Of(w.Cols, w.Rows, c.scratch[c.parts*size:][:size])
	if c.onto {
		scatter(c.dst.Data, c.dst.Stride, w)
	}
}

// room sets how much scratch space a worker has.
func (t *cutTN) room(p *products, x, g tensor.Matrix) {
	t.x, t.g = p.bufferTN, p.bufferTN
	if x.BFloat16 {
		t.g += p.rowsTN * t.tile
	}
	t.buffer = t.g
	if g.BFloat16 {
		t.buffer += p.rowsTN * g.Cols
	}
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
	x := c.slabOf(c.x.Between(lo, hi), a0, a1, buffer[cut.x:])
	g := c.slabOf(c.y.Between(lo, hi), 0, c.y.Cols, buffer[cut.g:])
	c.matmul.loops.multiplyTN(x, g, out.Between(a0, a1), buffer)
	c.done.Add(int64(hi-lo) * int64(a1-a0))
}
