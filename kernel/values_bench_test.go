package kernel

import (
	"fmt"
	"testing"
	"time"

	"github.com/weft-gnn/weft/internal/cpu"
	"github.com/weft-gnn/weft/tensor"
)

// benchSpeed runs f in every variant on one thread and two, and reports the
// rate of its counted bytes in the fastest iteration: other load on the machine
// can only slow it down.
func benchSpeed(b *testing.B, name string, f func(ctx *Ctx)) {
	for isa := range cpu.Widest() + 1 {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/impl=%v/threads=%d", name, isa, threads), func(b *testing.B) {
				ctx := &Ctx{Pool: NewPool(threads)}
				defer ctx.Pool.Close()
				ctx.using(isa, f)
				_, bytes := ctx.Count.Read()
				best := time.Duration(1<<63 - 1)
				for b.Loop() {
					start := time.Now()
					ctx.using(isa, f)
					best = min(best, time.Since(start))
				}
				b.ReportMetric(float64(bytes)/best.Seconds()/1e9, "GB/s")
				b.ReportMetric(best.Seconds()*1e3, "best-ms")
			})
		}
	}
}

// BenchmarkValues runs the functions on values that fit the caches of a core
// and on those of a layer of ogbn-arxiv, which fit none.
func BenchmarkValues(b *testing.B) {
	for _, rows := range []int{256, 169343} {
		x, g, y := arenaMatrix(b, rows, 64), arenaMatrix(b, rows, 64), arenaMatrix(b, rows, 64)
		for f := range allFuncs() {
			benchSpeed(b, fmt.Sprintf("f=%v/shape=%dx64", f.Kind, rows), func(ctx *Ctx) { Apply(ctx, f, x, y) })
			benchSpeed(b, fmt.Sprintf("f=%v'/shape=%dx64", f.Kind, rows), func(ctx *Ctx) { ApplyGrad(ctx, f, x, g, y) })
		}
		for name, run := range map[string]func(ctx *Ctx, x, y, z tensor.Matrix){"add": Add, "mul": Mul, "div": Div} {
			benchSpeed(b, fmt.Sprintf("f=%s/shape=%dx64", name, rows), func(ctx *Ctx) { run(ctx, x, g, y) })
		}
	}
}
