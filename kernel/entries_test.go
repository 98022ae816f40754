package kernel

import (
	"testing"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// dense is a sparse matrix of the given entries, by incidences: Dᵀ·diag(x)·S.
func dense(b namedBlock, x ref.Matrix) ref.Matrix {
	return ref.Destinations(b.Block).T().Mul(ref.Sources(b.Block).Had(x.Mul(ref.Full(1, b.Src, 1))))
}

func TestEntries(t *testing.T) {
	for i, b := range blocks() {
		src := newSource(uint64(i))
		z := b.Edges()
		x, y, d := src.uniform(z, 1), src.empty(z, 1), src.empty(b.Dst, b.Src)
		trial{
			name: "Densify/" + b.name,
			in:   []tensor.Matrix{x}, out: []tensor.Matrix{d},
			run:    func(ctx *Ctx) { Densify(ctx, b.Block, x, d) },
			want:   []ref.Matrix{dense(b, ref.Of(x))},
			rounds: sumRounds(b.Block, Dst), bytes: int64(8*(b.Dst+1) + 8*z + 4*b.Dst*b.Src),
		}.check(t)
		for _, ids := range [][]int64{nil, spacedIDs(b.Dst)} {
			// Each entry keeps or loses its value as its place in the whole does.
			place := ref.Destinations(b.Block).Mul(kept(testMask(0.4), ids, b.Dst, b.Src)).Had(ref.Sources(b.Block))
			trial{
				name: "DropoutEntries/" + b.name,
				in:   []tensor.Matrix{x}, out: []tensor.Matrix{y},
				run:    func(ctx *Ctx) { DropoutEntries(ctx, testMask(0.4), b.Block, ids, x, y) },
				want:   []ref.Matrix{place.Mul(ref.Full(b.Src, 1, 1)).Had(ref.Of(x))},
				rounds: 3, work: int64(2 * z), bytes: int64(8 * z),
			}.check(t)
		}
	}
}

func spacedIDs(n int) (ids []int64) {
	for i := range n {
		ids = append(ids, int64(i)*int64(i)<<33+5)
	}
	return ids
}
