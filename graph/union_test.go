package graph_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

// The union of graphs is the graph of the concatenated lists.
func TestUnionIsTheGraphOfTheLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cases := rapid.SliceOfN(graphcase.Random(6, 20), 0, 5).Draw(t, "cases")
		p := rapid.SampledFrom(policies()).Draw(t, "policy")
		graphs := make([]*graph.Graph, len(cases))
		all, offsets := graphcase.Case{Name: "all"}, []int64{0}
		weighted := slices.ContainsFunc(cases, func(c graphcase.Case) bool { return c.Weight != nil })
		for i, c := range cases {
			graphs[i] = build(t, c, p)
			for r := range c.Src {
				all.Src, all.Dst = append(all.Src, c.Src[r]+int32(all.N)), append(all.Dst, c.Dst[r]+int32(all.N))
				if weighted && c.Weight == nil {
					all.Weight = append(all.Weight, 1)
				}
			}
			all.Weight = append(all.Weight, c.Weight...)
			all.N += c.N
			offsets = append(offsets, int64(all.N))
		}
		u, err := graph.Union(graphs...)
		if err != nil {
			t.Fatal(err)
		}
		if err := u.Validate(); err != nil {
			t.Fatal(err)
		}
		want := build(t, all, p)
		if u.N != want.N || !slices.Equal(arcsOf(u), arcsOf(want)) || u.Counts != want.Counts {
			t.Fatalf("got %v %+v\nwant %v %+v", arcsOf(u), u.Counts, arcsOf(want), want.Counts)
		}
		if !slices.Equal(u.Graphs, offsets) || !slices.Equal(u.Block().Graphs, offsets) || !slices.Equal(u.LoopBlock().Graphs, offsets) {
			t.Fatalf("offsets %v, want %v", u.Graphs, offsets)
		}
	})
}

// A batch with empty graphs has as many pooled rows as graphs: sums 0, 2, 0.
func TestUnionKeepsEmptyGraphs(t *testing.T) {
	empty := build(t, graphcase.Case{}, graph.Policy{})
	pair := build(t, graphcase.Case{N: 2, Src: []int32{0}, Dst: []int32{1}}, graph.Policy{})
	u, err := graph.Union(empty, pair, empty)
	if err != nil {
		t.Fatal(err)
	}
	x, pooled := []float64{1, 1}, []float64{}
	for k := range len(u.Graphs) - 1 {
		s := 0.0
		for _, xv := range x[u.Graphs[k]:u.Graphs[k+1]] {
			s += xv
		}
		pooled = append(pooled, s)
	}
	if !slices.Equal(pooled, []float64{0, 2, 0}) {
		t.Fatalf("got %v, want 0, 2, 0", pooled)
	}
}

// Selecting all graphs gives the union back, with its identities; any others
// are the subgraph on their vertices.
func TestSelect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cases := rapid.SliceOfN(graphcase.Random(5, 15), 1, 5).Draw(t, "cases")
		p := rapid.SampledFrom(policies()).Draw(t, "policy")
		graphs := make([]*graph.Graph, len(cases))
		numbers := make([]int32, len(cases))
		for i, c := range cases {
			graphs[i], numbers[i] = build(t, c, p), int32(i)
		}
		u, err := graph.Union(graphs...)
		if err != nil {
			t.Fatal(err)
		}
		numbers = rapid.Permutation(numbers).Draw(t, "order")
		numbers = numbers[:rapid.IntRange(0, len(numbers)).Draw(t, "how many")]
		s, err := u.Select(numbers)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		var vertices []int32
		for i, k := range numbers {
			if size := s.Graphs[i+1] - s.Graphs[i]; size != int64(cases[k].N) {
				t.Fatalf("graph %d has %d vertices, want %d", k, size, cases[k].N)
			}
			for v := u.Graphs[k]; v < u.Graphs[k+1]; v++ {
				vertices = append(vertices, int32(v))
			}
		}
		flat := unionless(u)
		want, err := flat.Induced(vertices)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(arcsOf(s), arcsOf(want)) || s.Counts != want.Counts {
			t.Fatalf("got %v %+v\nwant %v %+v", arcsOf(s), s.Counts, arcsOf(want), want.Counts)
		}
		if !slices.Equal(s.Origin.Vertex, want.Origin.Vertex) || !slices.Equal(s.Origin.Edge, want.Origin.Edge) ||
			s.Origin.N != want.Origin.N || s.Origin.M != want.Origin.M {
			t.Fatalf("identities %+v, want %+v", s.Origin, want.Origin)
		}
	})
}

// unionless is the same graph without the offsets of a union.
func unionless(u *graph.Graph) *graph.Graph {
	return &graph.Graph{N: u.N, Ptr: u.Ptr, Src: u.Src, Weight: u.Weight, Listing: u.Listing, Counts: u.Counts}
}

func TestSelectErrors(t *testing.T) {
	one := build(t, graphcase.Case{N: 2, Src: []int32{0}, Dst: []int32{1}}, graph.Policy{})
	if _, err := one.Select([]int32{0}); err == nil {
		t.Error("a single graph was taken for a union")
	}
	u, err := graph.Union(one, one)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int32{-1, 2} {
		if _, err := u.Select([]int32{0, k}); err == nil || !strings.Contains(err.Error(), "of a union of 2") {
			t.Errorf("graph %d: got %v", k, err)
		}
	}
}
