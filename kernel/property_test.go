package kernel

import (
	"math"
	"testing"

	"github.com/weft-gnn/weft/internal/graphcase"
	"github.com/weft-gnn/weft/tensor"
	"pgregory.net/rapid"
)

// Renaming the vertices renames the rows of a layer's result: attention over
// the edges, aggregation and the winners, to rounding, since a row's edges are
// then added in another order.
func TestRenamingVerticesRenamesRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := graphcase.Random(30, 120).Draw(t, "graph")
		name := rapid.Permutation(identity(c.N)).Draw(t, "names")
		k := rapid.IntRange(1, 9).Draw(t, "columns")
		x := newSource(uint64(len(c.Src))).uniform(c.N, k)
		from, to := make([]int32, len(c.Src)), make([]int32, len(c.Src))
		renamed := tensor.New(c.N, k)
		for e := range c.Src {
			from[e], to[e] = name[c.Src[e]], name[c.Dst[e]]
		}
		for v, w := range name {
			copy(renamed.Row(int(w)), x.Row(v))
		}
		plain := attend(c.N, c.Src, c.Dst, x)
		other := attend(c.N, from, to, renamed)
		for v, w := range name {
			for j, want := range plain.Row(v) {
				// Up to 120 edges of weights that sum to 1, and a maximum.
				if got := other.Row(int(w))[j]; math.Abs(float64(got-want)) > 256*unit {
					t.Fatalf("vertex %d, called %d, column %d: %v, want %v", v, w, j, got, want)
				}
			}
		}
	})
}

func identity(n int) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(i)
	}
	return ids
}

// attend returns, side by side, softmax attention with dot-product scores and
// the largest neighbouring value.
func attend(n int, from, to []int32, x tensor.Matrix) tensor.Matrix {
	ctx := contexts[1]
	b := blockOf(n, n, from, to)
	score, edges := tensor.New(b.Edges(), 1), tensor.New(b.Edges(), x.Cols)
	y := tensor.New(n, 2*x.Cols)
	sum, top := y.Columns(0, x.Cols), y.Columns(x.Cols, 2*x.Cols)
	EdgeDot(ctx, b, x, x, score)
	EdgeSoftmax(ctx, b, score, score)
	SpMM(ctx, b, Dst, score, x, sum)
	Scatter(ctx, b, Src, x, edges)
	ArgMax(ctx, b, Dst, edges, top)
	Pick(ctx, top, edges, top)
	return y
}
