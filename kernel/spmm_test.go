package kernel

import (
	"fmt"
	"testing"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// widths are columns on both sides of every unrolling; heads that divide them.
var widths = []struct{ k, heads int }{{1, 1}, {2, 2}, {3, 1}, {4, 4}, {6, 3}, {9, 1}, {16, 8}}

func TestSpMM(t *testing.T) {
	for i, b := range blocks() {
		for end, in := range ends(b.Block) {
			other := ends(b.Block)[end.other()]
			for _, w := range widths {
				k, m := w.k, b.Edges()
				nEnd, nOther := vertices(b.Block, end), vertices(b.Block, end.other())
				src := newSource(uint64(i))
				x, y := src.uniform(nOther, k), src.empty(nEnd, k)
				weight := src.uniform(m, w.heads)
				bytes := structure(b.Block, end) + int64(4*m+4*m*k+4*nEnd*k)
				trial{
					name: fmt.Sprintf("%s/%v/k=%d", b.name, end, k),
					in:   []tensor.Matrix{x}, out: []tensor.Matrix{y},
					run:    func(ctx *Ctx) { SpMM(ctx, b.Block, end, tensor.Matrix{}, x, y) },
					want:   []ref.Matrix{in.T().Mul(other.Mul(ref.Of(x)))},
					rounds: sumRounds(b.Block, end), work: int64(m * k), bytes: bytes,
				}.check(t)
				spread := ref.Of(weight).Mul(ref.Heads(w.heads, k))
				trial{
					name: fmt.Sprintf("%s/%v/k=%d/heads=%d", b.name, end, k, w.heads),
					in:   []tensor.Matrix{x, weight}, out: []tensor.Matrix{y},
					run:    func(ctx *Ctx) { SpMM(ctx, b.Block, end, weight, x, y) },
					want:   []ref.Matrix{in.T().Mul(other.Mul(ref.Of(x)).Had(spread))},
					rounds: 2 * sumRounds(b.Block, end), work: int64(2 * m * k),
					bytes: bytes + int64(4*m*w.heads) + ifSrc(end, 4*m),
				}.check(t)
			}
		}
	}
}

// ⟨AX, G⟩ = ⟨X, AᵀG⟩, so that each end is the gradient of the other.
func TestSpMMIsAdjoint(t *testing.T) {
	for i, b := range blocks() {
		src := newSource(uint64(i))
		x, g, w := src.uniform(b.Src, 6), src.uniform(b.Dst, 6), src.uniform(b.Edges(), 2)
		y, d := tensor.New(b.Dst, 6), tensor.New(b.Src, 6)
		SpMM(contexts[1], b.Block, Dst, w, x, y)
		SpMM(contexts[1], b.Block, Src, w, g, d)
		// Each of the m·k terms is off by a few roundings; they mostly cancel.
		if got, want := dot64(y, g), dot64(x, d); !near(got, want, float64(b.Edges()+1)*6*unit) {
			t.Errorf("%s: ⟨Ax, g⟩ = %v, ⟨x, Aᵀg⟩ = %v", b.name, got, want)
		}
	}
}

// A row is summed from its first edge, and a row that is cut from its own
// start: where other rows lie, and which pieces they share, cannot change it.
func TestSpMMOrderOfSums(t *testing.T) {
	b := hubs(false)
	x := tensor.New(b.Src, 1)
	for u := range b.Src {
		// Sums of these depend on their order.
		x.Row(u)[0] = []float32{1e8, 1, -1e8, 3, 1e-8, -7, 1e8, 0.25, -1e8, 5, 2}[u]
	}
	y := tensor.New(b.Dst, 1)
	SpMM(contexts[1], b.Block, Dst, tensor.Matrix{}, x, y)
	for v := range b.Dst {
		var want float32
		row := b.Col[b.Ptr[v]:b.Ptr[v+1]]
		for len(row) > 0 {
			n := min(len(row), chunkEdges)
			var sum float32
			for _, u := range row[:n] {
				sum += x.Row(int(u))[0]
			}
			want, row = want+sum, row[n:]
		}
		if got := y.Row(v)[0]; got != want {
			t.Errorf("row %d of %d edges is %v, want %v", v, b.Ptr[v+1]-b.Ptr[v], got, want)
		}
	}
}

func TestSpMMSpreadsNaNToNeighboursOnly(t *testing.T) {
	b := blockOf(3, 3, []int32{0, 1, 2, 2}, []int32{0, 0, 1, 2})
	y := tensor.New(3, 1)
	SpMM(contexts[0], b, Dst, mat(4, 1, 0, 1, 1, 1), mat(3, 1, nan32, 1, 2), y)
	if !isNaN(y.Data[0]) || y.Data[1] != 2 || y.Data[2] != 2 {
		t.Errorf("got %v, want NaN 2 2: the zero weight is not skipped, the others not touched", y.Data)
	}
}

func BenchmarkSpMM(b *testing.B) {
	g := benchBlock(1<<15, 14)
	for _, k := range []int{16, 64, 256} {
		for _, heads := range []int{0, 1, 8} {
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("graph=skewed15/k=%d/heads=%d/threads=%d", k, heads, threads), func(b *testing.B) {
					src := newSource(1)
					x, y := src.uniform(g.Src, k), src.empty(g.Dst, k)
					var w tensor.Matrix
					if heads > 0 {
						w = src.uniform(g.Edges(), heads)
					}
					ctx := &Ctx{Pool: NewPool(threads)}
					defer ctx.Pool.Close()
					for b.Loop() {
						SpMM(ctx, g, Dst, w, x, y)
					}
					reportRate(b, ctx)
				})
			}
		}
	}
}
