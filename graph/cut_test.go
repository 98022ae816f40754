package graph_test

import (
	"slices"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
)

// TestCut: the pieces of a block, one after the other, are the block, and every
// edge has the identity that it has there.
func TestCut(t *testing.T) {
	eachCase(t, func(t *testing.T, c graphcase.Case, p graph.Policy) {
		g := build(t, c, p)
		for _, b := range []*graph.Block{g.Block(), g.LoopBlock()} {
			for _, rows := range []int{1, 2, b.Dst + 1} {
				checkPieces(t, b, rows)
			}
		}
	})
}

func checkPieces(t *testing.T, b *graph.Block, rows int) {
	t.Helper()
	at := 0
	for lo := 0; lo < b.Dst; lo += rows {
		hi := min(lo+rows, b.Dst)
		c := b.Cut(lo, hi)
		if c.Dst != hi-lo || c.Src != b.Src || len(c.Ptr) != c.Dst+1 || c.Ptr[0] != 0 || int(c.Ptr[c.Dst]) != c.Edges() {
			t.Fatalf("rows %d to %d: %d by %d, offsets %v", lo, hi, c.Dst, c.Src, c.Ptr)
		}
		for v := range c.Dst {
			if c.InDegree(v) != b.InDegree(lo+v) {
				t.Fatalf("row %d has %d edges, want %d", lo+v, c.InDegree(v), b.InDegree(lo+v))
			}
		}
		for e := range c.Edges() {
			if c.Col[e] != b.Col[at+e] || identity(c, e) != identity(b, at+e) || b.Weight != nil && c.Weight[e] != b.Weight[at+e] {
				t.Fatalf("edge %d is edge %d of a piece from %d, source %d, identity %d", at+e, e, lo, c.Col[e], identity(c, e))
			}
		}
		at += c.Edges()
	}
	if at != b.Edges() {
		t.Fatalf("the pieces have %d edges of %d", at, b.Edges())
	}
}

func identity(b *graph.Block, e int) int64 {
	if ids := b.Identities(); ids != nil {
		return ids[e]
	}
	return b.First + int64(e)
}

// TestSourceOrder is that of the transposed index.
func TestSourceOrder(t *testing.T) {
	eachCase(t, func(t *testing.T, c graphcase.Case, p graph.Policy) {
		g := build(t, c, p)
		for _, b := range []*graph.Block{g.Block(), g.LoopBlock()} {
			if got, want := b.SourceOrder(), b.Transpose().Edges(); !slices.Equal(got, want) {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	})
}
