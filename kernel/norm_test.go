package kernel

import (
	"math"
	"testing"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

const testEps = 0.01

func normalized(x ref.Matrix) ref.Matrix {
	y := ref.New(x.Rows, x.Cols)
	for i := range x.Rows {
		norm := 0.0
		for _, v := range x.Row(i) {
			norm = math.Hypot(norm, v)
		}
		for j, v := range x.Row(i) {
			y.Set(i, j, v/math.Max(norm, testEps))
		}
	}
	return y
}

func logSoftmaxed(x ref.Matrix) ref.Matrix { return ref.Softmax(x).Map(math.Log) }

func TestRowFunctions(t *testing.T) {
	for _, f := range []struct {
		name               string
		run                func(ctx *Ctx, x, y tensor.Matrix)
		grad               func(ctx *Ctx, a, g, d tensor.Matrix)
		fromResult         bool // the gradient reads y, not x
		want               func(x ref.Matrix) ref.Matrix
		workK, workR       int64
		gradK, gradR       int64
		rounds, gradRounds float64
	}{
		{
			name: "Normalize", want: normalized,
			run:   func(ctx *Ctx, x, y tensor.Matrix) { Normalize(ctx, testEps, x, y) },
			grad:  func(ctx *Ctx, a, g, d tensor.Matrix) { NormalizeGrad(ctx, testEps, a, g, d) },
			workK: 3, workR: 3, gradK: 7, gradR: 5,
		},
		{name: "Softmax", want: ref.Softmax, run: Softmax, grad: SoftmaxGrad, fromResult: true, workK: 5, gradK: 4},
		{name: "LogSoftmax", want: logSoftmaxed, run: LogSoftmax, grad: LogSoftmaxGrad, fromResult: true, workK: 5, workR: 1, gradK: 4},
	} {
		for i, s := range [][2]int{{0, 4}, {4, 0}, {1, 1}, {3, 2}, {3, 7}, {50, 33}, {5000, 17}, {2, 400}} {
			r, k := s[0], s[1]
			src := newSource(uint64(i))
			x, g, y, d := src.within(-2, 2, r, k), src.uniform(r, k), src.empty(r, k), src.empty(r, k)
			if r > 2 && k > 0 {
				fill(x.Row(1), nil, nil, 1e-4) // a row below eps
			}
			trial{
				name: f.name + "/" + shapeName(r, k),
				in:   []tensor.Matrix{x}, out: []tensor.Matrix{y},
				run:    func(ctx *Ctx) { f.run(ctx, x, y) },
				want:   []ref.Matrix{f.want(ref.Of(x))},
				rounds: float64(k) + 12,
				work:   int64(r) * (f.workK*int64(k) + f.workR), bytes: int64(8 * r * k),
			}.check(t)
			a := x
			if f.fromResult {
				a = y
			}
			ctx := contexts[1]
			ctx.Count.Reset()
			f.grad(ctx, a, g, d)
			if work, bytes := ctx.Count.Read(); work != int64(r)*(f.gradK*int64(k)+f.gradR) || bytes != int64(12*r*k) {
				t.Errorf("%sGrad of %d×%d counted work %d and bytes %d", f.name, r, k, work, bytes)
			}
			direction := ref.Of(src.uniform(r, k))
			want := ref.Derivative(func(x ref.Matrix) float64 { return f.want(x).Dot(ref.Of(g)) }, ref.Of(x), direction)
			// Each of the r·k terms, of size about 1/eps in one row, is off by some
			// roundings, and the differences by 1e−8.
			if got := ref.Of(d).Dot(direction); !near(got, want, 1e-5*math.Sqrt(float64(r*k))) {
				t.Errorf("%sGrad of %d×%d along a direction is %v, want %v", f.name, r, k, got, want)
			}
		}
	}
}

func TestRowGradientsKeepTheirBits(t *testing.T) {
	src := newSource(5)
	x, g := src.uniform(3000, 33), src.uniform(3000, 33)
	for name, grad := range map[string]func(ctx *Ctx, a, g, d tensor.Matrix){
		"Normalize":  func(ctx *Ctx, a, g, d tensor.Matrix) { NormalizeGrad(ctx, testEps, a, g, d) },
		"Softmax":    SoftmaxGrad,
		"LogSoftmax": LogSoftmaxGrad,
	} {
		var first [][]uint32
		for i, ctx := range contexts {
			d := tensor.New(3000, 33)
			grad(ctx, x, g, d)
			if got := snapshot([]tensor.Matrix{d}); i == 0 {
				first = got
			} else if !equalBits(got, first) {
				t.Errorf("%s: bits at %d threads differ", name, threadCounts[i])
			}
		}
	}
}

func TestRowSoftmaxPoisonsOnlyItsRow(t *testing.T) {
	x, y := mat(2, 2, 1, nan32, 1000, 999), tensor.New(2, 2)
	for name, run := range map[string]func(ctx *Ctx, x, y tensor.Matrix){"Softmax": Softmax, "LogSoftmax": LogSoftmax} {
		run(contexts[0], x, y)
		if !isNaN(y.Data[0]) || !isNaN(y.Data[1]) || isNaN(y.Data[2]) || isNaN(y.Data[3]) {
			t.Errorf("%s: %v, want NaN in the first row only", name, y.Data)
		}
	}
}
