package kernel

import (
	"fmt"
	"math"
	"testing"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// TestRowsOfExchanges: what is sent, and what is added up.
func TestRowsOfExchanges(t *testing.T) {
	for i, s := range [][3]int{{0, 3, 4}, {5, 0, 1}, {7, 4, 3}, {300, 90, 17}, {900, 500, 40}, {3000, 500, 64}} {
		n, groups, k := s[0], min(s[1], 3), s[2]
		src := newSource(uint64(i))
		var index []int32
		ptr := []int{0}
		for g := range groups { // group g names every row of which the number is g mod g + 2
			for r := g; r < n; r += g + 2 {
				index = append(index, int32(r))
			}
			ptr = append(ptr, len(index))
		}
		c := len(index)
		x, z := src.uniform(n, k), src.uniform(c, k)
		rx, rz := ref.Of(x), ref.Of(z)
		picked := ref.New(c, k)
		for r, at := range index {
			copy(picked.Row(r), rx.Row(int(at)))
		}
		p, y := src.empty(c, k), src.empty(n, k)
		name := fmt.Sprintf("n=%d/k=%d", n, k)
		trial{name: name + "/collect", in: []tensor.Matrix{x}, out: []tensor.Matrix{p}, want: []ref.Matrix{picked},
			run: func(ctx *Ctx) { CollectRows(ctx, index, x, p) }, bytes: int64(4*c + 8*c*k)}.check(t)
		for f, by := range map[Folding]func(a, b float64) float64{FoldSum: func(a, b float64) float64 { return a + b }, FoldMax: math.Max, FoldMin: math.Min} {
			folded := ref.Of(x)
			for r, at := range index {
				for j, v := range rz.Row(r) {
					folded.Set(int(at), j, by(folded.At(int(at), j), v))
				}
			}
			rounds, work, bytes := 0.0, c*k, 4*c+12*c*k
			if f == FoldSum {
				rounds = 3
			} else {
				work, bytes = work+n*k, bytes+8*n*k
			}
			trial{name: fmt.Sprintf("%s/fold %d", name, f), in: []tensor.Matrix{x, z}, out: []tensor.Matrix{y}, want: []ref.Matrix{folded}, rounds: rounds,
				run: func(ctx *Ctx) {
					Copy(ctx, x, y)
					FoldRows(ctx, f, index, ptr, z, y)
				}, work: int64(work), bytes: int64(bytes + 8*n*k)}.check(t)
		}
	}
}

// TestFoldOfNothing: where every contribution is ⊕'s identity the result is 0, or stays
// open; a NaN stays.
func TestFoldOfNothing(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for f, identity := range map[Folding]float32{FoldMax: -inf, FoldMin: inf, FoldOpenMax: -inf, FoldOpenMin: inf} {
		y := tensor.Of(2, 2, []float32{identity, nan, identity, identity})
		want := float32(0)
		if f == FoldOpenMax || f == FoldOpenMin {
			want = identity
		}
		FoldRows(&Ctx{}, f, []int32{0, 0}, []int{0, 1, 2}, tensor.Of(2, 2, []float32{identity, 3, identity, identity}), y)
		if y.Data[0] != want || y.Data[1] == y.Data[1] || y.Data[2] != want || y.Data[3] != want {
			t.Errorf("folding %d: %v, want %v and NaN, and %v where nobody contributes", f, y.Data, want, want)
		}
	}
}

// TestExtremes: the largest and smallest values are those of the edges that ArgMax
// and ArgMin find.
func TestExtremes(t *testing.T) {
	for i, b := range blocks() {
		for _, end := range []End{Dst, Src} {
			for _, k := range []int{1, 3, 20} {
				n, m := vertices(b.Block, end), b.Edges()
				src := newSource(uint64(i))
				e, y := src.uniform(m, k), src.empty(n, k)
				for sign, find := range map[float64]func(*Ctx, tensor.Matrix){
					1:  func(ctx *Ctx, y tensor.Matrix) { Max(ctx, b.Block, end, -7, e, y) },
					-1: func(ctx *Ctx, y tensor.Matrix) { Min(ctx, b.Block, end, -7, e, y) },
				} {
					want := ref.New(n, k)
					incidence := ends(b.Block)[end]
					for v := range n {
						for j := range k {
							best, any := 0.0, false
							for at := range m {
								if x := float64(e.Row(at)[j]); incidence.At(at, v) != 0 && (!any || sign*x > sign*best) {
									best, any = x, true
								}
							}
							if !any {
								best = -7
							}
							want.Set(v, j, best)
						}
					}
					bytes := int64(8*(n+1) + 4*m*k + 4*n*k)
					if end == Src {
						bytes += int64(4 * m)
					}
					trial{name: fmt.Sprintf("%s/end %v/k=%d/sign %v", b.name, end, k, sign), in: []tensor.Matrix{e}, out: []tensor.Matrix{y},
						want: []ref.Matrix{want}, run: func(ctx *Ctx) { find(ctx, y) }, work: int64(m * k), bytes: bytes}.check(t)
				}
			}
		}
	}
}
