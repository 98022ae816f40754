package graph

import (
	"fmt"
	"sync"
)

// Hops cuts the neighbourhoods of vertices out of a whole graph, hop by hop and
// every time in the same memory: what a computation of L layers at these
// vertices reads, as the blocks that its layers run over.
//
// Vertices are numbered as they are reached, those asked for first, then those
// one hop away, against the direction of arcs, and so on. So the vertices within
// h hops are the first Within(h), and Block(i, h), the edges into them, is a
// prefix of Block(i, h+1).
//
// Contract: used by one goroutine at a time; the whole graph is only read. What
// methods return holds until the next Around. A row has its edges in the order
// of the whole graph, not in that of the local numbers, so that sums over rows
// have the same bits as those over the whole.
// Cost: 8 bytes per vertex of the whole graph, and the largest neighbourhood so
// far.
type Hops struct {
	cuts     []cut // a cut of each whole block
	n        int   // vertices of the whole
	seen     []mark
	call     uint32
	vertices []int32
	within   []int
}

// mark says that a vertex was reached in a call, and its number there.
type mark struct {
	call uint32
	at   int32
}

// NewHops prepares to cut neighbourhoods of so many hops out of blocks over the
// same vertices, such as [Graph.Block] and [Graph.LoopBlock] of one graph; a hop
// follows the edges of any of them.
func NewHops(hops int, whole ...*Block) *Hops {
	h := &Hops{n: whole[0].Dst, seen: make([]mark, whole[0].Dst), within: make([]int, hops+1)}
	for _, b := range whole {
		h.cuts = append(h.cuts, newCut(hops, b))
	}
	return h
}

// Around finds the neighbourhood of vertices of the whole graph. A vertex that
// is named twice is in it once.
//
// Cost: the edges into the vertices within one hop less than all; nothing of the
// whole graph's size. It allocates only where a neighbourhood is larger than
// all before, and then for growth beyond it.
// Errors: a vertex that the graph does not have; the neighbourhood stays that of
// the call before.
func (h *Hops) Around(vertices []int32) error {
	for _, v := range vertices {
		if v < 0 || int(v) >= h.n {
			return fmt.Errorf("graph: vertex %d is out of range, want 0 ≤ id < %d", v, h.n)
		}
	}
	h.start()
	for _, v := range vertices {
		h.number(v)
	}
	h.within[0] = len(h.vertices)
	from := 0
	for hop := range len(h.within) - 1 {
		for _, v := range h.vertices[from:h.within[hop]] {
			for i := range h.cuts {
				h.follow(&h.cuts[i], v)
			}
		}
		from, h.within[hop+1] = h.within[hop], len(h.vertices)
	}
	for i := range h.cuts {
		c := &h.cuts[i]
		for hop := range c.blocks {
			c.view(hop, h.within[hop], h.within[hop+1])
		}
	}
	return nil
}

// start forgets the last neighbourhood.
func (h *Hops) start() {
	h.call++
	if h.call == 0 { // after 2³² calls marks would look new
		clear(h.seen)
		h.call = 1
	}
	h.vertices = h.vertices[:0]
	clear(h.within)
	for i := range h.cuts {
		h.cuts[i].start()
	}
}

// number returns the local number of a vertex, the next one where it is new.
func (h *Hops) number(v int32) int32 {
	m := &h.seen[v]
	if m.call != h.call {
		*m = mark{h.call, int32(len(h.vertices))}
		h.vertices = append(h.vertices, v)
	}
	return m.at
}

// follow adds the edges into v to a cut, and their sources.
func (h *Hops) follow(c *cut, v int32) {
	row := c.row(v)
	for i, u := range row {
		row[i] = h.number(u)
	}
}

// Within returns how many vertices there are within so many hops.
func (h *Hops) Within(hop int) int { return h.within[hop] }

// Vertices returns the vertices of the neighbourhood by their local numbers.
func (h *Hops) Vertices() []int32 { return h.vertices }

// Number returns the local number of a vertex that the last Around named or reached.
func (h *Hops) Number(v int32) int { return int(h.seen[v].at) }

// Block returns the cut of whole block i between the sources within hop + 1 hops
// and the destinations within hop, which have all of their edges.
//
// Contract: the block is the same at every call, with another content. Edge,
// Vertex and Arc are nil although identities differ from positions.
func (h *Hops) Block(i, hop int) *Block { return &h.cuts[i].blocks[hop] }

// Room returns a block as large as the cuts of whole block i may become before
// memory must grow, for planning memory by. It has sizes and no content.
func (h *Hops) Room(i int) *Block {
	n, c := cap(h.vertices), &h.cuts[i]
	return &Block{Dst: n, Src: n, Col: c.col[:cap(c.col)]}
}

// RowCut copies the rows that a whole block has for the vertices of a
// neighbourhood, every time into the same memory; sources keep their numbers. It
// is to sparse features what [Hops] is to edges.
//
// Contract: as [Hops].
type RowCut struct{ cut }

// NewRowCut prepares to copy rows of a block for neighbourhoods of so many hops.
func NewRowCut(hops int, whole *Block) *RowCut {
	return &RowCut{newCut(hops+1, whole)}
}

// Take copies the rows of the vertices within so many hops of a neighbourhood.
func (c *RowCut) Take(h *Hops, within int) {
	c.start()
	for _, v := range h.vertices[:h.within[within]] {
		c.row(v)
	}
	for hop := range c.blocks {
		c.view(hop, h.within[min(hop, within)], c.whole.Src)
	}
}

// Block returns the block of the vertices within so many hops, no more than were
// taken.
func (c *RowCut) Block(hop int) *Block { return &c.blocks[hop] }

// Room is as [Hops.Room].
func (c *RowCut) Room() *Block {
	n := cap(c.ptr)
	return &Block{Dst: n, Src: c.whole.Src, Col: c.col[:cap(c.col)]}
}

// cut is some rows of a whole block, and blocks that view prefixes of them.
type cut struct {
	whole  *Block
	ptr    []int64
	col    []int32
	weight []float32
	blocks []Block
}

func newCut(blocks int, whole *Block) cut {
	c := cut{whole: whole, blocks: make([]Block, blocks)}
	for i := range c.blocks {
		c.blocks[i].unordered = true
	}
	if whole.Weight != nil {
		c.weight = []float32{} // a block of no edges has weights too
	}
	return c
}

func (c *cut) start() { c.ptr, c.col, c.weight = append(c.ptr[:0], 0), c.col[:0], c.weight[:0] }

// row appends row v of the whole and returns its sources, to be renumbered.
func (c *cut) row(v int32) []int32 {
	lo, hi := c.whole.Ptr[v], c.whole.Ptr[v+1]
	at := len(c.col)
	c.col = append(c.col, c.whole.Col[lo:hi]...)
	if c.whole.Weight != nil {
		c.weight = append(c.weight, c.whole.Weight[lo:hi]...)
	}
	c.ptr = append(c.ptr, int64(len(c.col)))
	return c.col[at:]
}

// view makes block i that of the first rows.
func (c *cut) view(i, rows, sources int) {
	b, edges := &c.blocks[i], c.ptr[rows]
	b.Dst, b.Src, b.Ptr, b.Col = rows, sources, c.ptr[:rows+1], c.col[:edges]
	if c.whole.Weight != nil {
		b.Weight = c.weight[:edges]
	}
	b.transpose, b.degrees = sync.Once{}, sync.Once{} // what a block keeps was the last content's
	b.t, b.inMax, b.outMax = nil, 0, 0
}
