package kernel

import (
	"fmt"
	"testing"
	"time"

	"github.com/weft-gnn/weft/internal/cpu"
	"github.com/weft-gnn/weft/tensor"
)

// benchShapes are n, a, b: layers of ogbn-arxiv, a square, and layers of Cora.
var benchShapes = [][3]int{
	{169343, 128, 256}, {169343, 256, 40}, {1024, 1024, 1024}, {2708, 1433, 16}, {2708, 64, 7},
}

// arenaMatrix returns a matrix as a program has it, in memory of its own.
func arenaMatrix(b *testing.B, rows, cols int) tensor.Matrix {
	arena, err := tensor.NewArena(int64(4 * rows * cols))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { arena.Close() })
	m := arena.View(0, rows, cols)
	s := newSource(1)
	for i := range m.Data {
		m.Data[i] = 2*s.Float32() - 1
	}
	return m
}

// BenchmarkMatMul reports the rate of the fastest iteration and its share of
// the multiply-add peak, measured beside it: other load on the machine can only
// slow either down.
func BenchmarkMatMul(b *testing.B) {
	for _, s := range benchShapes {
		x, w, y := arenaMatrix(b, s[0], s[1]), arenaMatrix(b, s[1], s[2]), arenaMatrix(b, s[0], s[2])
		for _, op := range []struct {
			name string
			run  func(ctx *Ctx)
		}{
			{"NN", func(ctx *Ctx) { MatMul(ctx, x, w, y) }},
			{"NT", func(ctx *Ctx) { MatMulNT(ctx, y, w, x) }},
			{"TN", func(ctx *Ctx) { MatMulTN(ctx, x, y, w) }},
		} {
			for _, isa := range variants() {
				for _, threads := range []int{1, 2} {
					name := fmt.Sprintf("op=%s/shape=%dx%dx%d/impl=%v/threads=%d", op.name, s[0], s[1], s[2], isa, threads)
					b.Run(name, func(b *testing.B) { benchProduct(b, s, isa, threads, op.run) })
				}
			}
		}
	}
}

func benchProduct(b *testing.B, s [3]int, isa cpu.ISA, threads int, run func(ctx *Ctx)) {
	ctx := &Ctx{Pool: NewPool(threads)}
	defer ctx.Pool.Close()
	ctx.using(isa, run)
	peak := measureFMA(fmaLoops[isa], threads)
	best := time.Duration(1<<63 - 1)
	for b.Loop() {
		start := time.Now()
		ctx.using(isa, run)
		best = min(best, time.Since(start))
	}
	peak = max(peak, measureFMA(fmaLoops[isa], threads))
	rate := 2 * float64(s[0]) * float64(s[1]) * float64(s[2]) / best.Seconds()
	b.ReportMetric(rate/1e9, "GFLOP/s")
	b.ReportMetric(rate/peak, "of-peak")
}
