package partition

import (
	"fmt"
	"iter"
	"slices"

	"github.com/weft-gnn/weft/graph"
)

// Assignment says which part has what of a block.
type Assignment struct {
	Parts int
	// Vertex is the part of each vertex: in a vertex-cut, that of its master.
	Vertex []int32
	// Arc is the part of each arc, in the order of the block; nil where it is that
	// of the arc's destination, as in an edge-cut.
	Arc []int32
}

// Spread is a count that each part has, in sum and at most.
type Spread struct {
	Total int64 `json:"total"`
	Max   int64 `json:"max"`
}

// Stats say what an assignment costs.
type Stats struct {
	Parts int
	// Vertices and Arcs are the numbers of each part: of masters, and of arcs,
	// loops included.
	Vertices, Arcs []int64
	// CutArcs is the number of arcs that lie in another part than the vertex at
	// one of their ends.
	CutArcs int64
	// Replication is the mean number of parts that a vertex occurs in: that of its
	// own row and those whose arcs have it at an end; 1 where nothing is cut.
	Replication float64
	// Halo counts the rows that parts fetch for a sum over neighbours: pairs of a
	// part and the source of one of its arcs that lies elsewhere.
	Halo Spread
	// Partial counts the rows that parts hand back: pairs of a part and the
	// destination of one of its arcs that lies elsewhere. Zero in an edge-cut.
	Partial Spread
	// Words counts what parts send in a layer, per column: rows of their vertices
	// to those that have them in their halo, and partial sums to their masters.
	Words Spread
	// Messages counts the pairs of parts between which words go, of each kind.
	Messages Spread
}

// VertexBalance is the most vertices of a part, of the mean.
func (s *Stats) VertexBalance() float64 { return balanceOf(s.Vertices) }

// ArcBalance is the most arcs of a part, of the mean.
func (s *Stats) ArcBalance() float64 { return balanceOf(s.Arcs) }

// balanceOf is the largest of some counts over their mean; 1 where all are 0.
func balanceOf(counts []int64) float64 {
	sum, most := int64(0), int64(0)
	for _, c := range counts {
		sum, most = sum+c, max(most, c)
	}
	if sum == 0 {
		return 1
	}
	return float64(most) * float64(len(counts)) / float64(sum)
}

// Measure counts what an assignment of a block's vertices and arcs costs. The
// block's destinations are all of its sources.
//
// Cost: O(n + m + P) time; 12 bytes per vertex, and 8 per arc where these are
// assigned.
// Errors: those of [Assignment.Validate].
func Measure(b *graph.Block, a Assignment) (*Stats, error) {
	if err := a.Validate(b); err != nil {
		return nil, err
	}
	s := &Stats{Parts: a.Parts, Vertices: make([]int64, a.Parts), Arcs: make([]int64, a.Parts)}
	for _, p := range a.Vertex {
		s.Vertices[p]++
	}
	m := newMeasurement(a, s)
	for p, arcs := range a.byPart(b) {
		m.part(p, arcs)
	}
	m.finish()
	return s, nil
}

// Validate returns an error that says where an assignment does not fit a block.
func (a Assignment) Validate(b *graph.Block) error {
	switch {
	case b.Dst != b.Src:
		return fmt.Errorf("partition: a block of %d destinations and %d sources, want as many", b.Dst, b.Src)
	case a.Parts < 1:
		return fmt.Errorf("partition: %d parts, want 1 or more", a.Parts)
	case len(a.Vertex) != b.Dst:
		return fmt.Errorf("partition: parts of %d vertices, the block has %d", len(a.Vertex), b.Dst)
	case a.Arc != nil && len(a.Arc) != len(b.Col):
		return fmt.Errorf("partition: parts of %d arcs, the block has %d", len(a.Arc), len(b.Col))
	}
	for v, p := range a.Vertex {
		if p < 0 || int(p) >= a.Parts {
			return fmt.Errorf("partition: vertex %d is in part %d, want 0 ≤ part < %d", v, p, a.Parts)
		}
	}
	for i, p := range a.Arc {
		if p < 0 || int(p) >= a.Parts {
			return fmt.Errorf("partition: arc %d is in part %d, want 0 ≤ part < %d", i, p, a.Parts)
		}
	}
	return nil
}

