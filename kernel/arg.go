package kernel

import (
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// ArgMax finds, per vertex and column, the edge with the largest value:
// arg[v, c] = argmax_{e at v} x[e, c]. The maximum itself is [Pick].
//
// Shapes: x is m×k, arg n_end×k.
// Contract: overwrites arg with edge positions as bit patterns (see [Bits]),
// [None] where a vertex has no edges. Ties go to the edge that the block, or at Src
// its index by source, names first. A NaN wins over every number, the first such, so
// that it reaches its own vertex and column and no other.
// Cost: work mk, bytes 8(n_end + 1) + 4mk + 4·n_end·k, + 4m at Src.
func ArgMax(ctx *Ctx, b *graph.Block, end End, x, arg tensor.Matrix) {
	wantShape("kernel.ArgMax: x", x, b.Edges(), arg.Cols)
	wantShape("kernel.ArgMax: arg", arg, vertices(b, end), arg.Cols)
	argBlock(ctx, b, end, 1, nil, x, arg)
}

// ArgMin finds the smallest values, as [ArgMax].
func ArgMin(ctx *Ctx, b *graph.Block, end End, x, arg tensor.Matrix) {
	wantShape("kernel.ArgMin: x", x, b.Edges(), arg.Cols)
	wantShape("kernel.ArgMin: arg", arg, vertices(b, end), arg.Cols)
	argBlock(ctx, b, end, -1, nil, x, arg)
}

// ArgMaxPlaced is [ArgMax] but for ties, which go to the lowest place: for edges whose
// positions are not in the order of those of the whole graph, see [Candidates].
//
// Cost: as [ArgMax].
func ArgMaxPlaced(ctx *Ctx, b *graph.Block, end End, place []uint32, x, arg tensor.Matrix) {
	wantShape("kernel.ArgMaxPlaced: x", x, b.Edges(), arg.Cols)
	wantShape("kernel.ArgMaxPlaced: arg", arg, vertices(b, end), arg.Cols)
	argBlock(ctx, b, end, 1, place, x, arg)
}

// ArgMinPlaced finds the smallest values, as [ArgMaxPlaced].
func ArgMinPlaced(ctx *Ctx, b *graph.Block, end End, place []uint32, x, arg tensor.Matrix) {
	wantShape("kernel.ArgMinPlaced: x", x, b.Edges(), arg.Cols)
	wantShape("kernel.ArgMinPlaced: arg", arg, vertices(b, end), arg.Cols)
	argBlock(ctx, b, end, -1, place, x, arg)
}

func argBlock(ctx *Ctx, b *graph.Block, end End, sign float32, place []uint32, x, arg tensor.Matrix) {
	m := ctx.argSegments(at(b, end), sign, place, x, arg)
	k := int64(arg.Cols)
	ctx.Count.Add(m*k, 8*int64(arg.Rows+1)+4*m*k+4*int64(arg.Rows)*k+positionBytes(end, m))
}

// argSegments finds the largest sign·x of every segment.
func (c *Ctx) argSegments(s segments, sign float32, place []uint32, x, arg tensor.Matrix) int64 {
	k := &c.call
	*k = call{body: argRows, hub: argChunk, seg: s, scalar: sign, places: place, x: x, dst: arg}
	c.cutSegments(arg.Cols)
	k.scratch = c.floats(len(k.chunks) * arg.Cols)
	m := c.runSegments()
	for i, h := range k.chunks {
		row := arg.Row(h.row)
		if h.span[0] == s.ptr[h.row] {
			copy(row, k.slot(i))
			continue
		}
		for j, e := range k.slot(i) {
			v, best := sign*x.Row(int(Bits(e)))[j], sign*x.Row(int(Bits(row[j])))[j]
			if beats(v, best) || place != nil && k.sooner(v, best, Bits(e), Bits(row[j])) {
				row[j] = e
			}
		}
	}
	return m
}

func argRows(c *call, _, _, lo, hi int) {
	edges := int64(0)
	for r := lo; r < hi; r++ {
		from, to := c.seg.ptr[r], c.seg.ptr[r+1]
		if to-from > chunkEdges {
			continue
		}
		argRange(c, c.dst.Row(r), from, to)
		edges += to - from
	}
	c.done.Add(edges)
}

func argChunk(c *call, slot int, k chunk) { argRange(c, c.slot(slot), k.span[0], k.span[1]) }

// argColumns is how many columns are carried through a row's edges at once.
const argColumns = 64

// argRange finds the winners among positions lo to hi.
func argRange(c *call, arg []float32, lo, hi int64) {
	var best [argColumns]float32
	for from := 0; from < len(arg); from += argColumns {
		to := min(from+argColumns, len(arg))
		argSlice(c, arg[from:to], best[:to-from], from, lo, hi)
	}
}

func argSlice(c *call, arg, best []float32, from int, lo, hi int64) {
	if lo == hi {
		for j := range arg {
			SetBits(&arg[j], None)
		}
		return
	}
	placed := c.places != nil
	for p := lo; p < hi; p++ {
		e := c.seg.edge(p)
		for j, v := range c.x.Row(e)[from : from+len(best)] {
			v *= c.scalar
			if p == lo || beats(v, best[j]) || placed && c.sooner(v, best[j], uint32(e), Bits(arg[j])) {
				best[j] = v
				SetBits(&arg[j], uint32(e))
			}
		}
	}
}

// beats reports whether v replaces the best value so far, which comes before it.
func beats(v, best float32) bool { return v > best || (v != v && best == best) }

// sooner reports whether edge e of value v, which does not beat the best so far, is as
// good and has a lower place than that one's edge.
func (c *call) sooner(v, best float32, e, first uint32) bool {
	return c.places[e] < c.places[first] && !beats(best, v)
}

// Pick reads the winners' values: y[v, c] = x[arg[v, c], c].
//
// Shapes: arg and y are n×k, x m×k.
// Contract: overwrites y, which may be arg; 0 where there is no winner.
// Cost: work 0, bytes 12nk.
func Pick(ctx *Ctx, arg, x, y tensor.Matrix) {
	wantShape("kernel.Pick: arg", arg, y.Rows, y.Cols)
	wantShape("kernel.Pick: x", x, x.Rows, y.Cols)
	ctx.call = call{body: pickRows, x: arg, y: x, dst: y}
	n, k := ctx.rows(y.Rows, y.Cols), int64(y.Cols)
	ctx.Count.Add(0, 12*n*k)
}

func pickRows(c *call, _, _, lo, hi int) {
	for i := lo; i < hi; i++ {
		y := c.dst.Row(i)
		for j, a := range c.x.Row(i) {
			if Bits(a) == None {
				y[j] = 0
			} else {
				y[j] = c.y.Row(int(Bits(a)))[j]
			}
		}
	}
}

// Route sends the gradient of [Pick] to the winners: d[arg[v, c], c] = g[v, c],
// and 0 to all other edges.
//
// Shapes: arg and g are n×k, d m×k.
// Contract: overwrites d. The winners of one column are distinct edges, as
// [ArgMax] and [GraphArgMax] leave them.
// Cost: work nk (a winner's gradient counts as an addition), bytes 4(2nk + mk).
func Route(ctx *Ctx, arg, g, d tensor.Matrix) {
	wantShape("kernel.Route: arg", arg, g.Rows, d.Cols)
	wantShape("kernel.Route: g", g, g.Rows, d.Cols)
	m := ctx.byRow(ctx.values().fill, d, d, d, d.Cols, 0)
	ctx.call = call{body: routeRows, x: arg, y: g, dst: d}
	n, k := ctx.rows(g.Rows, d.Cols), int64(d.Cols)
	ctx.Count.Add(n*k, 4*(2*n*k+m*k))
}

func routeRows(c *call, _, _, lo, hi int) {
	for i := lo; i < hi; i++ {
		g := c.y.Row(i)
		for j, a := range c.x.Row(i) {
			if Bits(a) != None {
				c.dst.Row(int(Bits(a)))[j] = g[j]
			}
		}
	}
}
