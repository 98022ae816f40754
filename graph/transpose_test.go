package graph_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

// checkTranspose compares with a stable sort of the edges by source, and
// transposes back.
func checkTranspose(t failer, b *graph.Block) {
	t.Helper()
	type edge struct {
		src, dst int32
		pos      uint32
	}
	want := []edge{}
	for v := range b.Dst {
		for i := b.Ptr[v]; i < b.Ptr[v+1]; i++ {
			want = append(want, edge{b.Col[i], int32(v), uint32(i)})
		}
	}
	slices.SortStableFunc(want, func(x, y edge) int { return int(x.src) - int(y.src) })
	tr := b.Transpose()
	got := []edge{}
	for u := range b.Src {
		for i := tr.Ptr[u]; i < tr.Ptr[u+1]; i++ {
			got = append(got, edge{int32(u), tr.Row[i], tr.Edges()[i]})
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	// Destinations need not be a prefix of the sources here, hence the square block.
	side := max(b.Dst, b.Src)
	ptr := append(slices.Clone(tr.Ptr), slices.Repeat([]int64{int64(len(b.Col))}, side-b.Src)...)
	twice := (&graph.Block{Dst: side, Src: side, Ptr: ptr, Col: tr.Row}).Transpose()
	if !slices.Equal(twice.Ptr[:b.Dst+1], b.Ptr) || !slices.Equal(twice.Row, b.Col) {
		t.Fatalf("transposed twice: got %v %v, want %v %v", twice.Ptr, twice.Row, b.Ptr, b.Col)
	}
}

// A symmetric block is its own index, one that is not has another.
func checkSymmetry(t failer, b *graph.Block) {
	t.Helper()
	d, want := dense(b), true
	for v, row := range d {
		for u, edges := range row {
			want = want && edges == d[u][v]
		}
	}
	tr := b.Transpose()
	alias := len(b.Col) == 0 || &tr.Row[0] == &b.Col[0]
	if got := b.Symmetric(); got != want || got != (alias && &tr.Ptr[0] == &b.Ptr[0]) {
		t.Fatalf("symmetric: %v, want %v; index shared: %v", got, want, alias)
	}
}

func TestSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(5, 12).Draw(t, "case")
		if rapid.Bool().Draw(t, "both ways") {
			c.Src, c.Dst = append(slices.Clone(c.Src), c.Dst...), append(slices.Clone(c.Dst), c.Src...)
			c.Weight = append(slices.Clone(c.Weight), c.Weight...)
		}
		g := build(t, c, graph.Policy{Duplicates: graph.Keep})
		for _, b := range []*graph.Block{g.Block(), g.LoopBlock()} {
			checkSymmetry(t, b)
			checkTranspose(t, b)
		}
	})
}

// TestSymmetricWeights: an edge and its reverse are to have one weight, and both to be
// there.
func TestSymmetricWeights(t *testing.T) {
	for _, c := range []struct {
		name     string
		src, dst []int32
		weight   []float32
		want     bool
	}{
		{"both ways", []int32{0, 1, 1, 2}, []int32{1, 0, 2, 1}, []float32{3, 3, 5, 5}, true},
		{"without weights", []int32{0, 1, 2}, []int32{1, 0, 2}, nil, true},
		{"weights of the ways differ", []int32{0, 1, 1, 2}, []int32{1, 0, 2, 1}, []float32{3, 3, 5, 4}, false},
		{"one way", []int32{0, 1}, []int32{1, 2}, nil, false},
		{"a loop weighs what it likes", []int32{0, 1, 1}, []int32{1, 0, 1}, []float32{3, 3, -7}, true},
		{"parallel edges", []int32{0, 0, 1, 1}, []int32{1, 1, 0, 0}, []float32{1, 2, 1, 2}, true},
		{"parallel edges in another order", []int32{0, 0, 1, 1}, []int32{1, 1, 0, 0}, []float32{1, 2, 2, 1}, false},
	} {
		g, err := graph.FromCOO(3, c.src, c.dst, c.weight, graph.Policy{Duplicates: graph.Keep})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range []*graph.Block{g.Block(), g.LoopBlock()} {
			if got := b.SymmetricWeights(); got != c.want {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}
	}
}

func TestTransposeCases(t *testing.T) {
	eachCase(t, func(t *testing.T, c graphcase.Case, p graph.Policy) {
		g := build(t, c, p)
		for _, b := range []*graph.Block{g.Block(), g.LoopBlock()} {
			checkTranspose(t, b)
			checkSymmetry(t, b)
		}
	})
}

// A sampled hop has more sources than destinations.
func TestTransposeBipartite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(9, 40).Draw(t, "case")
		g := build(t, c, graph.Policy{Duplicates: graph.Keep})
		dst := rapid.IntRange(0, c.N).Draw(t, "destinations")
		b := &graph.Block{Dst: dst, Src: c.N, Ptr: g.Ptr[:dst+1], Col: g.Src[:g.Ptr[dst]]}
		if err := b.Validate(); err != nil {
			t.Fatal(err)
		}
		checkTranspose(t, b)
	})
}

