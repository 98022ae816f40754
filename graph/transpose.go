package graph

// Transpose returns the block's index by source: row u of Aᵀ.
//
// Contract: built once and shared; safe for concurrent use. Edges of one source
// are in ascending order of destination, parallel ones in order of position.
// Cost: O(Src + edges) time, by counting; 8 bytes per edge and per source.
func (b *Block) Transpose() *Transposed {
	b.transpose.Do(func() { b.t = b.bySource() })
	return b.t
}

func (b *Block) bySource() *Transposed {
	t := &Transposed{
		Ptr: make([]int64, b.Src+1),
		Row: make([]int32, len(b.Col)),
		Pos: make([]uint32, len(b.Col)),
	}
	for _, u := range b.Col {
		t.Ptr[u+1]++
	}
	for u := range b.Src {
		t.Ptr[u+1] += t.Ptr[u]
	}
	for v := range b.Dst {
		for i := b.Ptr[v]; i < b.Ptr[v+1]; i++ {
			q := &t.Ptr[b.Col[i]]
			t.Row[*q], t.Pos[*q] = int32(v), uint32(i)
			*q++
		}
	}
	// Each cursor now stands where the next source's edges begin.
	copy(t.Ptr[1:], t.Ptr[:b.Src])
	t.Ptr[0] = 0
	return t
}

// Bytes returns the memory of the index.
func (t *Transposed) Bytes() int64 {
	return 8*int64(len(t.Ptr)) + 4*int64(len(t.Row)+len(t.Pos))
}
