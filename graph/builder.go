package graph

import (
	"fmt"
	"math"
	"slices"
)

// Builder collects arcs, in any order, for [Builder.Build].
type Builder struct {
	n        int
	policy   Policy
	src, dst []int32
	weight   []float32 // nil until the first weighted arc
}

// NewBuilder returns an empty builder of a graph of n vertices, 0 to n−1.
func NewBuilder(n int, p Policy) *Builder { return &Builder{n: n, policy: p} }

// Add lists the arc src→dst with weight 1. Ids are checked by [Builder.Build].
func (b *Builder) Add(src, dst int32) {
	b.src = append(b.src, src)
	b.dst = append(b.dst, dst)
	if b.weight != nil {
		b.weight = append(b.weight, 1)
	}
}

// AddWeighted lists the arc src→dst with weight w. Once one arc is weighted all
// are; those listed by [Builder.Add] have weight 1.
func (b *Builder) AddWeighted(src, dst int32, w float32) {
	if b.weight == nil {
		b.weight = slices.Repeat([]float32{1}, len(b.src))
	}
	b.src = append(b.src, src)
	b.dst = append(b.dst, dst)
	b.weight = append(b.weight, w)
}

// Build makes the graph of the arcs listed so far, as [FromCOO] does. The
// builder stays usable.
func (b *Builder) Build() (*Graph, error) {
	return FromCOO(b.n, b.src, b.dst, b.weight, b.policy)
}

// FromCOO builds the graph of n vertices whose row i of the edge list is the arc
// src[i]→dst[i] with weight[i]; weight nil means that every weight is 1.
//
// Contract: arcs may come in any order; the slices are neither changed nor kept.
// Cost: O(n + rows) time by two counting sorts; about 16 bytes per row (32 when
// symmetrising) while it runs.
// Errors: lengths that differ; n < 0; more than 2³¹−1 vertices, or vertices and
// arcs together 2³² or more (when symmetrising, each listed arc's mirror counts,
// whether or not it is kept); a [RangeError] for an id out of [0, n); a weight
// that is NaN or infinite.
func FromCOO(n int, src, dst []int32, weight []float32, p Policy) (*Graph, error) {
	if err := checkCOO(n, src, dst, weight); err != nil {
		return nil, err
	}
	arcs := int64(len(src))
	if p.Symmetrise {
		arcs = 2*arcs - countLoops(src, dst)
	}
	if err := checkSize(int64(n), arcs); err != nil {
		return nil, err
	}
	s := sortArcs(n, src, dst, int(arcs), p.Symmetrise)
	counts := s.reduce(dst, p)
	g := &Graph{N: n, Ptr: s.ptr, Src: s.col, Counts: counts}
	if !isIdentity(s.row) {
		g.Listing = gatherRows(s.row)
	}
	if weight != nil {
		g.Weight = gather(weight, s.row)
	}
	return g, nil
}

// checkCOO returns an error that names the first row with a fault.
func checkCOO(n int, src, dst []int32, weight []float32) error {
	if n < 0 {
		return fmt.Errorf("graph: %d vertices, want 0 or more", n)
	}
	if len(src) != len(dst) {
		return fmt.Errorf("graph: %d sources and %d destinations, want as many of both", len(src), len(dst))
	}
	if weight != nil && len(weight) != len(src) {
		return fmt.Errorf("graph: %d weights for %d arcs", len(weight), len(src))
	}
	for i, u := range src {
		v := dst[i]
		if u < 0 || int(u) >= n {
			return &RangeError{Row: int64(i), Src: u, Dst: v, ID: u, N: n}
		}
		if v < 0 || int(v) >= n {
			return &RangeError{Row: int64(i), Src: u, Dst: v, ID: v, N: n}
		}
	}
	for i, w := range weight {
		if !finite(w) {
			return fmt.Errorf("graph: row %d of the edge list, %d→%d: weight %v is not finite", i, src[i], dst[i], w)
		}
	}
	return nil
}

func finite(w float32) bool { return !math.IsNaN(float64(w)) && !math.IsInf(float64(w), 0) }

// checkSize refuses what 32-bit vertex ids and edge positions cannot index, one
// added loop per vertex included.
func checkSize(n, arcs int64) error {
	if n > math.MaxInt32 {
		return fmt.Errorf("graph: %d vertices, want at most %d", n, math.MaxInt32)
	}
	if arcs > math.MaxUint32-n {
		return fmt.Errorf("graph: %d arcs and %d vertices, want at most %d together", arcs, n, uint32(math.MaxUint32))
	}
	return nil
}

func countLoops(src, dst []int32) (loops int64) {
	for i, u := range src {
		if u == dst[i] {
			loops++
		}
	}
	return loops
}

// RangeError says that an edge list names a vertex that does not exist.
type RangeError struct {
	Row      int64 // row of the edge list, from 0
	Src, Dst int32 // what the row says
	ID       int32 // the end that is out of range
	N        int   // ids must lie in [0, N)
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("graph: row %d of the edge list, %d→%d: vertex %d is out of range, want 0 ≤ id < %d",
		e.Row, e.Src, e.Dst, e.ID, e.N)
}
