package graph

// OutOf returns a block's edges out of sources lo to hi, as a block of these.
//
// Contract: only its index by source is of use, and what lies on edges, which are
// those of b, by their positions there: its Ptr and Col are b's, and name the sources
// of b. Slices alias the block's.
// Cost: O(Src + edges) time; 8 bytes per source and 4 per edge that it has.
func (b *Block) OutOf(lo, hi int) *Block {
	t := &Transposed{of: b, first: lo, Ptr: make([]int64, hi-lo+1)}
	for _, u := range b.Col {
		if r := int(u) - lo; r >= 0 && r < hi-lo {
			t.Ptr[r+1]++
		}
	}
	for r := range hi - lo {
		t.Ptr[r+1] += t.Ptr[r]
	}
	t.Row = make([]int32, t.Ptr[hi-lo])
	next := append([]int64(nil), t.Ptr...)
	for v := range b.byPlace() {
		for _, u := range b.Col[b.Ptr[v]:b.Ptr[v+1]] {
			if r := int(u) - lo; r >= 0 && r < hi-lo {
				t.Row[next[r]] = int32(v)
				next[r]++
			}
		}
	}
	c := &Block{Dst: b.Dst, Src: hi - lo, Ptr: b.Ptr, Col: b.Col, Weight: b.Weight, First: b.First, cutOf: b, unordered: b.unordered}
	c.transpose.Do(func() { c.t = t })
	return c
}
