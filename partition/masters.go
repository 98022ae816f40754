package partition

import "context"

// masters returns the part of each vertex's master. Vertices whose arcs are in one
// part have it there; then each of the others, in random order, where fewest are
// of the parts that have its arcs; those without arcs where fewest are of all.
func (e *edgeCutting) masters(ctx context.Context) ([]int32, error) {
	m := &mastering{e: e, near: make([]int64, e.o.Parts), load: make([]int64, e.o.Parts)}
	master := make([]int32, e.s.vertices())
	var several, alone []int32
	for i, v := range shuffled(e.b, e.o) {
		if i%(1<<14) == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		switch m.count(v); {
		case len(m.parts) == 1:
			master[v] = m.take(m.parts[0])
		case len(m.parts) > 1:
			several = append(several, v)
		default:
			alone = append(alone, v)
		}
	}
	for _, v := range several {
		m.count(v)
		best := m.parts[0]
		for _, p := range m.parts {
			if m.before(p, best) {
				best = p
			}
		}
		master[v] = m.take(best)
	}
	t := newTable(m.load, false)
	for _, v := range alone {
		master[v] = t.next(1)
	}
	return master, context.Cause(ctx)
}

// mastering is the choice of masters.
type mastering struct {
	e     *edgeCutting
	load  []int64 // masters in each part
	near  []int64 // arcs of the vertex in each part
	parts []int32 // those that have any
}

// count finds the parts that have arcs of v.
func (m *mastering) count(v int32) {
	for _, p := range m.parts {
		m.near[p] = 0
	}
	m.parts = m.parts[:0]
	for _, k := range m.e.pair[m.e.s.ptr[v]:m.e.s.ptr[v+1]] {
		p := m.e.part[k]
		if m.near[p] == 0 {
			m.parts = append(m.parts, p)
		}
		m.near[p] += int64(m.e.ends[k].arcs)
	}
}

// before reports whether part p is a better place than q: it has fewer masters, or
// as many and more of the arcs.
func (m *mastering) before(p, q int32) bool {
	switch {
	case m.load[p] != m.load[q]:
		return m.load[p] < m.load[q]
	case m.near[p] != m.near[q]:
		return m.near[p] > m.near[q]
	}
	return p < q
}

func (m *mastering) take(p int32) int32 {
	m.load[p]++
	return p
}
