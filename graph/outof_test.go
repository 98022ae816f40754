package graph_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

// TestOutOf: the rows of its index by source are those of the block's.
func TestOutOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(9, 40).Draw(t, "case")
		b := build(t, c, graph.Policy{Duplicates: graph.Keep}).LoopBlock()
		lo := rapid.IntRange(0, b.Src).Draw(t, "first source")
		hi := rapid.IntRange(lo, b.Src).Draw(t, "behind the last")
		got, all := b.OutOf(lo, hi), b.Transpose()
		if !slices.Equal(got.Identities(), b.Identities()) {
			t.Fatal("its edges have other identities")
		}
		if got.Src != hi-lo || got.Dst != b.Dst || got.Edges() != b.Edges() {
			t.Fatalf("%d by %d with the positions of %d edges", got.Dst, got.Src, got.Edges())
		}
		rows := got.Transpose()
		for i := range hi - lo {
			from, to := all.Ptr[lo+i], all.Ptr[lo+i+1]
			row, pos := all.Row[from:to], all.Edges()[from:to]
			if lo, hi := rows.Ptr[i], rows.Ptr[i+1]; !slices.Equal(rows.Row[lo:hi], row) || !slices.Equal(rows.Edges()[lo:hi], pos) {
				t.Fatalf("row %d is %v at %v, want that of source %d, %v at %v", i, rows.Row[lo:hi], rows.Edges()[lo:hi], i, row, pos)
			}
		}
	})
}
