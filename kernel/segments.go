package kernel

import (
	"slices"
	"sort"

	"github.com/weft-gnn/weft/graph"
)

// End is one end of an edge.
type End uint8

// The ends. An edge u→v has source u and destination v; a block stores its
// edges by destination, so that Dst is the end that needs no transposed index.
const (
	Dst End = iota
	Src
)

func (e End) String() string {
	if e == Src {
		return "src"
	}
	return "dst"
}

func (e End) other() End { return Dst + Src - e }

// segments are the rows of a sparse structure seen from one end: row r owns
// positions ptr[r] to ptr[r+1].
type segments struct {
	ptr   []int64
	other []int32  // the vertex at the other end of each position
	pos   []uint32 // the edge at each position; nil is the identity
}

// at views a block from one end. Building the transposed index, on the first
// call with Src, is the only allocation.
func at(b *graph.Block, end End) segments {
	s := neighbours(b, end)
	if end == Src {
		s.pos = b.Transpose().Edges()
	}
	return s
}

// neighbours is at for those who read nothing of edges but their ends: at Src it
// knows no edge by its position.
func neighbours(b *graph.Block, end End) segments {
	if end == Src {
		t := b.Transpose()
		return segments{ptr: t.Ptr, other: t.Row}
	}
	return segments{ptr: b.Ptr, other: b.Col}
}

func (s segments) rows() int    { return len(s.ptr) - 1 }
func (s segments) edges() int64 { return s.ptr[len(s.ptr)-1] }

// edge returns the edge at position p.
func (s segments) edge(p int64) int {
	if s.pos == nil {
		return int(p)
	}
	return int(s.pos[p])
}

// rowOf returns the row that owns position p.
func (s segments) rowOf(p int64) int {
	return sort.Search(len(s.ptr)-1, func(r int) bool { return s.ptr[r+1] > p })
}

// advance returns the row that owns position p, given the row of the position before.
func (s segments) advance(r, p int) int {
	for int64(p) >= s.ptr[r+1] {
		r++
	}
	return r
}

// segmentValues is how many values a piece of a kernel over edges holds, about.
// Rows and edges are whole in one piece, so that it is no part of the result.
const segmentValues = 1 << 17

// chunkEdges is the length at which a row is cut, so that the reduction of a
// hub is itself parallel: its chunks start at the row's own start, are summed
// separately and combined in order. Rows of up to chunkEdges are summed in
// order from their first edge. Like grainValues it is part of the result.
const chunkEdges = 2048

// chunk is positions span[0] to span[1] of a row that is cut, which make a row
// of their own.
type chunk struct {
	row  int
	span [2]int64
}

func (k chunk) edges() int { return int(k.span[1] - k.span[0]) }

// appendChunks appends the chunks of all rows longer than chunkEdges. Such a
// row owns a multiple of chunkEdges, so that m/chunkEdges searches find them all.
func (s segments) appendChunks(chunks []chunk) []chunk {
	r := 0
	for p := int64(0); p < s.edges(); {
		r = s.gallop(r, p)
		lo, hi := s.ptr[r], s.ptr[r+1]
		if hi-lo > chunkEdges {
			for ; lo < hi; lo += chunkEdges {
				chunks = append(chunks, chunk{r, [2]int64{lo, min(lo+chunkEdges, hi)}})
			}
		}
		p = max(hi, p+1)
		p = (p + chunkEdges - 1) / chunkEdges * chunkEdges
	}
	return chunks
}

// gallop returns the row that owns position p, which is row r or a later one,
// in steps that double until they pass it.
func (s segments) gallop(r int, p int64) int {
	step := 1
	for r+step < s.rows() && s.ptr[r+step] <= p {
		r += step
		step *= 2
	}
	ahead := s.ptr[r+1 : min(r+step, s.rows())+1]
	return r + sort.Search(len(ahead), func(i int) bool { return ahead[i] > p })
}

// appendBounds appends the first row of each piece, and the number of rows. A row
// costs about as much as an edge beside its edges: pieces are cut where the sum of
// both passes a multiple of their size.
func (s segments) appendBounds(bounds []int, pieces int) []int {
	cost, r := s.edges()+int64(s.rows()), 0
	for piece := range pieces {
		r = s.gallopTo(r, cost*int64(piece)/int64(pieces))
		bounds = append(bounds, r)
	}
	return append(bounds, s.rows())
}

// gallopTo returns the first row, r or a later one, before which rows cost so
// much, in steps that double until they pass it.
func (s segments) gallopTo(r int, cost int64) int {
	step := 1
	for r+step < s.rows() && s.ptr[r+step]+int64(r+step) < cost {
		r += step
		step *= 2
	}
	return r + sort.Search(min(step, s.rows()-r), func(i int) bool { return s.ptr[r+i]+int64(r+i) >= cost })
}

// segmentPieces runs a call's body over pieces of rows that hold about equally
// many edges, and its hub over the chunks of rows that are cut, these first.
type segmentPieces call

func (r *segmentPieces) Piece(worker, piece int) {
	c := (*call)(r)
	if piece < len(c.chunks) {
		k := c.chunks[piece]
		c.hub(c, piece, k)
		c.done.Add(int64(k.edges()))
		return
	}
	piece -= len(c.chunks)
	c.body(c, worker, piece, c.bounds[piece], c.bounds[piece+1])
}

// uncut returns the first run of rows of r to hi that are not cut; an empty one
// where there is none.
func (c *call) uncut(r, hi int) (lo, end int) {
	i, _ := slices.BinarySearchFunc(c.chunks, r, func(k chunk, r int) int { return k.row - r })
	for ; i < len(c.chunks) && c.chunks[i].row <= r; i++ {
		r = c.chunks[i].row + 1
	}
	if i < len(c.chunks) {
		hi = min(hi, c.chunks[i].row)
	}
	return r, max(r, hi)
}

// cutSegments finds the rows to cut and sets the pieces for edges of width values.
func (c *Ctx) cutSegments(width int) {
	k := &c.call
	c.chunks = k.seg.appendChunks(c.chunks[:0])
	k.chunks = c.chunks
	cost := (k.seg.edges() + int64(k.seg.rows())) * int64(max(width, 1))
	k.pieces = int((cost + segmentValues - 1) / segmentValues)
}

// boundPieces finds where the call's pieces begin.
func (c *Ctx) boundPieces() {
	c.bounds = c.call.seg.appendBounds(c.bounds[:0], c.call.pieces)
	c.call.bounds = c.bounds
}

// edges runs the call's body over m edges of width values, in pieces that are
// no part of the result, and returns how many the pieces covered.
func (c *Ctx) edges(m, width int) int64 {
	k := &c.call
	k.n = m
	k.grain = max(1, segmentValues/max(width, 1))
	k.pieces = (m + k.grain - 1) / k.grain
	return c.cutRows()
}

// runSegments runs a call cut by cutSegments. Bodies skip the rows that are
// cut, and add the edges they went through to done.
func (c *Ctx) runSegments() int64 {
	c.boundPieces()
	c.Pool.Run(c.call.pieces+len(c.call.chunks), (*segmentPieces)(&c.call))
	return c.call.done.Load()
}

// runChunks runs the call's hub alone, as a second pass over the rows that are cut.
func (c *Ctx) runChunks() {
	c.call.pieces = 0
	c.Pool.Run(len(c.call.chunks), (*segmentPieces)(&c.call))
}
