package kernel

import "github.com/weft-gnn/weft/tensor"

// attendOperands is what a kernel of attention needs beside its segments and
// its result. In [AttendGradSrc], l holds what comes from the destinations.
type attendOperands struct {
	z, r, l, g tensor.Matrix

	// run handles the rows of a worker's block. It writes them to out, or, where
	// the block is a chunk of a row that is cut, what combines to it.
	run     func(c *call, w *attender, out tensor.Matrix)
	slot    int // values that a chunk leaves
	rows    int // of a block, at most
	width   int // columns of the sums that are no result
	workers []attender
	loops   *attentionLoops
	sparse  *sparseLoops
	values  *valueLoops
	ids     []int64 // of edges, as in Attention
}

// A block holds rows of up to blockEdges edges together, so that no row that is
// not cut is too long: the values of its edges lie in the second-level cache from
// one loop to the next. Going from loop to loop costs about a microsecond, half
// as many edges 3 % in time and a quarter 10 %; more gain nothing.
const (
	blockEdges  = chunkEdges
	blockHeight = 512     // rows of a block
	blockSums   = 1 << 14 // values of the sums of rows that are no result
	edgeSpare   = 32      // values that may be read or written beyond those of edges
)

// attender is a worker of a kernel of attention, on the block that it is at.
type attender struct {
	worker int
	sub    call // the block as the loops of other sparse kernels see it
	row    int  // its first row
	rows   int
	from   int64 // its first position
	edges  int
	part   bool // it is a chunk of a row that is cut

	heads int
	slope float32

	ptr []int64 // the rows' positions, counted from the block's first
	// Values of edges, of all heads side by side: the scores s, the weights α, the
	// products d or the weights times σ′, and what is gathered from the other end.
	score, weight, tilted, product, far []float32
	pair                                []float32 // weight and, after half of it, tilted
	keep                                []float32 // the mask's factors of weights
	index                               []int32   // of the block, where there is none beyond
	moment                              []float32
	sums                                []float32 // of rows gathered

	dropout dropoutOperands
	ids     []int64  // the edges' identities
	words   []uint32 // and their masks
}

// The moments of a row under its attention, H values of each row in a plane of
// moment. All that a chunk contributes to its row follows from its own.
const (
	topMoment  = iota // max a, or what else is taken off the scores of a row
	sumMoment         // Σ exp(a − that)
	meanMoment        // Σ α·d
	pushMoment        // Σ α·σ′·d
	tiltMoment        // Σ α·σ′
	moments
)

// plane returns one moment of the block's rows.
func (w *attender) plane(i int) []float32 {
	size := w.planeSize()
	return w.moment[i*size : i*size+w.rows*w.heads]
}

// planeSize is the values from one plane to the next.
func (w *attender) planeSize() int { return len(w.moment) / moments }

// attenders returns a worker per thread, with room for blocks of a call.
func (c *Ctx) attenders(a Attention) []attender {
	for len(c.attending) < c.Pool.Threads() {
		c.attending = append(c.attending, attender{})
	}
	most := int(min(blockEdges, c.call.seg.edges()))
	rows := min(c.call.attend.rows, c.call.seg.rows())
	for i := range c.attending {
		w := &c.attending[i]
		w.worker, w.heads, w.slope = i, a.Heads, a.Slope
		w.ptr = grow(w.ptr, rows+1)
		w.score = grow(w.score, most*a.Heads+edgeSpare)
		w.product, w.far = grow(w.product, most*a.Heads), grow(w.far, most*a.Heads+edgeSpare)
		w.pair = grow(w.pair, 2*(most*a.Heads+edgeSpare))
		w.index = grow(w.index, most+edgeSpare)
		w.sums = grow(w.sums, rows*c.call.attend.width)
		w.moment = grow(w.moment, rows*a.Heads*moments)
		w.dropout = newDropout(a.Mask, nil)
		if a.Mask.P != 0 {
			w.dropout.plan = newPhiloxPlan(a.Mask.Key, c.values().dropout.order, groups(a.Heads))
			w.keep = grow(w.keep, most*a.Heads+edgeSpare)
			w.ids = grow(w.ids, most)
			w.words = grow(w.words, 4*most*groups(a.Heads)+dropoutSpare)
		}
	}
	return c.attending
}

// grow returns n values of unspecified content.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// attendRows runs the call's attention over all its rows, whose values are
// gathered in rows of width, and returns the number of edges.
func (c *Ctx) attendRows(a Attention, width int) int64 {
	k := &c.call
	o := &k.attend
	o.workers, o.loops, o.sparse, o.values = c.attenders(a), c.attention(a.Heads), c.sparse(), c.values()
	o.ids = a.IDs
	c.cutSegments(width)
	if o.width > 0 {
		c.cutPairs(width, a.Heads)
	} else {
		c.cutColumns(a.Heads)
	}
	k.scratch = c.floats(len(k.chunks) * o.slot)
	c.boundPieces()
	c.Pool.Run(k.pieces+len(k.chunks), (*attendPieces)(k))
	return k.done.Load()
}

