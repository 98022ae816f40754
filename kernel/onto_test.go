package kernel

import (
	"fmt"
	"testing"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// set copies from to y, uncounted.
func set(y, from tensor.Matrix) {
	for i := range y.Rows {
		copy(y.Row(i), from.Row(i))
	}
}

// TestAggregateOnto: pieces of a block add up to its sums by source, whatever
// was there before.
func TestAggregateOnto(t *testing.T) {
	for i, b := range blocks() {
		in := ends(b.Block)[Src]
		for _, k := range []int{0, 1, 3, 8, 70} {
			for _, rows := range []int{1, 3, b.Dst} {
				m := b.Edges()
				src := newSource(uint64(i))
				e, start, y := src.uniform(m, k), src.uniform(b.Src, k), src.empty(b.Src, k)
				trial{
					name: fmt.Sprintf("%s/k=%d/by %d rows", b.name, k, rows),
					in:   []tensor.Matrix{e, start}, out: []tensor.Matrix{y},
					run: func(ctx *Ctx) {
						set(y, start)
						for lo := 0; lo < b.Dst; lo += rows {
							hi := min(lo+rows, b.Dst)
							AggregateOnto(ctx, b.Cut(lo, hi), e.Between(int(b.Ptr[lo]), int(b.Ptr[hi])), y)
						}
					},
					want:   []ref.Matrix{ref.Of(start).Add(in.T().Mul(ref.Of(e)))},
					rounds: sumRounds(b.Block, Src) + 1, work: int64(m * k), bytes: int64(8*m + 12*m*k),
				}.check(t)
			}
		}
	}
}

// TestSumsOnto: sums over rows, a piece of them after the other.
func TestSumsOnto(t *testing.T) {
	for i, s := range [][3]int{{0, 3, 4}, {5, 1, 1}, {5, 4, 3}, {3000, 7, 2}, {2500, 40, 24}} {
		n, a, h := s[0], s[1]*s[2], s[2]
		src := newSource(uint64(i))
		x, g, c := src.uniform(n, a), src.uniform(n, 5), src.uniform(n, h)
		for _, k := range []struct {
			name  string
			start tensor.Matrix
			run   func(ctx *Ctx, lo, hi int, y tensor.Matrix)
			want  ref.Matrix
			work  int
			reads int // values of a row
		}{
			{"MatMulTN", src.uniform(a, 5), func(ctx *Ctx, lo, hi int, y tensor.Matrix) {
				MatMulTNOnto(ctx, x.Between(lo, hi), g.Between(lo, hi), y)
			}, ref.Of(x).T().Mul(ref.Of(g)), 2 * n * a * 5, a + 5},
			{"ColumnSum", src.uniform(1, a), func(ctx *Ctx, lo, hi int, y tensor.Matrix) {
				ColumnSumOnto(ctx, x.Between(lo, hi), y)
			}, ref.Full(1, n, 1).Mul(ref.Of(x)), n * a, a},
			{"HeadSumVec", src.uniform(1, a), func(ctx *Ctx, lo, hi int, y tensor.Matrix) {
				HeadSumVecOnto(ctx, x.Between(lo, hi), c.Between(lo, hi), y)
			}, ref.Full(1, n, 1).Mul(ref.Of(x).Had(ref.Of(c).Mul(ref.Heads(h, a)))), 2 * n * a, a + h},
			{"Dot", src.uniform(1, 1), func(ctx *Ctx, lo, hi int, y tensor.Matrix) {
				DotOnto(ctx, x.Between(lo, hi), x.Between(lo, hi), y)
			}, ref.Full(1, n, 1).Mul(ref.Of(x).Had(ref.Of(x))).Mul(ref.Full(a, 1, 1)), 2 * n * a, 2 * a},
		} {
			y := src.empty(k.start.Rows, k.start.Cols)
			const pieces = 3
			trial{
				name: fmt.Sprintf("%s/%v", k.name, s),
				in:   []tensor.Matrix{x, g, c, k.start}, out: []tensor.Matrix{y},
				run: func(ctx *Ctx) {
					set(y, k.start)
					for p := range pieces {
						k.run(ctx, n*p/pieces, n*(p+1)/pieces, y)
					}
				},
				want:   []ref.Matrix{ref.Of(k.start).Add(k.want)},
				rounds: float64(2*n + 4*pieces), work: int64(k.work),
				bytes: 4 * int64(n*k.reads+2*pieces*y.Rows*y.Cols),
			}.check(t)
		}
	}
}
