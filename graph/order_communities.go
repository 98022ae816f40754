package graph

import "slices"

// byCommunity returns the vertices community by community. Communities are found
// by label propagation that maximises modularity: each vertex takes the label of
// most of its neighbours, discounted by what a random graph of the same degrees
// would give. Communities then become the vertices of a graph of their own, and
// so on. On each level those of one community lie side by side, and within it in
// breadth first order.
//
// Source: Blondel et al., "Fast unfolding of communities in large networks",
// J. Stat. Mech. 2008.
func byCommunity(a *adjacency, seed uint64) []int32 {
	var levels []*adjacency
	var groups [][]int32 // of the vertices of each level, numbered from 0
	for levels = append(levels, a); len(levels) < mostLevels; levels = append(levels, a) {
		group, n := communities(a, seed)
		if n == a.vertices() {
			break
		}
		groups = append(groups, group)
		a = contract(a, group, n)
	}
	order := breadthFirst(a)
	for l := len(groups) - 1; l >= 0; l-- {
		rank, starts := ranksOf(order, groups[l])
		order = grouped(breadthFirst(levels[l]), rank, starts)
	}
	return order
}

// mostLevels bounds the work on graphs whose communities hardly grow from level
// to level; real ones have four or five levels.
const mostLevels = 20

// ranksOf returns for each vertex the place of its group in an order of groups,
// and where each place begins.
func ranksOf(order, group []int32) (rank []int32, starts []int64) {
	place := make([]int32, len(order))
	for i, g := range order {
		place[g] = int32(i)
	}
	rank, starts = make([]int32, len(group)), make([]int64, len(order)+1)
	for v, g := range group {
		rank[v] = place[g]
		starts[rank[v]+1]++
	}
	for i := range order {
		starts[i+1] += starts[i]
	}
	return rank, starts
}

// rounds bounds how often label propagation goes over all vertices, and settled
// is the share of them that must move for another one to pay.
const (
	rounds  = 10
	settled = 0.01
)

// propagation is label propagation in the making.
type propagation struct {
	a     *adjacency
	label []int32
	// strength is the weight of a vertex's arcs, total that of a label's vertices,
	// all that of all.
	strength, total []int64
	all             int64
	near            tally
}

// tally sums weights by label, and remembers which labels there are.
type tally struct {
	weight []int64
	labels []int32
}

func (t *tally) add(label int32, w int64) {
	if t.weight[label] == 0 {
		t.labels = append(t.labels, label)
	}
	t.weight[label] += w
}

func (t *tally) clear() {
	for _, l := range t.labels {
		t.weight[l] = 0
	}
	t.labels = t.labels[:0]
}

// communities returns the community of each vertex, and their number.
func communities(a *adjacency, seed uint64) (group []int32, n int) {
	p := newPropagation(a)
	visit := (&Graph{N: a.vertices()}).Order(Random, seed)
	for range rounds {
		moves := 0
		for _, v := range visit {
			if p.move(v) {
				moves++
			}
		}
		if float64(moves) <= settled*float64(a.vertices()) {
			break
		}
	}
	return renumber(p.label)
}

func newPropagation(a *adjacency) *propagation {
	n := a.vertices()
	p := &propagation{a: a, label: make([]int32, n), strength: make([]int64, n), near: tally{weight: make([]int64, n)}}
	for v := range p.label {
		p.label[v] = int32(v)
		a.eachWeight(int32(v), func(_ int32, w int64) { p.strength[v] += w })
		p.all += p.strength[v]
	}
	p.total = slices.Clone(p.strength)
	return p
}

// eachWeight calls f for each neighbour of v and the weight of the arc.
func (a *adjacency) eachWeight(v int32, f func(u int32, w int64)) {
	if a.in.weight == nil {
		for _, part := range a.of(v) {
			for _, u := range part {
				f(u, 1)
			}
		}
		return
	}
	for i := a.in.ptr[v]; i < a.in.ptr[v+1]; i++ {
		f(a.in.col[i], a.in.weight[i])
	}
}

// move gives v the label whose gain of modularity is largest, and reports whether
// it is another one. The gain of label c, but for what all labels share, is
//
//	w(v, c) − s_v · S_c / S
//
// with the weight w between v and c, the strength s_v, the strength S_c of the
// vertices of c without v, and S of all.
func (p *propagation) move(v int32) bool {
	p.near.clear()
	p.a.eachWeight(v, func(u int32, w int64) {
		if u != v {
			p.near.add(p.label[u], w)
		}
	})
	own, s := p.label[v], p.strength[v]
	p.total[own] -= s
	share := float64(s) / float64(max(p.all, 1))
	best, most := own, float64(p.near.weight[own])-share*float64(p.total[own])
	for _, c := range p.near.labels {
		if gain := float64(p.near.weight[c]) - share*float64(p.total[c]); gain > most {
			best, most = c, gain
		}
	}
	p.total[best] += s
	p.label[v] = best
	return best != own
}

// renumber counts labels through from 0, in the order in which they first occur.
func renumber(label []int32) (group []int32, n int) {
	number := slices.Repeat([]int32{-1}, len(label))
	group = make([]int32, len(label))
	for v, l := range label {
		if number[l] < 0 {
			number[l] = int32(n)
			n++
		}
		group[v] = number[l]
	}
	return group, n
}

// contract returns the graph whose vertices are n groups, and whose weights are
// those of all arcs between two of them, or within one.
func contract(a *adjacency, group []int32, n int) *adjacency {
	members := make([]int32, len(group))
	for v := range members {
		members[v] = int32(v)
	}
	identity := make([]int32, n)
	for g := range identity {
		identity[g] = int32(g)
	}
	_, starts := ranksOf(identity, group)
	members = grouped(members, group, starts)
	near := tally{weight: make([]int64, n)}
	to := rows{ptr: make([]int64, 1, n+1)}
	for g := range n {
		for _, v := range members[starts[g]:starts[g+1]] {
			a.eachWeight(v, func(u int32, w int64) { near.add(group[u], w) })
		}
		for _, c := range near.labels {
			to.col, to.weight = append(to.col, c), append(to.weight, near.weight[c])
		}
		near.clear()
		to.ptr = append(to.ptr, int64(len(to.col)))
	}
	return &adjacency{in: to}
}
