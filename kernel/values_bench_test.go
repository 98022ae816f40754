package kernel

import (
	"fmt"
	"testing"
	"time"

	"github.com/weft-gnn/weft/tensor"
)

// benchSpeed runs f in every variant on one thread and two, and reports the
// rate of its counted bytes in the fastest iteration: other load on the machine
// can only slow it down.
func benchSpeed(b *testing.B, name string, f func(ctx *Ctx)) {
	for _, isa := range variants() {
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

// BenchmarkRows runs what takes rows whole, on the shapes of ogbn-arxiv.
func BenchmarkRows(b *testing.B) {
	const n = 169343
	x, g, y, loss := arenaMatrix(b, n, 40), arenaMatrix(b, n, 40), arenaMatrix(b, n, 40), tensor.New(1, 1)
	class, listed := make([]int32, n), make([]int32, 0, n)
	for i := range class {
		class[i] = int32(i % 40)
		if newSource(uint64(i)).Float32() < 0.537 {
			listed = append(listed, int32(i))
		}
	}
	items := Items{Rows: listed, Total: int64(len(listed))}
	for _, op := range []struct {
		name string
		run  func(ctx *Ctx)
	}{
		{"CrossEntropy", func(ctx *Ctx) { CrossEntropy(ctx, x, class, items, loss) }},
		{"CrossEntropyGrad", func(ctx *Ctx) { CrossEntropyGrad(ctx, x, class, items, loss, y) }},
		{"Softmax", func(ctx *Ctx) { Softmax(ctx, x, y) }},
		{"SoftmaxGrad", func(ctx *Ctx) { SoftmaxGrad(ctx, x, g, y) }},
		{"LogSoftmax", func(ctx *Ctx) { LogSoftmax(ctx, x, y) }},
		{"LogSoftmaxGrad", func(ctx *Ctx) { LogSoftmaxGrad(ctx, x, g, y) }},
		{"Normalize", func(ctx *Ctx) { Normalize(ctx, 1e-12, x, y) }},
		{"NormalizeGrad", func(ctx *Ctx) { NormalizeGrad(ctx, 1e-12, x, g, y) }},
	} {
		benchSpeed(b, fmt.Sprintf("op=%s/shape=%dx40", op.name, n), op.run)
	}
}

// BenchmarkDropout drops features, and scores of edges with one head and with eight.
func BenchmarkDropout(b *testing.B) {
	for _, s := range [][2]int{{169343, 64}, {1 << 21, 8}, {1 << 21, 1}} {
		x, y, ids := arenaMatrix(b, s[0], s[1]), arenaMatrix(b, s[0], s[1]), make([]int64, s[0])
		for i := range ids {
			ids[i] = int64(i)
		}
		benchSpeed(b, fmt.Sprintf("shape=%dx%d", s[0], s[1]), func(ctx *Ctx) { Dropout(ctx, testMask(0.5), nil, x, y) })
		benchSpeed(b, fmt.Sprintf("shape=%dx%d/ids", s[0], s[1]), func(ctx *Ctx) { Dropout(ctx, testMask(0.5), ids, x, y) })
	}
}

// BenchmarkHeads runs what takes heads or columns, on the shapes of ogbn-arxiv.
func BenchmarkHeads(b *testing.B) {
	const n = 169343
	one := tensor.New(1, 1)
	for _, s := range [][2]int{{64, 8}, {40, 1}} {
		k, heads := s[0], s[1]
		x, g, y := arenaMatrix(b, n, k), arenaMatrix(b, n, k), arenaMatrix(b, n, k)
		a, z, f := arenaMatrix(b, 1, k), arenaMatrix(b, n, heads), arenaMatrix(b, n, k/heads)
		for _, op := range []struct {
			name string
			run  func(ctx *Ctx)
		}{
			{"HeadScale", func(ctx *Ctx) { HeadScale(ctx, x, z, y) }},
			{"HeadDot", func(ctx *Ctx) { HeadDot(ctx, x, g, z) }},
			{"HeadDotVec", func(ctx *Ctx) { HeadDotVec(ctx, x, a, z) }},
			{"HeadOuter", func(ctx *Ctx) { HeadOuter(ctx, z, a, y) }},
			{"HeadSumVec", func(ctx *Ctx) { HeadSumVec(ctx, x, z, a) }},
			{"HeadSum", func(ctx *Ctx) { HeadSum(ctx, x, f) }},
			{"ColumnSum", func(ctx *Ctx) { ColumnSum(ctx, x, a) }},
			{"AddBias", func(ctx *Ctx) { AddBias(ctx, x, a, y) }},
			{"Dot", func(ctx *Ctx) { Dot(ctx, x, g, one) }},
			{"Sum", func(ctx *Ctx) { Sum(ctx, x, one) }},
		} {
			benchSpeed(b, fmt.Sprintf("op=%s/shape=%dx%d/heads=%d", op.name, n, k, heads), op.run)
		}
	}
}

// BenchmarkStep runs the optimisers on a table of embeddings.
func BenchmarkStep(b *testing.B) {
	const n, k = 1 << 16, 64
	p, g, m, v := arenaMatrix(b, n, k), arenaMatrix(b, n, k), arenaMatrix(b, n, k), arenaMatrix(b, n, k)
	Apply(&Ctx{}, Func{Kind: Square}, v, v)
	adam := Adam{Rate: 1e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}
	benchSpeed(b, fmt.Sprintf("op=Adam/shape=%dx%d", n, k), func(ctx *Ctx) { StepAdam(ctx, adam, 1, p, g, m, v) })
	sgd := SGD{Rate: 1e-3, Momentum: 0.9}
	benchSpeed(b, fmt.Sprintf("op=SGD/shape=%dx%d", n, k), func(ctx *Ctx) { StepSGD(ctx, sgd, p, g, m) })
}

// BenchmarkValueLoss runs losses of values, a tenth of whose targets are missing.
func BenchmarkValueLoss(b *testing.B) {
	const n, k = 1 << 16, 64
	x, target, d, loss := arenaMatrix(b, n, k), arenaMatrix(b, n, k), arenaMatrix(b, n, k), tensor.New(1, 1)
	for i := range target.Data {
		if i%10 == 0 {
			target.Data[i] = nan32
		}
	}
	items := Items{Total: 1}
	for l := range losses {
		benchSpeed(b, fmt.Sprintf("loss=%v/shape=%dx%d", l, n, k), func(ctx *Ctx) { ValueLoss(ctx, l, x, target, items, loss) })
		benchSpeed(b, fmt.Sprintf("loss=%v'/shape=%dx%d", l, n, k), func(ctx *Ctx) { ValueLossGrad(ctx, l, x, target, items, loss, d) })
	}
}
