package graph_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

// TestRanges: the ranges of a row follow each other, cover it, and name their own
// vertices only.
func TestRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(12, 40).Draw(t, "case")
		g := build(t, c, rapid.SampledFrom(policies()).Draw(t, "policy"))
		width := rapid.IntRange(1, g.N+2).Draw(t, "width")
		in := g.Block()
		checkRanges(t, in.Ranges(width), in.Ptr, in.Col, width)
		out := in.Transpose()
		checkRanges(t, out.Ranges(in.Dst, width), out.Ptr, out.Row, width)
		if first := in.Ranges(width); in.Ranges(width) != first {
			t.Error("ranges are made anew")
		}
		checkPlaces(t, in, in.Ranges(width))
	})
}

func checkRanges(t *rapid.T, c *graph.Ranges, ptr []int64, other []int32, width int) {
	for r := range len(ptr) - 1 {
		if first, last := c.At[0][r], c.At[len(c.At)-1][r]; first != ptr[r] || last != ptr[r+1] {
			t.Fatalf("row %d goes from %d to %d, want %d to %d", r, first, last, ptr[r], ptr[r+1])
		}
		for i := range len(c.At) - 1 {
			for p := c.At[i][r]; p < c.At[i+1][r]; p++ {
				if int(other[p])/width != i {
					t.Fatalf("row %d, range %d of %d vertices holds vertex %d", r, i, width, other[p])
				}
			}
			if c.At[i][r] > c.At[i+1][r] {
				t.Fatalf("row %d: range %d ends before it begins", r, i)
			}
		}
	}
}

// checkPlaces: sources under other numbers, of which it is said where they stand, have
// the same ranges.
func checkPlaces(t *rapid.T, b *graph.Block, want *graph.Ranges) {
	number := rapid.Permutation(numbers(b.Src)).Draw(t, "numbers")
	c := &graph.Block{Dst: b.Dst, Src: b.Src, Ptr: b.Ptr, Col: make([]int32, len(b.Col)), Place: make([]int32, b.Src)}
	for u, n := range number {
		c.Place[n] = int32(u)
	}
	for e, u := range b.Col {
		c.Col[e] = number[u]
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	if got := c.Ranges(want.Width); !reflect.DeepEqual(got, want) {
		t.Fatalf("under the numbers %v rows are divided at %v, want %v", number, got.At, want.At)
	}
}

func numbers(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}
