package kernel

import (
	"fmt"
	"testing"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// productShapes are n, a, b of X (n×a) times W (a×b).
func productShapes() (shapes [][3]int) {
	for i := range 10 {
		shapes = append(shapes, [3]int{i, 5, 6}, [3]int{5, i, 7}, [3]int{6, 7, i})
	}
	return append(shapes, [3]int{1, 300, 1}, [3]int{257, 33, 65}, [3]int{130, 129, 9}, [3]int{2300, 67, 5}, [3]int{3100, 3, 130})
}

// A value is a sum of a products; its partial sums stay near the largest result.
func productRounds(a int) float64 { return float64(a) + 8 }

func TestMatMul(t *testing.T) {
	for i, s := range productShapes() {
		n, a, b := s[0], s[1], s[2]
		src := newSource(uint64(i))
		x, w, wt := src.uniform(n, a), src.uniform(a, b), src.uniform(b, a)
		y, yt := src.empty(n, b), src.empty(n, b)
		work, bytes := int64(2*n*a*b), int64(4*(n*a+a*b+n*b))
		trial{
			name: fmt.Sprintf("NN/%d×%d×%d", n, a, b),
			in:   []tensor.Matrix{x, w}, out: []tensor.Matrix{y},
			run:    func(ctx *Ctx) { MatMul(ctx, x, w, y) },
			want:   []ref.Matrix{ref.Of(x).Mul(ref.Of(w))},
			rounds: productRounds(a), work: work, bytes: bytes,
		}.check(t)
		trial{
			name: fmt.Sprintf("NT/%d×%d×%d", n, a, b),
			in:   []tensor.Matrix{x, wt}, out: []tensor.Matrix{yt},
			run:    func(ctx *Ctx) { MatMulNT(ctx, x, wt, yt) },
			want:   []ref.Matrix{ref.Of(x).Mul(ref.Of(wt).T())},
			rounds: productRounds(a), work: work, bytes: bytes,
		}.check(t)
	}
}

func TestMatMulTN(t *testing.T) {
	for i, s := range productShapes() {
		n, a, b := s[0], s[1], s[2]
		src := newSource(uint64(i))
		x, g, w := src.uniform(n, a), src.uniform(n, b), src.empty(a, b)
		trial{
			name: fmt.Sprintf("%d×%d×%d", n, a, b),
			in:   []tensor.Matrix{x, g}, out: []tensor.Matrix{w},
			run:    func(ctx *Ctx) { MatMulTN(ctx, x, g, w) },
			want:   []ref.Matrix{ref.Of(x).T().Mul(ref.Of(g))},
			rounds: productRounds(n), work: int64(2 * n * a * b), bytes: int64(4 * (n*a + n*b + a*b)),
		}.check(t)
	}
}

func TestDense(t *testing.T) {
	elu := Func{Kind: ELU, Param: 1}
	for i, s := range [][3]int{{5, 4, 7}, {0, 3, 2}, {3, 0, 5}, {300, 20, 33}} {
		for _, biased := range []bool{false, true} {
			for _, f := range []Func{{}, {Kind: ReLU}, elu} {
				n, a, b := s[0], s[1], s[2]
				src := newSource(uint64(i))
				x, w, y := src.uniform(n, a), src.uniform(a, b), src.empty(n, b)
				want := ref.Of(x).Mul(ref.Of(w))
				work, bytes := int64(2*n*a*b)+int64(n*b)*f.Work(), int64(4*(n*a+a*b+n*b))
				var bias tensor.Matrix
				if biased {
					bias = src.uniform(1, b)
					want = want.Add(ref.Full(n, 1, 1).Mul(ref.Of(bias)))
					work, bytes = work+int64(n*b), bytes+int64(4*b)
				}
				trial{
					name: fmt.Sprintf("%d×%d×%d/bias=%v/%v", n, a, b, biased, f.Kind),
					in:   []tensor.Matrix{x, w, bias}, out: []tensor.Matrix{y},
					run:    func(ctx *Ctx) { Dense(ctx, x, w, bias, f, y) },
					want:   []ref.Matrix{want.Map(func(v float64) float64 { return forward(f, v) })},
					rounds: productRounds(a), work: work, bytes: bytes,
				}.check(t)
			}
		}
	}
}

// A row's product does not depend on which rows are beside it: rows computed
// alone have the bits of the whole.
func TestMatMulRowsAreIndependent(t *testing.T) {
	src := newSource(1)
	x, w, y := src.uniform(301, 37), src.uniform(37, 19), src.empty(301, 19)
	MatMul(contexts[0], x, w, y)
	for _, r := range [][2]int{{0, 1}, {1, 2}, {7, 100}, {300, 301}} {
		part := tensor.New(r[1]-r[0], 19)
		MatMul(contexts[1], rowsOf(x, r[0], r[1]), w, part)
		for i := range part.Rows {
			for j, v := range part.Row(i) {
				if v != y.Row(r[0] + i)[j] {
					t.Fatalf("rows %v: row %d, column %d is %v alone, %v in the whole", r, i, j, v, y.Row(r[0] + i)[j])
				}
			}
		}
	}
}

// ⟨XW, G⟩ = ⟨X, GWᵀ⟩ = ⟨W, XᵀG⟩: the three products are each other's gradients.
func TestProductsAreAdjoint(t *testing.T) {
	src := newSource(2)
	x, w, g := src.uniform(500, 40), src.uniform(40, 30), src.uniform(500, 30)
	y, dx, dw := tensor.New(500, 30), tensor.New(500, 40), tensor.New(40, 30)
	ctx := contexts[1]
	MatMul(ctx, x, w, y)
	MatMulNT(ctx, g, w, dx)
	MatMulTN(ctx, x, g, dw)
	want := ref.Of(y).Dot(ref.Of(g))
	for name, got := range map[string]float64{"x": ref.Of(x).Dot(ref.Of(dx)), "w": ref.Of(w).Dot(ref.Of(dw))} {
		// 15,000 values of up to 40 roundings each, which mostly cancel.
		if !near(got, want, 15000*unit) {
			t.Errorf("⟨%s, gradient⟩ = %v, want %v", name, got, want)
		}
	}
}

func TestMatMulSpreadsNaN(t *testing.T) {
	x, w, y := mat(2, 2, 0, 1, 1, 1), mat(2, 1, nan32, 1), tensor.New(2, 1)
	MatMul(contexts[0], x, w, y)
	if y.Data[0] == y.Data[0] {
		t.Errorf("0·NaN + 1 = %v: a zero was skipped", y.Data[0])
	}
}

func BenchmarkMatMul(b *testing.B) {
	for _, s := range [][3]int{{16384, 128, 256}, {2708, 1433, 16}, {1024, 1024, 1024}} {
		for _, threads := range []int{1, 2} {
			n, a, c := s[0], s[1], s[2]
			src := newSource(1)
			x, w, y := src.uniform(n, a), src.uniform(a, c), src.empty(n, c)
			ctx := &Ctx{Pool: NewPool(threads)}
			for name, run := range map[string]func(){
				"NN": func() { MatMul(ctx, x, w, y) },
				"TN": func() { MatMulTN(ctx, x, y, w) },
				"NT": func() { MatMulNT(ctx, y, w, x) },
			} {
				b.Run(fmt.Sprintf("op=%s/shape=%dx%dx%d/threads=%d", name, n, a, c, threads), func(b *testing.B) {
					for b.Loop() {
						run()
					}
					b.ReportMetric(2*float64(n*a*c)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
				})
			}
			ctx.Pool.Close()
		}
	}
}
