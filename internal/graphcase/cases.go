// Package graphcase lists the graphs on which code that reads graphs tends to
// fail, for tests of any package. A case is an edge list, so that the package
// depends on nothing and suits any builder.
package graphcase

import "slices"

// Case is a named edge list: row i is the arc Src[i]→Dst[i].
type Case struct {
	Name     string
	N        int
	Src, Dst []int32
	Weight   []float32 // nil: every weight is 1
}

// All returns the hand-made cases, then some random graphs of fixed seeds.
// The slices are fresh; a test may change them.
func All() []Case {
	return slices.Concat(small(), shapes(), random())
}

// arcs makes a case of (source, destination) pairs.
func arcs(name string, n int, pairs ...[2]int32) Case {
	c := Case{Name: name, N: n, Src: []int32{}, Dst: []int32{}}
	for _, p := range pairs {
		c.add(p[0], p[1])
	}
	return c
}

func (c *Case) add(src, dst int32) {
	c.Src, c.Dst = append(c.Src, src), append(c.Dst, dst)
}

// addBoth adds an arc in each direction.
func (c *Case) addBoth(u, v int32) {
	c.add(u, v)
	c.add(v, u)
}

// small returns the degenerate graphs, each with one peculiarity.
func small() []Case {
	return []Case{
		arcs("empty", 0),
		arcs("single vertex", 1),
		arcs("single vertex with a loop", 1, [2]int32{0, 0}),
		arcs("no edges", 5),
		arcs("zero in-degree", 4, [2]int32{0, 3}, [2]int32{1, 3}, [2]int32{2, 3}),
		arcs("zero out-degree", 4, [2]int32{3, 0}, [2]int32{3, 1}, [2]int32{3, 2}),
		arcs("self-loop", 2, [2]int32{0, 1}, [2]int32{1, 0}, [2]int32{0, 0}),
		arcs("loops only", 3, [2]int32{2, 2}, [2]int32{0, 0}, [2]int32{1, 1}),
		arcs("parallel loops", 3, [2]int32{1, 1}, [2]int32{0, 1}, [2]int32{1, 1}, [2]int32{2, 2}, [2]int32{2, 2}),
		arcs("duplicates", 3, [2]int32{1, 0}, [2]int32{2, 0}, [2]int32{1, 0}, [2]int32{1, 0}),
		arcs("duplicates both ways", 2, [2]int32{0, 1}, [2]int32{1, 0}, [2]int32{0, 1}, [2]int32{1, 0}, [2]int32{0, 1}),
		arcs("unsorted", 3, [2]int32{2, 1}, [2]int32{1, 0}, [2]int32{0, 1}, [2]int32{0, 2}),
		arcs("isolated last vertices", 5, [2]int32{0, 1}, [2]int32{1, 0}, [2]int32{1, 2}, [2]int32{2, 1}),
		arcs("isolated first vertices", 5, [2]int32{3, 4}, [2]int32{4, 3}),
		arcs("directed path", 3, [2]int32{0, 1}, [2]int32{1, 2}),
		weighted(),
	}
}

// weighted has weights that are negative, zero and not 1 on a loop.
func weighted() Case {
	c := arcs("weighted", 4, [2]int32{1, 0}, [2]int32{0, 1}, [2]int32{2, 0}, [2]int32{2, 2}, [2]int32{3, 0}, [2]int32{1, 0})
	c.Weight = []float32{0.5, 2, -0.25, 7, 0, 1.5}
	return c
}

// shapes returns the classic graphs, undirected ones in both directions.
func shapes() []Case {
	return []Case{
		star("hub in", 70, func(c *Case, leaf int32) { c.add(leaf, 0) }),
		star("hub out", 70, func(c *Case, leaf int32) { c.add(0, leaf) }),
		star("star", 70, func(c *Case, leaf int32) { c.addBoth(0, leaf) }),
		path("path", 6),
		cycle("cycle", 7),
		bipartite("bipartite", 3, 5),
		complete("complete", 9),
		disconnected(),
	}
}

func star(name string, n int32, link func(c *Case, leaf int32)) Case {
	c := arcs(name, int(n))
	for leaf := int32(1); leaf < n; leaf++ {
		link(&c, leaf)
	}
	return c
}

func path(name string, n int32) Case {
	c := arcs(name, int(n))
	for v := int32(1); v < n; v++ {
		c.addBoth(v-1, v)
	}
	return c
}

func cycle(name string, n int32) Case {
	c := path(name, n)
	c.addBoth(n-1, 0)
	return c
}

func bipartite(name string, left, right int32) Case {
	c := arcs(name, int(left+right))
	for u := range left {
		for v := range right {
			c.addBoth(u, left+v)
		}
	}
	return c
}

func complete(name string, n int32) Case {
	c := arcs(name, int(n))
	for u := range n {
		for v := range u {
			c.addBoth(u, v)
		}
	}
	return c
}

// disconnected has a triangle, an edge and an isolated vertex between them.
func disconnected() Case {
	c := arcs("disconnected", 6)
	c.addBoth(0, 1)
	c.addBoth(1, 2)
	c.addBoth(2, 0)
	c.addBoth(4, 5)
	return c
}
