package graph

import "slices"

// Cut returns the destinations lo to hi of a block, with the edges into them, as
// a block over the same sources. Its destinations are no prefix of the sources.
//
// Contract: slices alias the block's but for Ptr. First numbers the edges where
// they have no identities of their own; [Block.Identities] are the block's.
// Cost: O(hi − lo) time, 8 bytes per destination.
func (b *Block) Cut(lo, hi int) *Block {
	from, to := b.Ptr[lo], b.Ptr[hi]
	c := &Block{Dst: hi - lo, Src: b.Src, Ptr: make([]int64, hi-lo+1), Col: b.Col[from:to:to], Place: b.Place, First: b.First + from, cutOf: b, unordered: b.unordered}
	for i := range c.Ptr {
		c.Ptr[i] = b.Ptr[lo+i] - from
	}
	if b.Weight != nil {
		c.Weight = b.Weight[from:to:to]
	}
	return c
}

// SourceOrder returns the positions of the edges in ascending order of source,
// those of one source in order of position. Unlike [Block.Transpose] it holds
// nothing per source: a block of few edges among many sources has few entries.
//
// Contract: built once and shared; safe for concurrent use.
// Cost: O(m log m) time; 4 bytes per edge.
func (b *Block) SourceOrder() []uint32 {
	b.ordering.Do(func() {
		keys := make([]uint64, len(b.Col))
		for e, u := range b.Col {
			keys[e] = uint64(uint32(u))<<32 | uint64(uint32(e))
		}
		slices.Sort(keys)
		b.order = make([]uint32, len(keys))
		for i, k := range keys {
			b.order[i] = uint32(k)
		}
	})
	return b.order
}
