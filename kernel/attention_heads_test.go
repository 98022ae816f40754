package kernel

import (
	"fmt"
	"testing"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// Heads know nothing of each other: all together are as each by itself, for which
// there are other loops. Rows are cut, and columns take several passes.
func TestAttentionHeads(t *testing.T) {
	for _, b := range []namedBlock{hubs(false), hubs(true)} {
		for _, w := range []struct{ heads, width int }{{8, 8}, {8, 2}, {8, 3}, {8, 4}, {8, 16}, {8, 32}, {8, 40}, {2, 70}, {3, 50}, {16, 5}, {20, 8}} {
			t.Run(fmt.Sprintf("%s/heads=%d/width=%d", b.name, w.heads, w.width), func(t *testing.T) {
				k := w.heads * w.width
				src := newSource(uint64(k))
				z, g := src.uniform(b.Src, k), src.uniform(b.Dst, k)
				r, l := src.within(-3, 3, b.Src, w.heads), src.within(-3, 3, b.Dst, w.heads)
				for _, isa := range variants() {
					contexts[2].using(isa, func(ctx *Ctx) {
						all := attendAll(ctx, b, w.heads, z, r, l, g)
						for h := range w.heads {
							of := func(m tensor.Matrix, width int) tensor.Matrix { return m.Columns(h*width, (h+1)*width) }
							one := attendAll(ctx, b, 1, of(z, w.width), of(r, 1), of(l, 1), of(g, w.width))
							for i, want := range one {
								// Gradients of scores are differences of sums over some thousand edges, of
								// products of up to 70 columns.
								got := ref.Of(of(all[i], want.Cols))
								if off, limit := got.Add(ref.Of(want).Scale(-1)).MaxAbs(), 5000*unit*max(1, ref.Of(want).MaxAbs()); off > limit {
									t.Errorf("%v: result %d of head %d is %v off, want %v at most", isa, i, h, off, limit)
								}
							}
						}
					})
				}
			})
		}
	}
}

// attendAll returns what all kernels of attention compute, each result with the
// columns of the heads side by side.
func attendAll(ctx *Ctx, b namedBlock, heads int, z, r, l, g tensor.Matrix) []tensor.Matrix {
	k := z.Cols
	a := Attention{Heads: heads, Slope: 0.2}
	y, s, d := tensor.New(b.Dst, k), tensor.New(b.Dst, 4*heads), tensor.New(b.Src, k+heads)
	Attend(ctx, b.Block, a, z, r, l, y)
	AttendGradDst(ctx, b.Block, a, z, r, l, g, s)
	AttendGradSrc(ctx, b.Block, a, z, r, g, s, d)
	all := []tensor.Matrix{y, d.Columns(0, k), d.Columns(k, k+heads)}
	for i := range 4 {
		all = append(all, s.Columns(i*heads, (i+1)*heads))
	}
	return all
}

// Scores of a row may be hundreds apart, the first of them the lowest: exponentials
// neither overflow nor vanish, whatever they are taken relative to.
func TestAttentionOfFarScores(t *testing.T) {
	for _, b := range []namedBlock{hubs(false), hubs(true)} {
		for _, heads := range []int{3, 8, 17} {
			k := 2 * heads
			src := newSource(uint64(heads))
			z, g := src.uniform(b.Src, k), src.uniform(b.Dst, k)
			r, l := src.within(-3, 3, b.Src, heads), src.within(-3, 3, b.Dst, heads)
			for u := range b.Src {
				for h := range heads {
					r.Row(u)[h] += float32(u * 300 / b.Src)
				}
			}
			for _, isa := range variants() {
				contexts[2].using(isa, func(ctx *Ctx) {
					all := attendAll(ctx, b, heads, z, r, l, g)
					for h := range heads {
						of := func(m tensor.Matrix, width int) tensor.Matrix { return m.Columns(h*width, (h+1)*width) }
						one := attendAll(ctx, b, 1, of(z, 2), of(r, 1), of(l, 1), of(g, 2))
						// Scores of 300 round at 1.5e-5, which exponentials pass on.
						got, want := ref.Of(of(all[0], 2)), ref.Of(one[0])
						if off := got.Add(want.Scale(-1)).MaxAbs(); !(off < 1e-3) {
							t.Errorf("%s, %v: head %d of %d is %v off, want less than 1e-3", b.name, isa, h, heads, off)
						}
					}
				})
			}
		}
	}
}
