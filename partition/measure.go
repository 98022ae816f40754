package partition

import (
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/graph"
)

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
// Cost: that of [graph.Block.Named], and O(P) memory.
// Errors: those of [graph.Assignment.Validate].
func Measure(b *graph.Block, a graph.Assignment) (*Stats, error) {
	if err := a.Validate(b); err != nil {
		return nil, fmt.Errorf("partition: %w", err)
	}
	m := &measurement{
		a: a, s: &Stats{Parts: a.Parts, Vertices: make([]int64, a.Parts), Arcs: make([]int64, a.Parts)},
		rows: slices.Repeat([]int32{-1}, a.Parts), sums: slices.Repeat([]int32{-1}, a.Parts),
		sent: make([]int64, a.Parts), messages: make([]int64, a.Parts),
	}
	for _, p := range a.Vertex {
		m.s.Vertices[p]++
	}
	m.arcs(b)
	for p, named := range b.Named(a.Parts, a.Part) {
		m.part(int32(p), named)
	}
	m.finish()
	return m.s, nil
}

// measurement is the counting.
type measurement struct {
	a graph.Assignment
	s *Stats
	// The last part that a part sent rows to, and that one sent partial sums to.
	rows, sums     []int32
	sent, messages []int64
	copies         int64
}

// arcs counts arcs, and those that are cut.
func (m *measurement) arcs(b *graph.Block) {
	for v := range int32(b.Dst) {
		for e := b.Ptr[v]; e < b.Ptr[v+1]; e++ {
			u := b.Col[e]
			p := m.a.Part(e, u, v)
			m.s.Arcs[p]++
			if m.a.Vertex[u] != p || m.a.Vertex[v] != p {
				m.s.CutArcs++
			}
		}
	}
}

// part counts what the arcs of part p name of other parts' vertices.
func (m *measurement) part(p int32, named graph.Named) {
	halo, partial := int64(0), int64(0)
	for i, v := range named.Vertex {
		owner := m.a.Vertex[v]
		if owner == p {
			continue
		}
		m.copies++
		if named.At[i]&graph.Source != 0 {
			halo++
			m.send(owner, m.rows, p, owner)
		}
		if named.At[i]&graph.Destination != 0 {
			partial++
			m.send(p, m.sums, p, owner)
		}
	}
	m.s.Halo.add(halo)
	m.s.Partial.add(partial)
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