// byPart yields the arcs of each part in turn, loops included.
func (a Assignment) byPart(b *graph.Block) iter.Seq2[int32, iter.Seq2[int32, int32]] {
	return func(yield func(int32, iter.Seq2[int32, int32]) bool) {
		start, member := a.members(b)
		for p := range int32(a.Parts) {
			if !yield(p, a.arcs(b, member[start[p]:start[p+1]])) {
				return
			}
		}
	}
}

// members returns what parts have, part by part: arcs as source and destination,
// or vertices where their arcs are theirs.
func (a Assignment) members(b *graph.Block) (start []int64, member []uint64) {
	of := a.Vertex
	if a.Arc != nil {
		of = a.Arc
	}
	start = make([]int64, a.Parts+1)
	for _, p := range of {
		start[p+1]++
	}
	for p := range a.Parts {
		start[p+1] += start[p]
	}
	next := slices.Clone(start)
	member = make([]uint64, len(of))
	put := func(p int32, m uint64) {
		member[next[p]] = m
		next[p]++
	}
	for v := range b.Dst {
		if a.Arc == nil {
			put(of[v], uint64(v))
			continue
		}
		for i := b.Ptr[v]; i < b.Ptr[v+1]; i++ {
			put(of[i], uint64(b.Col[i])<<32|uint64(v))
		}
	}
	return start, member
}

// arcs yields source and destination of the arcs of some members.
func (a Assignment) arcs(b *graph.Block, member []uint64) iter.Seq2[int32, int32] {
	return func(yield func(u, v int32) bool) {
		for _, m := range member {
			v := int32(m)
			if a.Arc != nil {
				if !yield(int32(m>>32), v) {
					return
				}
				continue
			}
			for _, u := range b.Col[b.Ptr[v]:b.Ptr[v+1]] {
				if !yield(u, v) {
					return
				}
			}
		}
	}
}

// measurement is the counting. The last part that met a vertex, as the source or
// as the destination of an arc, tells whether it is there anew.
type measurement struct {
	a            Assignment
	s            *Stats
	asSrc, asDst []int32
	// The last part that a part sent rows to, and that one sent partial sums to.
	rows, sums     []int32
	sent, messages []int64
	copies         int64
}

func newMeasurement(a Assignment, s *Stats) *measurement {
	none := func(n int) []int32 { return slices.Repeat([]int32{-1}, n) }
	m := &measurement{a: a, s: s, asSrc: none(len(a.Vertex)), rows: none(a.Parts)}
	if a.Arc != nil {
		m.asDst, m.sums = none(len(a.Vertex)), none(a.Parts)
	}
	m.sent, m.messages = make([]int64, a.Parts), make([]int64, a.Parts)
	return m
}

// part counts the arcs of part p.
func (m *measurement) part(p int32, arcs iter.Seq2[int32, int32]) {
	halo, partial := int64(0), int64(0)
	for u, v := range arcs {
		m.s.Arcs[p]++
		from, to := m.a.Vertex[u], m.a.Vertex[v]
		if from != p || to != p {
			m.s.CutArcs++
		}
		if from != p && m.asSrc[u] != p {
			m.copy(u, p)
			m.asSrc[u] = p
			halo++
			m.send(from, m.rows, p, from)
		}
		if to != p && m.asDst[v] != p {
			m.copy(v, p)
			m.asDst[v] = p
			partial++
			m.send(p, m.sums, p, to)
		}
	}
	m.s.Halo.add(halo)
	m.s.Partial.add(partial)
}

// copy counts a vertex that is in part p, but has its own row elsewhere, once.
func (m *measurement) copy(v, p int32) {
	if m.asSrc[v] != p && (m.asDst == nil || m.asDst[v] != p) {
		m.copies++
	}
}

// send counts a word that a part sends. It is a message of its own where the part
// whose turn it is has not met the other end yet.
func (m *measurement) send(from int32, met []int32, turn, other int32) {
	m.sent[from]++
	if met[other] != turn {
		met[other] = turn
		m.messages[from]++
	}
}

// finish sums up what parts send.
func (m *measurement) finish() {
	for p := range m.sent {
		m.s.Words.add(m.sent[p])
		m.s.Messages.add(m.messages[p])
	}
	m.s.Replication = 1
	if n := len(m.a.Vertex); n > 0 {
		m.s.Replication = float64(int64(n)+m.copies) / float64(n)
	}
}

// add counts one more part's.
func (s *Spread) add(count int64) {
	s.Total, s.Max = s.Total+count, max(s.Max, count)
}
