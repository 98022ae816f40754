package kernel

import (
	"fmt"
	"math"
	"testing"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// either is row from of x, or row −1−from of z.
func either(x, z ref.Matrix, from int32) []float64 {
	if from < 0 {
		return z.Row(int(-1 - from))
	}
	return x.Row(int(from))
}

// TestRowsOfExchanges: what is sent, what is put together and what is added up.
func TestRowsOfExchanges(t *testing.T) {
	for i, s := range [][3]int{{0, 3, 4}, {5, 0, 1}, {7, 4, 3}, {300, 90, 17}, {3000, 500, 64}} {
		n, halo, k := s[0], s[1], s[2]
		src := newSource(uint64(i))
		x, z := src.uniform(n, k), src.uniform(halo, k)
		rx, rz := ref.Of(x), ref.Of(z)
		var index, from []int32
		ptr := []int64{0}
		for r := range n { // row r has r mod 4 contributions, now of x, now of z
			for c := range r % 4 {
				at := int32((r*3 + c*7) % n)
				if halo > 0 && (r+c)%3 == 0 {
					at = int32(-1 - (r+c)%halo)
				}
				from = append(from, at)
			}
			ptr = append(ptr, int64(len(from)))
			index = append(index, int32((r*5)%n))
		}
		picked, merged := ref.New(n, k), ref.New(len(from), k)
		for r, at := range index {
			copy(picked.Row(r), rx.Row(int(at)))
		}
		for r, at := range from {
			copy(merged.Row(r), either(rx, rz, at))
		}
		y, m := src.empty(n, k), src.empty(len(from), k)
		name := fmt.Sprintf("n=%d/k=%d", n, k)
		trial{name: name + "/collect", in: []tensor.Matrix{x}, out: []tensor.Matrix{y}, want: []ref.Matrix{picked},
			run: func(ctx *Ctx) { CollectRows(ctx, index, x, y) }, bytes: int64(4*n + 8*n*k)}.check(t)
		trial{name: name + "/merge", in: []tensor.Matrix{x, z}, out: []tensor.Matrix{m}, want: []ref.Matrix{merged},
			run: func(ctx *Ctx) { MergeRows(ctx, from, x, z, m) }, bytes: int64(4*len(from) + 8*len(from)*k)}.check(t)
		for f, by := range map[Folding]func(a, b float64) float64{FoldSum: func(a, b float64) float64 { return a + b }, FoldMax: math.Max, FoldMin: math.Min} {
			folded := ref.New(n, k)
			for r := range n {
				for p := ptr[r]; p < ptr[r+1]; p++ {
					for j, v := range either(rx, rz, from[p]) {
						if p > ptr[r] {
							v = by(folded.At(r, j), v)
						}
						folded.Set(r, j, v)
					}
				}
			}
			rounds := 0.0
			if f == FoldSum {
				rounds = 3
			}
			trial{name: fmt.Sprintf("%s/fold %d", name, f), in: []tensor.Matrix{x, z}, out: []tensor.Matrix{y}, want: []ref.Matrix{folded}, rounds: rounds,
				run: func(ctx *Ctx) { FoldRows(ctx, f, ptr, from, x, z, y) }, work: int64(len(from) * k), bytes: int64(8*(n+1) + 4*len(from) + 4*len(from)*k + 4*n*k)}.check(t)
		}
	}
}

// TestFoldOfNothing: where every contribution is ⊕'s identity the result is 0, as
// where there is none; a NaN stays.
func TestFoldOfNothing(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for f, identity := range map[Folding]float32{FoldMax: -inf, FoldMin: inf} {
		x := tensor.Of(2, 2, []float32{identity, nan, identity, 3})
		y := tensor.New(1, 2)
		FoldRows(&Ctx{}, f, []int64{0, 2}, []int32{0, 1}, x, tensor.New(0, 2), y)
		if y.Data[0] != 0 || y.Data[1] == y.Data[1] {
			t.Errorf("folding %d: %v, want 0 and NaN", f, y.Data)
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
