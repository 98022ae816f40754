package partition

import (
	"math"
	"slices"

	"github.com/weft-gnn/weft/internal/rng"
)

// level is a graph to be divided: the given one, or one that matching made of it.
type level struct {
	s *structure
	d demand
	// coarse is, for each vertex, the one that it is part of in the next level.
	coarse []int32
}

// matching pairs vertices.
type matching struct {
	*level
	limit []int64 // what a pair may demand
	mate  []int32 // −1 for a vertex that has none
	left  int     // vertices without one
}

// match pairs each vertex with a neighbour, those of few neighbours first. A mate
// is the one of the heaviest edge, for its own weight: of the most w²/c, with the
// weight w of the edge and c of the neighbour. Where many vertices are left, which
// is so where they have neighbours in common that are taken, these are paired.
//
// Source: Karypis and Kumar, "A fast and high quality multilevel scheme for
// partitioning irregular graphs", SISC 20 (1998), sorted heavy-edge matching;
// Holtgrewe, Sanders and Schulz, "Engineering a scalable high quality graph
// partitioner", IPDPS'10, the rating expansion*²; LaSalle et al., "Improving graph
// partitioning for modern graphs and architectures", IA³'15, two-hop matching.
func (l *level) match(limit []int64, lots *rng.Stream) *matching {
	m := &matching{level: l, limit: limit, mate: make([]int32, l.s.vertices()), left: l.s.vertices()}
	for v := range m.mate {
		m.mate[v] = -1
	}
	for _, v := range l.byDegree(lots) {
		if m.mate[v] < 0 {
			m.neighbour(v)
		}
	}
	for hops := int64(1); hops <= maxTwoHop && float64(m.left) > unmatched*float64(len(m.mate)); hops *= 4 {
		m.twoHop(hops)
	}
	m.alone()
	return m
}

// Vertices of up to maxTwoHop neighbours are paired by one that they share, where
// more than the share unmatched of all vertices have no mate.
const (
	maxTwoHop = 64
	unmatched = 0.1
)

// byDegree returns the vertices in random order, those of few neighbours first.
func (l *level) byDegree(lots *rng.Stream) []int32 {
	n := l.s.vertices()
	order := identityOrder(n)
	lots.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	// Beyond the mean, more neighbours are no reason to come later.
	most := int64(0)
	if n > 0 {
		most = int64(0.7*float64(len(l.s.col))/float64(n)) + 1
	}
	start := make([]int32, most+2)
	rank := func(v int32) int64 { return min(l.s.degree(v), most) }
	for _, v := range order {
		start[rank(v)+1]++
	}
	for i := range most + 1 {
		start[i+1] += start[i]
	}
	sorted := make([]int32, n)
	for _, v := range order {
		at := &start[rank(v)]
		sorted[*at] = v
		*at++
	}
	return sorted
}

func identityOrder(n int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	return order
}

// neighbour pairs v with its best neighbour, if there is one.
func (m *matching) neighbour(v int32) {
	best, most := int32(-1), 0.0
	for i := m.s.ptr[v]; i < m.s.ptr[v+1]; i++ {
		u := m.s.col[i]
		if m.mate[u] >= 0 {
			continue
		}
		w := float64(m.s.weightOf(i))
		if rate := w * w / float64(max(m.d.at(u)[0], 1)); rate > most && m.fit(u, v) {
			best, most = u, rate
		}
	}
	if best >= 0 {
		m.pair(best, v)
	}
}

// fit reports whether two vertices may be a pair.
func (m *matching) fit(u, v int32) bool {
	a, b := m.d.at(u), m.d.at(v)
	for i, limit := range m.limit {
		if a[i]+b[i] > limit {
			return false
		}
	}
	return true
}

func (m *matching) pair(u, v int32) {
	m.mate[u], m.mate[v] = v, u
	m.left -= 2
}

// twoHop pairs vertices of at most so many neighbours that share one.
func (m *matching) twoHop(most int64) {
	for c := range int32(len(m.mate)) {
		last := int32(-1)
		for _, u := range m.s.neighbours(c) {
			switch {
			case m.mate[u] >= 0 || m.s.degree(u) > most:
			case last < 0:
				last = u
			case m.fit(last, u):
				m.pair(last, u)
				last = -1
			}
		}
	}
}

// alone pairs vertices that have no neighbours.
func (m *matching) alone() {
	last := int32(-1)
	for v := range int32(len(m.mate)) {
		switch {
		case m.mate[v] >= 0 || m.s.degree(v) > 0:
		case last < 0:
			last = v
		case m.fit(last, v):
			m.pair(last, v)
			last = -1
		default:
			last = v
		}
	}
}

// contract returns the level whose vertices are the pairs, and the vertices that
// have no mate. Edges between two pairs become one, weights add up. The room is
// used meanwhile.
func (m *matching) contract(r *room) *level {
	n := len(m.mate)
	m.coarse = make([]int32, n)
	first := make([]int32, 0, n-(n-m.left)/2)
	for v := range int32(n) {
		if u := m.mate[v]; u >= 0 && u < v {
			m.coarse[v] = m.coarse[u]
			continue
		}
		m.coarse[v] = int32(len(first))
		first = append(first, v)
	}
	c := &level{d: demand{c: m.d.c, of: make([]int64, len(first)*m.d.c)}}
	for v := range int32(n) {
		to := c.d.at(m.coarse[v])
		for i, w := range m.d.at(v) {
			to[i] += w
		}
	}
	c.s = m.edges(first, r)
	return c
}

// room is where edges are gathered whose number is not known yet. It serves one
// contraction after another.
type room struct{ col, weight []int32 }

// edges returns the structure of the contracted level.
func (m *matching) edges(first []int32, r *room) *structure {
	s := &structure{ptr: make([]int64, 1, len(first)+1)}
	if r.col == nil { // the first level has most edges
		r.col, r.weight = make([]int32, len(m.s.col)), make([]int32, len(m.s.col))
	}
	s.col, s.weight = r.col[:0], r.weight[:0]
	place := make([]int64, len(first)) // where a neighbour's edge is, if at or after the row's begin
	for i := range place {
		place[i] = -1
	}
	for c, v := range first {
		begin := int64(len(s.col))
		for _, x := range [2]int32{v, m.mate[v]} {
			if x < 0 {
				continue
			}
			for i := m.s.ptr[x]; i < m.s.ptr[x+1]; i++ {
				u := m.coarse[m.s.col[i]]
				switch w := m.s.weightOf(i); {
				case int(u) == c:
				case place[u] >= begin:
					at := place[u]
					s.weight[at] = int32(min(int64(s.weight[at])+w, math.MaxInt32))
				default:
					place[u] = int64(len(s.col))
					s.col, s.weight = append(s.col, u), append(s.weight, int32(w))
				}
			}
		}
		s.ptr = append(s.ptr, int64(len(s.col)))
	}
	s.col, s.weight = slices.Clone(s.col), slices.Clone(s.weight)
	return s
}
