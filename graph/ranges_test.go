package graph_test

import (
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