// ⟨Ax, y⟩ = ⟨x, Aᵀy⟩, exactly, in integers.
func TestTransposeIsAdjoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(9, 40).Draw(t, "case")
		b := build(t, c, graph.Policy{Duplicates: graph.Keep}).Block()
		vector := rapid.SliceOfN(rapid.IntRange(-9, 9), b.Src, b.Src)
		x, y := vector.Draw(t, "x"), vector.Draw(t, "y")
		tr := b.Transpose()
		left, right := 0, 0
		for v := range b.Dst {
			for _, u := range b.Col[b.Ptr[v]:b.Ptr[v+1]] {
				left += x[u] * y[v]
			}
		}
		for u := range b.Src {
			for _, v := range tr.Row[tr.Ptr[u]:tr.Ptr[u+1]] {
				right += x[u] * y[v]
			}
		}
		if left != right {
			t.Fatalf("⟨Ax,y⟩ = %d, ⟨x,Aᵀy⟩ = %d", left, right)
		}
	})
}

// TestTransposeByPlace: destinations under other numbers, of which it is said where they
// stand, are named in the same order, and their edges with them.
func TestTransposeByPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(9, 40).Draw(t, "case")
		b := build(t, c, graph.Policy{Duplicates: graph.Keep}).LoopBlock()
		number := rapid.Permutation(numbers(b.Dst)).Draw(t, "numbers")
		other, from := renumbered(b, number)
		if other.Symmetric() {
			t.Fatal("an end numbered in its own way is said to mirror the other")
		}
		want := b.Transpose()
		checkRow := func(got *graph.Transposed, first int) {
			for u := range len(got.Ptr) - 1 {
				at := want.Ptr[first+u]
				if got.Ptr[u+1]-got.Ptr[u] != want.Ptr[first+u+1]-at {
					t.Fatalf("source %d has %d edges", first+u, got.Ptr[u+1]-got.Ptr[u])
				}
				for i := got.Ptr[u]; i < got.Ptr[u+1]; i, at = i+1, at+1 {
					if got.Row[i] != number[want.Row[at]] || from[got.Edges()[i]] != int64(want.Edges()[at]) {
						t.Fatalf("source %d names %d by edge %d, want %d", first+u, got.Row[i], from[got.Edges()[i]], number[want.Row[at]])
					}
				}
			}
		}
		checkRow(other.Transpose(), 0)
		lo := rapid.IntRange(0, b.Src).Draw(t, "first source")
		checkRow(other.OutOf(lo, b.Src).Transpose(), lo)
		width := rapid.IntRange(1, b.Dst+1).Draw(t, "width")
		if got := other.Transpose().Ranges(b.Dst, width); !reflect.DeepEqual(got, want.Ranges(b.Dst, width)) {
			t.Fatalf("rows are divided at %v, want %v", got.At, want.Ranges(b.Dst, width).At)
		}
	})
}

// renumbered returns a block whose destinations have other numbers, and which edge of
// the first each of its edges was.
func renumbered(b *graph.Block, number []int32) (c *graph.Block, from []int64) {
	c = &graph.Block{Dst: b.Dst, Src: b.Src, Ptr: []int64{0}, DstPlace: make([]int32, b.Dst)}
	for v, n := range number {
		c.DstPlace[n] = int32(v)
	}
	for _, v := range c.DstPlace {
		for e := b.Ptr[v]; e < b.Ptr[v+1]; e++ {
			c.Col, from = append(c.Col, b.Col[e]), append(from, e)
		}
		c.Ptr = append(c.Ptr, int64(len(c.Col)))
	}
	return c, from
}
