package kernel

import (
	"math"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// product is one of the three dense products, of an operand x with n rows and
// a columns, and results of b columns.
type product struct {
	name     string
	operands func(s *source, n, a, b int) (x, w, y tensor.Matrix)
	run      func(ctx *Ctx, x, w, y tensor.Matrix)
	want     func(x, w ref.Matrix) ref.Matrix
	terms    func(n, a int) int // of each sum
}

var denseProducts = []product{
	{
		"NN",
		func(s *source, n, a, b int) (x, w, y tensor.Matrix) {
			return s.uniform(n, a), s.uniform(a, b), s.empty(n, b)
		},
		MatMul,
		func(x, w ref.Matrix) ref.Matrix { return x.Mul(w) },
		func(_, a int) int { return a },
	},
	{
		"NT",
		func(s *source, n, a, b int) (x, w, y tensor.Matrix) {
			return s.uniform(n, a), s.uniform(b, a), s.empty(n, b)
		},
		MatMulNT,
		func(x, w ref.Matrix) ref.Matrix { return x.Mul(w.T()) },
		func(_, a int) int { return a },
	},
	{
		"TN",
		func(s *source, n, a, b int) (x, w, y tensor.Matrix) {
			return s.uniform(n, a), s.uniform(n, b), s.empty(a, b)
		},
		MatMulTN,
		func(x, g ref.Matrix) ref.Matrix { return x.T().Mul(g) },
		func(n, _ int) int { return n },
	},
}

// lengths are those of one dimension that is swept while the others are fixed.
func lengths(most int, more ...int) []int {
	all := make([]int, most+1)
	for i := range all {
		all[i] = i
	}
	return append(all, more...)
}

// sweep lists shapes in which each dimension takes every length up to twice the
// largest tile, panel or unrolled loop and one more, and those around the ends
// of blocks of sums, beside few values of the others.
func sweep() (shapes [][3]int) {
	for _, n := range lengths(29) {
		for _, b := range []int{1, 7, 16, 33} {
			shapes = append(shapes, [3]int{n, 5, b}, [3]int{5, n, b})
		}
	}
	for _, b := range lengths(65) {
		for _, n := range []int{1, 6, 15} {
			shapes = append(shapes, [3]int{n, 3, b})
		}
	}
	for _, k := range []int{255, 256, 257, 511, 513, 767, 768, 769, 1536, 1537} {
		shapes = append(shapes, [3]int{3, k, 17}, [3]int{k, 3, 17})
	}
	return shapes
}

// Every variant is right at every length, at all offsets of its operands, and
// writes nothing beside its result.
func TestProductsOfEveryLength(t *testing.T) {
	src := newSource(3)
	for _, p := range denseProducts {
		for _, s := range sweep() {
			n, a, b := s[0], s[1], s[2]
			x, w, y := p.operands(src, n, a, b)
			want := p.want(ref.Of(x), ref.Of(w))
			before := snapshot([]tensor.Matrix{x, w, y})
			for _, isa := range variants() {
				poison(y)
				contexts[0].using(isa, func(ctx *Ctx) { p.run(ctx, x, w, y) })
				tr := trial{out: []tensor.Matrix{y}, want: []ref.Matrix{want}, rounds: productRounds(p.terms(n, a))}
				tr.compare(t, isa)
				if t.Failed() {
					t.Fatalf("%s %v", p.name, s)
				}
			}
			poison(y)
			if !equalBits(snapshot([]tensor.Matrix{x, w, y}), before) {
				t.Fatalf("%s %v: memory beside the result was changed", p.name, s)
			}
		}
	}
}

// A layer has the bits of its product, bias and function one by one: what is
// done before values leave their registers is what would be done after. Among
// the values are zeros of both signs, infinities and NaN.
func TestDenseIsItsParts(t *testing.T) {
	const n, a, b = 33, 4, 37
	src := newSource(5)
	x, w, bias := src.uniform(n, a), src.uniform(a, b), src.uniform(1, b)
	inf := float32(math.Inf(1))
	for i, v := range []float32{0, float32(math.Copysign(0, -1)), inf, -inf, nan32} {
		clear(x.Row(i))
		x.Row(i)[0] = v
	}
	for j := range 5 {
		bias.Row(0)[7*j] = 0
	}
	for kind := range funcKinds {
		f := Func{Kind: kind, Param: -0.25}
		for _, isa := range variants() {
			got, want := src.empty(n, b), src.empty(n, b)
			contexts[0].using(isa, func(ctx *Ctx) {
				Dense(ctx, x, w, bias, f, got)
				MatMul(ctx, x, w, want)
				AddBias(ctx, want, bias, want)
				Apply(ctx, f, want, want)
			})
			if i, j, ok := firstDifference(got, want); !ok {
				t.Errorf("%v, %v: row %d, column %d is %v, by parts %v", isa, f, i, j, got.Row(i)[j], want.Row(i)[j])
			}
		}
	}
}

// firstDifference finds where two matrices differ in their bits, NaN in place
// of NaN aside.
func firstDifference(a, b tensor.Matrix) (i, j int, ok bool) {
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			if u := b.Row(i)[j]; math.Float32bits(u) != math.Float32bits(v) && (u == u || v == v) {
				return i, j, false
			}
		}
	}
	return 0, 0, true
}

// A NaN or an infinity reaches the results of its row or column and no others,
// and no zero hides one.
func TestProductsSpreadNaN(t *testing.T) {
	const n, a, b = 30, 20, 40
	for _, bad := range []float32{nan32, float32(math.Inf(1))} {
		for _, p := range denseProducts {
			src := newSource(6)
			x, w, y := p.operands(src, n, a, b)
			for i := range w.Rows {
				clear(w.Row(i))
			}
			x.Row(11)[13] = bad
			want := p.want(ref.Of(x), ref.Of(w))
			nans := slices.ContainsFunc(want.V, math.IsNaN)
			for _, isa := range variants() {
				contexts[1].using(isa, func(ctx *Ctx) { p.run(ctx, x, w, y) })
				for i, v := range ref.Of(y).V {
					if !nans || math.IsNaN(v) != math.IsNaN(want.V[i]) {
						t.Fatalf("%v %s of %v: row %d, column %d is %v, want %v", isa, p.name, bad, i/y.Cols, i%y.Cols, v, want.V[i])
					}
				}
			}
		}
	}
}

func TestWideProductsAllocateNothing(t *testing.T) {
	src := newSource(7)
	for _, p := range denseProducts {
		x, w, y := p.operands(src, 300, 70, 1024)
		for _, isa := range variants() {
			contexts[1].using(isa, func(ctx *Ctx) {
				p.run(ctx, x, w, y)
				if n := testing.AllocsPerRun(3, func() { p.run(ctx, x, w, y) }); n != 0 {
					t.Errorf("%v %s: %v allocations", isa, p.name, n)
				}
			})
		}
	}
}
