package graph

import "fmt"

// IdentityError says which entry of an [Origin] is wrong.
type IdentityError struct {
	Arc  bool   // an entry of Origin.Edge, else of Origin.Vertex
	At   int    // its place, from 0; −1 where it is the number of entries that is wrong
	Text string // what is wrong, and what is wanted
}

func (e *IdentityError) Error() string {
	of := "vertex"
	if e.Arc {
		of = "arc"
	}
	if e.At < 0 {
		return fmt.Sprintf("graph: %s identities: %s", of, e.Text)
	}
	return fmt.Sprintf("graph: %s %d: %s", of, e.At, e.Text)
}

func badIdentity(arc bool, at int, format string, args ...any) error {
	return &IdentityError{Arc: arc, At: at, Text: fmt.Sprintf(format, args...)}
}

// ValidateOrigin returns an error that says where the graph's identities break
// what the fields of [Origin] promise; with permuted, which says that the graph
// is the whole one in another order, also where they are not those of all its
// vertices and arcs, once each.
//
// Cost: O(n + m); with permuted, one bit for each identity.
// Errors: an [IdentityError].
func (g *Graph) ValidateOrigin(permuted bool) error {
	o := g.Origin
	switch {
	case o == nil:
		return nil
	case len(o.Vertex) != g.N:
		return badIdentity(false, -1, "%d entries, want %d", len(o.Vertex), g.N)
	case len(o.Edge) != len(g.Src):
		return badIdentity(true, -1, "%d entries, want %d", len(o.Edge), len(g.Src))
	}
	for v, id := range o.Vertex {
		if id < 0 || id >= o.N {
			return badIdentity(false, v, "identity %d is out of range, want 0 ≤ id < %d", id, o.N)
		}
	}
	for i, id := range o.Edge {
		if id < 0 {
			return badIdentity(true, i, "identity %d, want 0 or more", id)
		}
	}
	if permuted {
		return g.validatePermuted()
	}
	return nil
}

// validatePermuted checks identities that are in range: as many vertices as
// there are, and as many arcs, take each identity once, and so all of them.
func (g *Graph) validatePermuted() error {
	o, m := g.Origin, int64(len(g.Src))-g.loopsIn()
	if o.N != int64(g.N) || o.M != m {
		return fmt.Errorf("graph: %d vertices and %d arcs of a whole of %d and %d, want all of them", g.N, m, o.N, o.M)
	}
	vertices, arcs := newBits(o.N), newBits(o.M)
	for v, id := range o.Vertex {
		if !vertices.add(id) {
			return badIdentity(false, v, "identity %d is that of a vertex before it too, want a permutation", id)
		}
		extra := o.M + o.N // least identity of a loop beside the first
		for i, first := g.Ptr[v], true; i < g.Ptr[v+1]; i++ {
			at, arc := int(i), o.Edge[i]
			switch {
			case g.Src[i] != int32(v):
				if arc >= o.M {
					return badIdentity(true, at, "identity %d is out of range, want 0 ≤ id < %d", arc, o.M)
				}
				if !arcs.add(arc) {
					return badIdentity(true, at, "identity %d is that of an arc before it too, want a permutation", arc)
				}
			case first:
				first = false
				if arc != o.M+id {
					return badIdentity(true, at, "identity %d of the loop at identity %d, want %d", arc, id, o.M+id)
				}
			case arc < extra:
				return badIdentity(true, at, "identity %d of a further loop, want %d or more", arc, extra)
			default:
				extra = arc + 1
			}
		}
	}
	return nil
}

// bitset is a set of small numbers.
type bitset []uint64

func newBits(n int64) bitset { return make(bitset, (n+63)/64) }

// add puts x in the set, and reports whether it was not there.
func (b bitset) add(x int64) bool {
	word, bit := &b[x/64], uint64(1)<<(x%64)
	was := *word & bit
	*word |= bit
	return was == 0
}
