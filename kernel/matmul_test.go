package kernel

import (
	"fmt"
	"testing"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// productShapes are n, a, b of X (n×a) times W (a×b): small ones, ones of
// several pieces, parts and blocks of sums, with columns that fill panels and
// that do not, and of rows that share cache sets.
func productShapes() (shapes [][3]int) {
	for i := range 10 {
		shapes = append(shapes, [3]int{i, 5, 6}, [3]int{5, i, 7}, [3]int{6, 7, i})
	}
	return append(shapes, [3]int{5, 0, 25}, [3]int{1, 300, 1}, [3]int{257, 33, 65}, [3]int{130, 129, 9}, [3]int{2300, 67, 5}, [3]int{3100, 3, 130},
		[3]int{70, 1600, 48}, [3]int{20, 9, 1024}, [3]int{29, 1024, 20}, [3]int{17000, 16, 129})
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
	x, w, y := src.uniform(301, 837), src.uniform(837, 49), src.empty(301, 49)
	for _, isa := range variants() {
		contexts[0].using(isa, func(ctx *Ctx) { MatMul(ctx, x, w, y) })
		for _, r := range [][2]int{{0, 1}, {1, 2}, {7, 100}, {300, 301}} {
			part := tensor.New(r[1]-r[0], y.Cols)
			contexts[1].using(isa, func(ctx *Ctx) { MatMul(ctx, x.Between(r[0], r[1]), w, part) })
			if whole := y.Between(r[0], r[1]); !part.Equal(whole) {
				t.Errorf("%v: rows %v have other bits alone than in the whole", isa, r)
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
