package kernel

import (
	"fmt"
	"testing"

	"github.com/weft-gnn/weft/internal/cpu"
	"github.com/weft-gnn/weft/tensor"
)

// apart returns a matrix of the same values whose rows begin at an odd number of
// cache lines from each other.
func apart(m tensor.Matrix) tensor.Matrix {
	stride := (m.Cols + lineValues - 1) / lineValues * lineValues
	if stride/lineValues%2 == 0 {
		stride += lineValues
	}
	v := tensor.Matrix{Rows: m.Rows, Cols: m.Cols, Stride: stride, Data: make([]float32, m.Rows*stride)}
	for i := range m.Rows {
		copy(v.Row(i), m.Row(i))
	}
	return v
}

// TestSpMMByBands: sums over a band of columns at a time have the bits, tails
// included, the work and the bytes of sums over whole rows: with weights and
// without, at both ends, of hubs that are cut, and of rows that go by ranges too.
func TestSpMMByBands(t *testing.T) {
	for _, c := range []struct{ n, degree, k int }{{9000, 2, 128}, {9000, 2, 200}, {5300, 70, 256}} {
		b := crowded(c.n, c.degree)
		src := newSource(uint64(c.k))
		x, weight := src.uniform(c.n, c.k), src.uniform(b.Edges(), 1)
		bias, scale := src.uniform(1, c.k), src.uniform(c.n, 1)
		wide := apart(x)
		for _, end := range []End{Dst, Src} {
			for _, w := range []tensor.Matrix{{}, weight} {
				want, got := src.empty(c.n, c.k), apart(src.empty(c.n, c.k))
				sum := func(ctx *Ctx, x, y tensor.Matrix) {
					ctx.Count.Reset()
					ctx.Then(TailStep{Kind: ScaleRows, X: scale})
					ctx.Then(TailStep{Kind: AddRow, X: bias})
					ctx.Then(TailStep{Kind: DropValues, Mask: Mask{P: 0.25, Site: 3}})
					SpMM(ctx, b, end, w, x, y)
				}
				for _, isa := range variants() {
					for i, ctx := range contexts {
						ctx.using(isa, func(ctx *Ctx) {
							name := fmt.Sprintf("%+v, %v, %d weights, %v, %d threads", c, end, w.Cols, isa, threadCounts[i])
							if bands := ctx.band(wide, got, int64(w.Cols)) < wide.Cols; bands != (isa != cpu.Generic) {
								t.Fatalf("%s: by bands is %v", name, bands)
							}
							sum(ctx, x, want)
							wantWork, wantBytes := ctx.Count.Read()
							sum(ctx, wide, got)
							if !got.Equal(want) {
								t.Errorf("%s: other bits than over whole rows", name)
							}
							if work, bytes := ctx.Count.Read(); work != wantWork || bytes != wantBytes {
								t.Errorf("%s: counts work %d and bytes %d, want %d and %d", name, work, bytes, wantWork, wantBytes)
							}
						})
					}
				}
			}
		}
	}
}
