package graphcase

import (
	"testing"

	"pgregory.net/rapid"
)

// failer is what testing.T and rapid.T have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// check fails where a case is not an edge list of its N vertices.
func check(t failer, c Case) {
	t.Helper()
	if len(c.Src) != len(c.Dst) || c.Weight != nil && len(c.Weight) != len(c.Src) {
		t.Fatalf("%s: %d sources, %d destinations, %d weights", c.Name, len(c.Src), len(c.Dst), len(c.Weight))
	}
	for i := range c.Src {
		for _, id := range []int32{c.Src[i], c.Dst[i]} {
			if id < 0 || int(id) >= c.N {
				t.Fatalf("%s: row %d names vertex %d of %d", c.Name, i, id, c.N)
			}
		}
	}
}

func TestCasesAreEdgeLists(t *testing.T) {
	names := map[string]bool{}
	for _, c := range All() {
		check(t, c)
		if names[c.Name] {
			t.Errorf("two cases are called %s", c.Name)
		}
		names[c.Name] = true
	}
}

func TestRandomIsAnEdgeList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Random(5, 12).Draw(t, "case")
		check(t, c)
		if c.N > 5 || len(c.Src) > 12 {
			t.Fatalf("%d vertices and %d arcs", c.N, len(c.Src))
		}
	})
}

// The list is worth its name only while it has each of these.
func TestCasesCoverTheKinds(t *testing.T) {
	kinds := map[string]func(c Case) bool{
		"no vertices": func(c Case) bool { return c.N == 0 },
		"no edges":    func(c Case) bool { return c.N > 1 && len(c.Src) == 0 },
		"a loop":      func(c Case) bool { return most(c, func(u, v int32) bool { return u == v }) == 1 },
		"two equal loops": func(c Case) bool {
			return most(c, func(u, v int32) bool { return u == v }) > 1
		},
		"parallel arcs":        func(c Case) bool { return most(c, func(u, v int32) bool { return u != v }) > 1 },
		"weights":              func(c Case) bool { return c.Weight != nil },
		"isolated last vertex": func(c Case) bool { return len(c.Src) > 0 && degree(c)[c.N-1] == 0 },
		// 64 is the width of the widest unrolled block.
		"a hub": func(c Case) bool {
			for _, d := range degree(c) {
				if d > 64 {
					return true
				}
			}
			return false
		},
	}
	for kind, has := range kinds {
		found := false
		for _, c := range All() {
			found = found || has(c)
		}
		if !found {
			t.Errorf("no case has %s", kind)
		}
	}
}

// most returns how often the most frequent arc of a kind is listed.
func most(c Case, kind func(u, v int32) bool) (n int) {
	count := map[[2]int32]int{}
	for i, u := range c.Src {
		if kind(u, c.Dst[i]) {
			count[[2]int32{u, c.Dst[i]}]++
		}
	}
	for _, k := range count {
		n = max(n, k)
	}
	return n
}

// degree counts a vertex's arcs, in and out.
func degree(c Case) []int {
	d := make([]int, c.N)
	for i, u := range c.Src {
		d[u]++
		d[c.Dst[i]]++
	}
	return d
}

func TestCasesAreFresh(t *testing.T) {
	for _, c := range All() {
		for i := range c.Src {
			c.Src[i] = -1
		}
	}
	for _, c := range All() {
		check(t, c)
	}
}
