package graph

import (
	"fmt"
	"slices"
	"strings"
)

// Ordering is a way to number a graph's vertices. Sums over neighbours read rows
// of features by vertex: an order that puts neighbours, or vertices of shared
// neighbours, near each other finds more of them in cache.
type Ordering int

// The orderings.
const (
	// Original is the order of identities: that of the data set before any other
	// ordering was applied to it.
	Original Ordering = iota
	// Random is an order without any locality, to compare others with.
	Random
	// ByDegree puts the vertices of most arcs, in and out, first.
	ByDegree
	// BFS is breadth first search in each component, from a vertex far from others.
	BFS
	// RCM is the order of Cuthill and McKee, reversed: breadth first search that
	// takes neighbours of fewest arcs first. It keeps the bandwidth small.
	RCM
	// Communities puts communities, and communities within them, side by side.
	Communities
)

var orderingNames = [...]string{
	Original: "original", Random: "random", ByDegree: "degree", BFS: "bfs", RCM: "rcm", Communities: "communities",
}

// Orderings returns all orderings, in the order of help texts.
func Orderings() []Ordering {
	all := make([]Ordering, len(orderingNames))
	for i := range all {
		all[i] = Ordering(i)
	}
	return all
}

func (o Ordering) String() string {
	if o < 0 || int(o) >= len(orderingNames) {
		return fmt.Sprintf("Ordering(%d)", int(o))
	}
	return orderingNames[o]
}

// MarshalText writes the ordering's name. Errors: the value names no ordering.
func (o Ordering) MarshalText() ([]byte, error) {
	if o < 0 || int(o) >= len(orderingNames) {
		return nil, fmt.Errorf("graph: no ordering has the number %d", int(o))
	}
	return []byte(orderingNames[o]), nil
}

// UnmarshalText reads what MarshalText writes. Errors: any other text; the error
// lists what is accepted.
func (o *Ordering) UnmarshalText(text []byte) error {
	i := slices.Index(orderingNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("graph: ordering %q is not one of %s", text, strings.Join(orderingNames[:], ", "))
	}
	*o = Ordering(i)
	return nil
}

// Order returns the graph's vertices in an ordering, as [Graph.Permute] takes
// them: vertex i of the graph that it makes is entry i of the order. Only Random
// and Communities depend on the seed. Directions and weights of arcs and loops
// do not count. In a disjoint union, the vertices of a graph stay together.
//
// Contract: the order depends on the graph, the ordering and the seed alone;
// Original and Random are functions of identities, and so do not depend on an
// order applied before.
// Cost: O((n + m) log n) time at most; 8n bytes of scratch and, where the graph
// is not symmetric, 4m for its arcs by source. Communities takes some 30n bytes
// and up to 24m for its second level, most often far less.
func (g *Graph) Order(by Ordering, seed uint64) []int32 {
	var order []int32
	switch by {
	case Original:
		order = g.byKey(func(v int32) uint64 { return uint64(g.identity(v)) })
	case Random:
		order = g.byKey(func(v int32) uint64 { return mix(seed, uint64(g.identity(v))) })
	case ByDegree:
		order = byDegree(g.undirected())
	case BFS:
		order = breadthFirst(g.undirected())
	case RCM:
		order = cuthillMcKee(g.undirected())
	case Communities:
		order = byCommunity(g.undirected(), seed)
	default:
		panic(fmt.Sprintf("graph: no ordering has the number %d", int(by)))
	}
	if g.Graphs == nil {
		return order
	}
	return grouped(order, partOf(g.Graphs, g.N), g.Graphs)
}

// byKey returns the vertices by ascending key.
func (g *Graph) byKey(key func(v int32) uint64) []int32 {
	type keyed struct {
		key    uint64
		vertex int32
	}
	all := make([]keyed, g.N)
	for v := range all {
		all[v] = keyed{key(int32(v)), int32(v)}
	}
	slices.SortFunc(all, func(a, b keyed) int {
		if a.key != b.key {
			if a.key < b.key {
				return -1
			}
			return 1
		}
		return int(a.vertex) - int(b.vertex)
	})
	order := make([]int32, g.N)
	for i, k := range all {
		order[i] = k.vertex
	}
	return order
}

// mix returns a number that looks random of a seed and an identity. Keys of the
// same seed differ for different identities.
// Source: the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA'14).
func mix(seed, id uint64) uint64 {
	const golden = 0x9E3779B97F4A7C15
	finish := func(z uint64) uint64 {
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		return z ^ z>>31
	}
	return finish(finish(seed+golden) + (id+1)*golden)
}

// partOf says which of the parts delimited by offsets each of n vertices is in.
func partOf(offsets []int64, n int) []int32 {
	part := make([]int32, n)
	for p := range len(offsets) - 1 {
		for v := offsets[p]; v < offsets[p+1]; v++ {
			part[v] = int32(p)
		}
	}
	return part
}

// grouped returns an order by group, and within each as it was; starts says where
// each group begins.
func grouped(order, group []int32, starts []int64) []int32 {
	next := slices.Clone(starts)
	out := make([]int32, len(order))
	for _, v := range order {
		at := &next[group[v]]
		out[*at] = v
		*at++
	}
	return out
}
