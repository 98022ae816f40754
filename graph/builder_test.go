package graph_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

func checkNaive(t failer, c graphcase.Case, p graph.Policy) {
	t.Helper()
	src, dst, weight := slices.Clone(c.Src), slices.Clone(c.Dst), slices.Clone(c.Weight)
	g := build(t, c, p)
	want, counts := naive(c, p)
	if got := arcsOf(g); !slices.Equal(got, want) {
		t.Fatalf("%s, %+v: arcs\n got %v\nwant %v", c.Name, p, got, want)
	}
	if g.Counts != counts {
		t.Fatalf("%s, %+v: counts\n got %+v\nwant %+v", c.Name, p, g.Counts, counts)
	}
	if (g.Weight == nil) != (c.Weight == nil) {
		t.Fatalf("%s: weights appeared or vanished", c.Name)
	}
	if !slices.Equal(src, c.Src) || !slices.Equal(dst, c.Dst) || !slices.Equal(weight, c.Weight) {
		t.Fatalf("%s: the list was changed", c.Name)
	}
}

func TestFromCOOCases(t *testing.T) {
	eachCase(t, func(t *testing.T, c graphcase.Case, p graph.Policy) { checkNaive(t, c, p) })
}

func TestFromCOORandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(9, 40).Draw(t, "case")
		checkNaive(t, c, rapid.SampledFrom(policies()).Draw(t, "policy"))
	})
}

func TestBuilderEqualsFromCOO(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(9, 40).Draw(t, "case")
		p := rapid.SampledFrom(policies()).Draw(t, "policy")
		first := rapid.IntRange(0, len(c.Src)).Draw(t, "first weighted row")
		b := graph.NewBuilder(c.N, p)
		for i := range c.Src {
			if c.Weight == nil || i < first {
				b.Add(c.Src[i], c.Dst[i])
				continue
			}
			b.AddWeighted(c.Src[i], c.Dst[i], c.Weight[i])
		}
		for i := range c.Weight[:min(first, len(c.Weight))] {
			c.Weight[i] = 1
		}
		got, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		want := build(t, c, p)
		if !slices.Equal(arcsOf(got), arcsOf(want)) || got.Counts != want.Counts {
			t.Fatalf("got %v, want %v", arcsOf(got), arcsOf(want))
		}
	})
}

// Weights listed after Add and Add after weights: both orders have weight 1.
func TestBuilderMixesWeighted(t *testing.T) {
	b := graph.NewBuilder(3, graph.Policy{})
	b.Add(0, 1)
	b.AddWeighted(1, 2, 5)
	b.Add(2, 0)
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	want := []arc{{dst: 0, src: 2, weight: 1, listing: 2}, {dst: 1, src: 0, weight: 1}, {dst: 2, src: 1, weight: 5, listing: 1}}
	if got := arcsOf(g); !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestSymmetriseTwiceEqualsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(8, 30).Draw(t, "case")
		p := rapid.SampledFrom(policies()).Draw(t, "policy")
		p.Symmetrise = true
		once := build(t, c, p)
		again := graphcase.Case{N: c.N}
		for _, a := range arcsOf(once) {
			again.Src, again.Dst = append(again.Src, a.src), append(again.Dst, a.dst)
			again.Weight = append(again.Weight, a.weight)
		}
		twice := build(t, again, p)
		if !slices.Equal(once.Ptr, twice.Ptr) || !slices.Equal(once.Src, twice.Src) {
			t.Fatalf("structure: once %v, twice %v", arcsOf(once), arcsOf(twice))
		}
		for i, a := range arcsOf(twice) {
			if b := arcsOf(once)[i]; a.weight != b.weight {
				t.Fatalf("weight of %d→%d: once %v, twice %v", a.src, a.dst, b.weight, a.weight)
			}
		}
		if twice.Counts.Listed != twice.Counts.Rows {
			t.Fatalf("the second time added %d arcs", twice.Counts.Listed-twice.Counts.Rows)
		}
	})
}

