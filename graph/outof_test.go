package graph_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

// TestOutOf: the rows of its index by source are those of the block's, in the order
// that was asked for.
func TestOutOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(9, 40).Draw(t, "case")
		b := build(t, c, graph.Policy{Duplicates: graph.Keep}).LoopBlock()
		sources := []int32{}
		for _, u := range rapid.Permutation(numbers(b.Src)).Draw(t, "sources") {
			if rapid.Bool().Draw(t, "is there") {
				sources = append(sources, u)
			} else if rapid.Bool().Draw(t, "has no edges") {
				sources = append(sources, -1)
			}
		}
		got, all := b.OutOf(sources), b.Transpose()
		if !slices.Equal(got.Identities(), b.Identities()) {
			t.Fatal("its edges have other identities")
		}
		if got.Src != len(sources) || got.Dst != b.Dst || got.Edges() != b.Edges() {
			t.Fatalf("%d by %d with the positions of %d edges", got.Dst, got.Src, got.Edges())
		}
		rows := got.Transpose()
		for i, u := range sources {
			var row []int32
			var pos []uint32
			if u >= 0 {
				row, pos = all.Row[all.Ptr[u]:all.Ptr[u+1]], all.Edges()[all.Ptr[u]:all.Ptr[u+1]]
			}
			if lo, hi := rows.Ptr[i], rows.Ptr[i+1]; !slices.Equal(rows.Row[lo:hi], row) || !slices.Equal(rows.Edges()[lo:hi], pos) {
				t.Fatalf("row %d is %v at %v, want that of source %d, %v at %v", i, rows.Row[lo:hi], rows.Edges()[lo:hi], u, row, pos)
			}
		}
	})
}

func numbers(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}
