package kernel

import (
	"fmt"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// benchBlock is a skewed graph of n vertices (a power of two) and n·degree arcs.
func benchBlock(n, degree int) *graph.Block {
	src := newSource(uint64(n))
	pick := func() int32 {
		u := src.Float32()
		return int32(u * src.Float32() * float32(n))
	}
	from, to := make([]int32, n*degree), make([]int32, n*degree)
	for i := range from {
		from[i], to[i] = pick(), pick()
	}
	return blockOf(n, n, from, to)
}

// reportRate reports what the counters of all iterations come to per second.
func reportRate(b *testing.B, ctx *Ctx) {
	work, bytes := ctx.Count.Read()
	b.ReportMetric(float64(work)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
	b.ReportMetric(float64(bytes)/float64(b.Elapsed().Nanoseconds()), "GB/s")
}

func TestScatterAndAggregate(t *testing.T) {
	for i, b := range blocks() {
		for end, in := range ends(b.Block) {
			for _, k := range []int{0, 1, 3, 8, 70} {
				m, n := b.Edges(), vertices(b.Block, end)
				src := newSource(uint64(i))
				x, e, y, z := src.uniform(n, k), src.uniform(m, k), src.empty(m, k), src.empty(n, k)
				bytes := int64(4*m + 8*m*k)
				if end == Dst {
					bytes = structure(b.Block, Dst) + int64(4*n*k+4*m*k)
				}
				trial{
					name: fmt.Sprintf("Scatter/%s/%v/k=%d", b.name, end, k),
					in:   []tensor.Matrix{x}, out: []tensor.Matrix{y},
					run:  func(ctx *Ctx) { Scatter(ctx, b.Block, end, x, y) },
					want: []ref.Matrix{in.Mul(ref.Of(x))}, bytes: bytes,
				}.check(t)
				trial{
					name: fmt.Sprintf("Aggregate/%s/%v/k=%d", b.name, end, k),
					in:   []tensor.Matrix{e}, out: []tensor.Matrix{z},
					run:    func(ctx *Ctx) { Aggregate(ctx, b.Block, end, e, z) },
					want:   []ref.Matrix{in.T().Mul(ref.Of(e))},
					rounds: sumRounds(b.Block, end), work: int64(m * k),
					bytes: structure(b.Block, end) + int64(4*m*k+4*n*k) + ifSrc(end, 4*m),
				}.check(t)
			}
		}
	}
}

func TestEdgeAdd(t *testing.T) {
	for i, b := range blocks() {
		for _, k := range []int{0, 1, 5} {
			m := b.Edges()
			src := newSource(uint64(i))
			x, y, z := src.uniform(b.Src, k), src.uniform(b.Dst, k), src.empty(m, k)
			trial{
				name: fmt.Sprintf("%s/k=%d", b.name, k),
				in:   []tensor.Matrix{x, y}, out: []tensor.Matrix{z},
				run:    func(ctx *Ctx) { EdgeAdd(ctx, b.Block, x, y, z) },
				want:   []ref.Matrix{ref.Sources(b.Block).Mul(ref.Of(x)).Add(ref.Destinations(b.Block).Mul(ref.Of(y)))},
				rounds: 1, work: int64(m * k),
				bytes: structure(b.Block, Dst) + int64(4*m+8*m*k+4*b.Dst*k),
			}.check(t)
		}
	}
}

func TestEdgeDot(t *testing.T) {
	for i, b := range blocks() {
		for _, w := range widths {
			k, m := w.k, b.Edges()
			src := newSource(uint64(i))
			x, y, z := src.uniform(b.Src, k), src.uniform(b.Dst, k), src.empty(m, w.heads)
			product := ref.Sources(b.Block).Mul(ref.Of(x)).Had(ref.Destinations(b.Block).Mul(ref.Of(y)))
			trial{
				name: fmt.Sprintf("%s/k=%d/heads=%d", b.name, k, w.heads),
				in:   []tensor.Matrix{x, y}, out: []tensor.Matrix{z},
				run:    func(ctx *Ctx) { EdgeDot(ctx, b.Block, x, y, z) },
				want:   []ref.Matrix{product.Mul(ref.Heads(w.heads, k).T())},
				rounds: float64(k) + 2, work: int64(2 * m * k),
				bytes: structure(b.Block, Dst) + int64(4*m+4*m*k+4*b.Dst*k+4*m*w.heads),
			}.check(t)
		}
	}
}

// EdgeDot's gradients are weighted products: ⟨EdgeDot(x, y), g⟩ = ⟨x, Aᵀ(g)y⟩ = ⟨y, A(g)x⟩.
func TestEdgeDotIsAdjointToSpMM(t *testing.T) {
	for i, b := range blocks() {
		src := newSource(uint64(i))
		x, y, g := src.uniform(b.Src, 6), src.uniform(b.Dst, 6), src.uniform(b.Edges(), 3)
		z, dx, dy := tensor.New(b.Edges(), 3), tensor.New(b.Src, 6), tensor.New(b.Dst, 6)
		ctx := contexts[2]
		EdgeDot(ctx, b.Block, x, y, z)
		SpMM(ctx, b.Block, Src, g, y, dx)
		SpMM(ctx, b.Block, Dst, g, x, dy)
		want, limit := dot64(z, g), float64(b.Edges()+1)*6*unit
		if got := dot64(x, dx); !near(got, want, limit) {
			t.Errorf("%s: ⟨x, dx⟩ = %v, want %v", b.name, got, want)
		}
		if got := dot64(y, dy); !near(got, want, limit) {
			t.Errorf("%s: ⟨y, dy⟩ = %v, want %v", b.name, got, want)
		}
	}
}

func BenchmarkEdgeDot(b *testing.B) {
	g := benchBlock(1<<15, 14)
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("graph=skewed15/k=64/heads=1/threads=%d", threads), func(b *testing.B) {
			src := newSource(1)
			x, y, z := src.uniform(g.Src, 64), src.uniform(g.Dst, 64), src.empty(g.Edges(), 1)
			ctx := &Ctx{Pool: NewPool(threads)}
			defer ctx.Pool.Close()
			for b.Loop() {
				EdgeDot(ctx, g, x, y, z)
			}
			reportRate(b, ctx)
		})
	}
}