// cutPairs cuts k columns into passes of two sums at once.
func (c *Ctx) cutPairs(k, heads int) {
	loops := c.call.attend.loops
	c.passes, c.lanes = c.passes[:0], c.lanes[:0]
	for from := 0; from < k && loops.lanes > 0; {
		p := c.headPass(from, k, loops.lanes, heads, loops.pairs)
		c.passes = append(c.passes, p)
		from += p.cols
	}
	c.call.passes = c.passes
}

// attendPieces runs a call's attention over chunks of the rows that are cut,
// and over blocks of the others.
type attendPieces call

func (r *attendPieces) Piece(worker, piece int) {
	c := (*call)(r)
	w := &c.attend.workers[worker]
	if piece < len(c.chunks) {
		k := c.chunks[piece]
		w.enter(c, k.row, 1, k.span[0], k.span[1])
		w.part = true
		slot := c.attendSlot(piece)
		c.attend.run(c, w, tensor.Of(1, len(slot), slot))
		c.done.Add(int64(k.edges()))
		return
	}
	piece -= len(c.chunks)
	lo, hi := c.bounds[piece], c.bounds[piece+1]
	edges := int64(0)
	for from, to := c.uncut(lo, hi); from < to; from, to = c.uncut(to, hi) {
		for from < to {
			end := c.seg.blockEnd(from, min(to, from+c.attend.rows))
			w.enter(c, from, end-from, c.seg.ptr[from], c.seg.ptr[end])
			c.attend.run(c, w, c.dst.Between(from, end))
			edges += int64(w.edges)
			from = end
		}
	}
	c.done.Add(edges)
}

// blockEnd returns the end of the block of rows that starts at from and ends at
// to at the latest.
func (s segments) blockEnd(from, to int) int {
	end := from + 1
	for end < to && s.ptr[end+1]-s.ptr[from] <= blockEdges {
		end++
	}
	return end
}

// enter moves a worker to some positions of consecutive rows.
func (w *attender) enter(c *call, row, rows int, from, to int64) {
	w.row, w.rows, w.from, w.edges, w.part = row, rows, from, int(to-from), false
	w.ptr = w.ptr[:rows+1]
	for i := range w.ptr {
		w.ptr[i] = min(max(c.seg.ptr[row+i], from), to) - from
	}
	w.sub.seg = segments{ptr: w.ptr, other: c.seg.other[from:]}
	w.sub.passes = c.passes
	n := w.edges * w.heads
	half := len(w.pair) / 2
	w.score, w.product, w.far = w.score[:n], w.product[:n], w.far[:n]
	w.weight, w.tilted = w.pair[:n], w.pair[half:half+n]
}

// ofEdges views values of the block's edges as a matrix.
func (w *attender) ofEdges(values []float32) tensor.Matrix {
	return tensor.Of(w.edges, w.heads, values)
}

// own views the rows of m that are the block's.
func (w *attender) own(m tensor.Matrix) tensor.Matrix { return m.Between(w.row, w.row+w.rows) }

// Each of the following runs a loop of another sparse kernel on the block.

// scores sets the scores to x of the other end plus y of the own one.
func (w *attender) scores(c *call, x, y tensor.Matrix) {
	w.sub.x, w.sub.y, w.sub.dst = x, w.own(y), w.ofEdges(w.score)
	c.attend.sparse.edgeAdd(&w.sub, 0, 0, 0, w.edges)
}

// multiply sets the products to those of x of the other end and y of the own
// one, masked.
func (w *attender) multiply(c *call, x, y tensor.Matrix) {
	w.sub.x, w.sub.y, w.sub.dst = x, w.own(y), w.ofEdges(w.product)
	c.attend.sparse.edgeDot(&w.sub, 0, 0, 0, w.edges)
	w.draw(c)
	w.mask(c, w.product)
}

// sum sets out to the rows of x at the other end, summed by their weights.
func (w *attender) sum(c *call, x, out tensor.Matrix) {
	w.sub.x, w.sub.y, w.sub.dst = x, w.ofEdges(w.weight), out
	c.attend.sparse.sumWeighted(&w.sub, w.ptr, out)
}

// draw draws the mask of the block's edges.
func (w *attender) draw(c *call) {
	if w.dropout.mask.P == 0 || w.edges == 0 {
		return
	}
	ids, end := c.attend.ids, w.from+int64(w.edges)
	switch {
	case c.seg.pos != nil:
		w.dropout.ids = w.identities(ids, c.seg.pos[w.from:end])
	case ids != nil:
		w.dropout.ids = ids[w.from:end]
	default:
		w.dropout.ids = nil
		c.attend.loops.draw(w, int(w.from))
		return
	}
	c.attend.loops.draw(w, 0)
}

// identities lists those of some edges.
func (w *attender) identities(ids []int64, edges []uint32) []int64 {
	own := w.ids[:len(edges)]
	for p, e := range edges {
		if ids == nil {
			own[p] = w.dropout.mask.First + int64(e)
		} else {
			own[p] = ids[e]
		}
	}
	return own
}

// mask applies it to values of edges.
func (w *attender) mask(c *call, values []float32) {
	if w.dropout.mask.P != 0 && w.edges > 0 {
		c.attend.loops.mask(w, values)
	}
}
