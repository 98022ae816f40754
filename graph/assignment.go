package graph

import (
	"fmt"
	"math/bits"
)

// Assignment says which part has what of a block whose destinations are all of its
// sources.
type Assignment struct {
	Parts int
	// Vertex is the part of each vertex: in a vertex-cut, that of its master.
	Vertex []int32
	// Arc is the part of each arc, in the order of the block; nil where it is that
	// of the arc's destination, as in an edge-cut.
	Arc []int32
}

// Validate returns an error that says where an assignment does not fit a block.
func (a Assignment) Validate(b *Block) error {
	switch {
	case b.Dst != b.Src:
		return fmt.Errorf("graph: a block of %d destinations and %d sources, want as many", b.Dst, b.Src)
	case a.Parts < 1:
		return fmt.Errorf("graph: %d parts, want 1 or more", a.Parts)
	case len(a.Vertex) != b.Dst:
		return fmt.Errorf("graph: parts of %d vertices, there are %d", len(a.Vertex), b.Dst)
	case a.Arc != nil && len(a.Arc) != len(b.Col):
		return fmt.Errorf("graph: parts of %d arcs, there are %d", len(a.Arc), len(b.Col))
	}
	for v, p := range a.Vertex {
		if p < 0 || int(p) >= a.Parts {
			return fmt.Errorf("graph: vertex %d is in part %d, want 0 ≤ part < %d", v, p, a.Parts)
		}
	}
	for i, p := range a.Arc {
		if p < 0 || int(p) >= a.Parts {
			return fmt.Errorf("graph: arc %d is in part %d, want 0 ≤ part < %d", i, p, a.Parts)
		}
	}
	return nil
}

// Part returns the part of arc e of the block, u→v.
func (a Assignment) Part(e int64, _, v int32) int32 {
	if a.Arc == nil {
		return a.Vertex[v]
	}
	return a.Arc[e]
}

// End is an end of an edge, or a set of them.
type End uint8

// The ends.
const (
	Source End = 1 << iota
	Destination
)

// Named are the vertices at the ends of some edges, ascending, each once, and at
// which ends it is.
type Named struct {
	Vertex []int32
	At     []End
}

// Named returns for each part the vertices at the ends of its edges; part says whose
// edge e is, u→v.
//
// Every count and list of what parts fetch from each other, and send, follows from
// these: what part p names and part q owns, q sends to p at sources, and p returns
// to q at destinations.
//
// Cost: O(n + edges) time for every 64 parts; 16 bytes per vertex, and 5 for each
// vertex that a part names.
func (b *Block) Named(parts int, part func(e int64, u, v int32) int32) []Named {
	const batch = 64
	named := make([]Named, parts)
	sources, destinations := make([]uint64, b.Src), make([]uint64, b.Dst) // a bit for each part of the batch
	for first := 0; first < parts; first += batch {
		clear(sources)
		clear(destinations)
		for v := range int32(b.Dst) {
			for e := b.Ptr[v]; e < b.Ptr[v+1]; e++ {
				u := b.Col[e]
				if p := int(part(e, u, v)) - first; 0 <= p && p < batch {
					sources[u] |= 1 << p
					destinations[v] |= 1 << p
				}
			}
		}
		for v, from := range sources {
			into := uint64(0)
			if v < b.Dst {
				into = destinations[v]
			}
			for some := from | into; some != 0; some &= some - 1 {
				p := bits.TrailingZeros64(some)
				to := &named[first+p]
				to.Vertex = append(to.Vertex, int32(v))
				to.At = append(to.At, End(from>>p&1)*Source|End(into>>p&1)*Destination)
			}
		}
	}
	return named
}