// Merged and symmetrised, A = Aᵀ holds for weights and listing rows as well.
func TestSymmetriseIsSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(8, 30).Draw(t, "case")
		g := build(t, c, graph.Policy{Symmetrise: true})
		a := map[[2]int32]arc{}
		for _, x := range arcsOf(g) {
			a[[2]int32{x.dst, x.src}] = x
		}
		for key, x := range a {
			y, ok := a[[2]int32{key[1], key[0]}]
			if !ok || x.weight != y.weight || x.listing != y.listing {
				t.Fatalf("%+v is mirrored by %+v", x, y)
			}
		}
	})
}

func TestFromCOOErrors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, c := range []struct {
		name     string
		n        int
		src, dst []int32
		weight   []float32
		want     string
	}{
		{"source too large", 8, []int32{0, 9}, []int32{1, 3}, nil, "row 1 of the edge list, 9→3: vertex 9 is out of range, want 0 ≤ id < 8"},
		{"destination too large", 8, []int32{3}, []int32{8}, nil, "row 0 of the edge list, 3→8: vertex 8 is out of range, want 0 ≤ id < 8"},
		{"negative source", 2, []int32{-1}, []int32{0}, nil, "vertex -1 is out of range"},
		{"negative destination", 2, []int32{0}, []int32{-7}, nil, "vertex -7 is out of range"},
		{"arc without vertices", 0, []int32{0}, []int32{0}, nil, "vertex 0 is out of range, want 0 ≤ id < 0"},
		{"negative count", -1, nil, nil, nil, "-1 vertices"},
		{"ends differ in number", 2, []int32{0, 1}, []int32{0}, nil, "2 sources and 1 destinations"},
		{"too few weights", 2, []int32{0, 1}, []int32{0, 1}, []float32{1}, "1 weights for 2 arcs"},
		{"NaN", 2, []int32{0, 1}, []int32{0, 1}, []float32{1, nan}, "row 1 of the edge list, 1→1: weight NaN"},
		{"infinite", 2, []int32{0}, []int32{1}, []float32{inf}, "row 0 of the edge list, 0→1: weight -Inf"},
		{"too many vertices", math.MaxInt32 + 1, nil, nil, nil, "2147483648 vertices, want at most 2147483647"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := graph.FromCOO(c.n, c.src, c.dst, c.weight, graph.Policy{})
			if err == nil || !strings.HasPrefix(err.Error(), "graph: ") || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want …%s…", err, c.want)
			}
		})
	}
}

func TestRangeErrorNamesTheRow(t *testing.T) {
	b := graph.NewBuilder(8, graph.Policy{})
	b.Add(0, 1)
	b.Add(3, 8)
	_, err := b.Build()
	var out *graph.RangeError
	if !errors.As(err, &out) || *out != (graph.RangeError{Row: 1, Src: 3, Dst: 8, ID: 8, N: 8}) {
		t.Fatalf("got %v", err)
	}
	b = graph.NewBuilder(9, graph.Policy{})
	b.Add(3, 8)
	if _, err := b.Build(); err != nil {
		t.Fatalf("the largest id of 9 vertices: %v", err)
	}
}

// FuzzFromCOO feeds any bytes as an edge list: either an error, or the graph
// that the definition gives.
func FuzzFromCOO(f *testing.F) {
	f.Add(3, []byte{1, 0, 2, 0, 1, 0}, byte(0))
	f.Add(2, []byte{0, 0, 0, 0, 0, 1, 1, 0}, byte(7))
	f.Add(8, []byte{3, 8}, byte(1))
	f.Add(0, []byte{}, byte(3))
	f.Add(-5, []byte{0, 0}, byte(2))
	f.Fuzz(func(t *testing.T, n int, ends []byte, policy byte) {
		if n > 64 {
			t.Skip("the oracle is quadratic in n")
		}
		c := graphcase.Case{Name: "fuzz", N: n}
		inRange := n >= 0
		for i := 0; i+1 < len(ends); i += 2 {
			u, v := int32(int8(ends[i])), int32(int8(ends[i+1]))
			c.Src, c.Dst = append(c.Src, u), append(c.Dst, v)
			inRange = inRange && u >= 0 && v >= 0 && int(u) < n && int(v) < n
		}
		p := policies()[int(policy)%len(policies())]
		if _, err := graph.FromCOO(c.N, c.Src, c.Dst, nil, p); (err == nil) != inRange {
			t.Fatalf("in range: %v, error: %v", inRange, err)
		}
		if inRange {
			checkNaive(t, c, p)
		}
	})
}
