package graph

import (
	"iter"
	"slices"
)

// Transpose returns the block's index by source: row u of Aᵀ.
//
// Contract: built once and shared; safe for concurrent use. Edges of one source
// are in ascending order of the destination's place, see DstPlace, parallel ones in
// order of position. The index of a symmetric block aliases the block.
// Cost: O(Src + edges) time, by counting; 4 bytes per edge and 8 per source, none
// of them where the block is symmetric.
func (b *Block) Transpose() *Transposed {
	b.transpose.Do(func() { b.t = b.bySource() })
	return b.t
}

func (b *Block) bySource() *Transposed {
	if b.Symmetric() {
		return &Transposed{of: b, Ptr: b.Ptr, Row: b.Col}
	}
	return b.outOf(0, b.Src)
}

// outOf indexes the edges out of sources lo to hi, by counting.
func (b *Block) outOf(lo, hi int) *Transposed {
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
	next := slices.Clone(t.Ptr)
	for v := range b.byPlace() {
		for _, u := range b.Col[b.Ptr[v]:b.Ptr[v+1]] {
			if r := int(u) - lo; r >= 0 && r < hi-lo {
				t.Row[next[r]] = int32(v)
				next[r]++
			}
		}
	}
	return t
}

// byPlace goes through the destinations in ascending order of place.
func (b *Block) byPlace() iter.Seq[int] {
	return func(yield func(int) bool) {
		order := make([]int32, len(b.DstPlace))
		for v, at := range b.DstPlace {
			order[at] = int32(v)
		}
		for v := range b.Dst {
			if len(order) > 0 {
				v = int(order[v])
			}
			if !yield(v) {
				return
			}
		}
	}
}

// Symmetric reports whether A = Aᵀ, weights aside: the edges u→v are as many as
// v→u, for all u and v, which are numbered alike at both ends.
//
// Contract: found once and shared; safe for concurrent use.
// Cost: O(Dst + edges) time, and 8 bytes per destination while it lasts.
func (b *Block) Symmetric() bool {
	b.compare()
	return b.symmetric
}

// SymmetricWeights reports whether A = Aᵀ with its weights: the edges u→v have those
// of v→u, parallel ones in the same order.
//
// Contract and Cost: those of [Block.Symmetric].
func (b *Block) SymmetricWeights() bool {
	b.compare()
	return b.mirrored
}

func (b *Block) compare() {
	b.comparing.Do(func() {
		if b.Dst == b.Src && b.DstPlace == nil {
			b.symmetric, b.mirrored = b.mirrors()
		}
	})
}

// mirrors walks the edges by destination and expects each at the place that the
// row of its source has come to: rows of Aᵀ fill in this very order. There its weight
// is to be too.
func (b *Block) mirrors() (edges, weights bool) {
	next := slices.Clone(b.Ptr)
	weights = true
	for v := range b.Dst {
		for e := b.Ptr[v]; e < b.Ptr[v+1]; e++ {
			u := b.Col[e]
			at := next[u]
			if at == b.Ptr[u+1] || b.Col[at] != int32(v) {
				return false, false
			}
			weights = weights && (b.Weight == nil || b.Weight[at] == b.Weight[e])
			next[u]++
		}
	}
	return true, weights
}

// Edges returns the position in the block's Col of each out-edge, of which only
// those who read what lies on edges have need.
//
// Contract: built once and shared; safe for concurrent use.
// Cost: O(Src + edges) time; 4 bytes per edge.
func (t *Transposed) Edges() []uint32 {
	t.edges.Do(func() {
		t.pos = make([]uint32, len(t.Row))
		next := slices.Clone(t.Ptr)
		for v := range t.of.byPlace() {
			for e := t.of.Ptr[v]; e < t.of.Ptr[v+1]; e++ {
				if r := int(t.of.Col[e]) - t.first; r >= 0 && r < len(t.Ptr)-1 {
					t.pos[next[r]] = uint32(e)
					next[r]++
				}
			}
		}
	})
	return t.pos
}
