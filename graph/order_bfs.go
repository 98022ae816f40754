package graph

import (
	"cmp"
	"slices"
)

// breadthFirst returns the vertices in the order in which breadth first searches
// find them: components by their first vertex, each from a vertex far from others,
// neighbours as they are listed; vertices without neighbours come last.
func breadthFirst(a *adjacency) []int32 {
	return a.components(func(order []int32, root int32, placed []bool) []int32 {
		return a.component(order, root, placed, func([]int32) {})
	})
}

// cuthillMcKee is breadthFirst, but that of the neighbours found those of fewest
// neighbours come first, and that each component is then reversed. Reversing
// leaves all gaps as they are.
//
// Source: Cuthill and McKee, "Reducing the bandwidth of sparse symmetric
// matrices", ACM'69; reversed by George, 1971.
func cuthillMcKee(a *adjacency) []int32 {
	return a.components(func(order []int32, root int32, placed []bool) []int32 {
		from := len(order)
		order = a.component(order, root, placed, func(found []int32) { slices.SortFunc(found, a.fewer) })
		slices.Reverse(order[from:])
		return order
	})
}

// fewer compares vertices by their neighbours, equals by number.
func (a *adjacency) fewer(u, v int32) int {
	return cmp.Or(cmp.Compare(a.degree(u), a.degree(v)), cmp.Compare(u, v))
}

// components returns the vertices that place, which appends the component of a
// root to an order, finds from a root in each component.
func (a *adjacency) components(place func(order []int32, root int32, placed []bool) []int32) []int32 {
	s := newSearch(a)
	placed := make([]bool, a.vertices())
	order := make([]int32, 0, a.vertices())
	var alone []int32
	for v := range int32(a.vertices()) {
		switch {
		case placed[v]:
		case a.alone(v):
			alone = append(alone, v)
		default:
			order = place(order, s.peripheral(v), placed)
		}
	}
	return append(order, alone...)
}

// component appends what a search from root finds; sort gets the neighbours that
// each vertex has found.
func (a *adjacency) component(order []int32, root int32, placed []bool, sort func(found []int32)) []int32 {
	head := len(order)
	order, placed[root] = append(order, root), true
	for ; head < len(order); head++ {
		first := len(order)
		for _, part := range a.of(order[head]) {
			for _, u := range part {
				if !placed[u] {
					order, placed[u] = append(order, u), true
				}
			}
		}
		sort(order[first:])
	}
	return order
}

// search finds out how far vertices are from each other.
type search struct {
	a     *adjacency
	queue []int32
	seen  []bool // all false between searches
}

func newSearch(a *adjacency) *search { return &search{a: a, seen: make([]bool, a.vertices())} }

// searches bounds the work of looking for a vertex far from others; on graphs of
// few levels two or three are all it takes.
const searches = 8

// peripheral returns a vertex of v's component whose search has many levels: as
// long as the number of levels rises, the search is repeated from a vertex of
// fewest neighbours in the last level.
//
// Source: George and Liu, "An implementation of a pseudoperipheral node finder",
// ACM TOMS 5 (1979).
func (s *search) peripheral(v int32) int32 {
	levels, last := s.levels(v)
	for range searches {
		far := s.fewest(last)
		deeper, next := s.levels(far)
		v, last = far, next
		if deeper <= levels {
			break
		}
		levels = deeper
	}
	return v
}

// levels returns the number of levels of a search from root, and the last one.
func (s *search) levels(root int32) (n int, last []int32) {
	s.queue = append(s.queue[:0], root)
	s.seen[root] = true
	from := 0
	for to := 1; from < to; n++ {
		for _, v := range s.queue[from:to] {
			for _, part := range s.a.of(v) {
				for _, u := range part {
					if !s.seen[u] {
						s.queue, s.seen[u] = append(s.queue, u), true
					}
				}
			}
		}
		last = s.queue[from:to]
		from, to = to, len(s.queue)
	}
	for _, v := range s.queue {
		s.seen[v] = false
	}
	return n, last
}

// fewest returns the vertex of fewest neighbours, the first of equals.
func (s *search) fewest(of []int32) int32 {
	return slices.MinFunc(of, s.a.fewer)
}
