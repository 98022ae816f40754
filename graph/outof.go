package graph

// OutOf returns a block's edges out of sources lo to hi, as a block of these.
//
// Contract: only its index by source is of use, and what lies on edges, which are
// those of b, by their positions there: its Ptr and Col are b's, and name the sources
// of b. Slices alias the block's.
// Cost: O(Src + edges) time; 8 bytes per source and 4 per edge that it has.
func (b *Block) OutOf(lo, hi int) *Block {
	c := &Block{Dst: b.Dst, Src: hi - lo, Ptr: b.Ptr, Col: b.Col, Weight: b.Weight, First: b.First, cutOf: b, unordered: b.unordered}
	c.transpose.Do(func() { c.t = b.outOf(lo, hi) })
	return c
}
