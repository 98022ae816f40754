package kernel

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/cpu"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/tensor"
)

// crowded is a block in which every vertex has so many edges that wide rows are
// summed range by range: one of them a hub that is cut, one without edges.
func crowded(n, degree int) *graph.Block {
	b := &graph.Block{Dst: n, Src: n, Ptr: make([]int64, 1, n+1)}
	random := make([]uint32, 2*chunkEdges+100)
	for v := range n {
		edges := degree
		switch v {
		case 5:
			edges = 0
		case 9:
			edges = 2*chunkEdges + 100
		}
		row := make([]int32, edges)
		rng.Key{Seed: 7}.Fill(random[:edges], 0, 0, uint64(v))
		for i := range row {
			row[i] = int32(random[i] % uint32(n))
		}
		slices.Sort(row)
		b.Col = append(b.Col, row...)
		b.Ptr = append(b.Ptr, int64(len(b.Col)))
	}
	return b
}

// TestSpMMByRanges: going through rows range by range gives the bits that going
// through them once gives, as the portable variant does: unweighted sums round
// alike in all variants.
func TestSpMMByRanges(t *testing.T) {
	const n, degree = 2100, 70
	b := crowded(n, degree)
	for _, k := range []int{131, 192, 300} {
		src := newSource(uint64(k))
		x, want, got := src.uniform(n, k), src.empty(n, k), src.empty(n, k)
		for _, end := range []End{Dst, Src} {
			contexts[0].using(cpu.Generic, func(ctx *Ctx) { SpMM(ctx, b, end, tensor.Matrix{}, x, want) })
			for _, isa := range variants()[1:] {
				for i, ctx := range contexts {
					ctx.using(isa, func(ctx *Ctx) {
						if ctx.ranges(b, end, x, k, 0) == nil {
							t.Fatal("the sum is not cut into ranges: the test shows nothing")
						}
						SpMM(ctx, b, end, tensor.Matrix{}, x, got)
					})
					if !got.Equal(want) {
						t.Errorf("%v, k=%d, %v, %d threads: other bits than without ranges", end, k, isa, threadCounts[i])
					}
				}
			}
		}
	}
}

// BenchmarkSpMMByRanges is a graph of 25,000 vertices with 300 edges each.
func BenchmarkSpMMByRanges(b *testing.B) {
	const n = 25000
	g := crowded(n, 300)
	for _, k := range []int{32, 64, 128} {
		for _, threads := range []int{1, 2} {
			for _, whole := range []bool{false, true} {
				b.Run(fmt.Sprintf("k=%d/threads=%d/whole=%v", k, threads, whole), func(b *testing.B) {
					src := newSource(1)
					x, y := src.uniform(n, k), src.empty(n, k)
					ctx := &Ctx{Pool: NewPool(threads)}
					defer ctx.Pool.Close()
					loops := *ctx.sparse()
					if whole {
						defer func() { *ctx.sparse() = loops }()
						ctx.sparse().sumPart = nil
					}
					for b.Loop() {
						SpMM(ctx, g, Dst, tensor.Matrix{}, x, y)
					}
					reportRate(b, ctx)
				})
			}
		}
	}
}
