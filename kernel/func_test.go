package kernel

import (
	"fmt"
	"math"
	"testing"

	"github.com/weft-gnn/weft/internal/ref"
	"github.com/weft-gnn/weft/tensor"
)

// forward is f in float64, by the formula beside its name.
func forward(f Func, x float64) float64 {
	alpha := float64(f.Param)
	switch f.Kind {
	case Identity:
		return x
	case ReLU:
		return math.Max(x, 0)
	case LeakyReLU:
		return math.Max(x, 0) + alpha*math.Min(x, 0)
	case ELU:
		return math.Max(x, 0) + alpha*math.Expm1(math.Min(x, 0))
	case Sigmoid:
		return 1 / (1 + math.Exp(-x))
	case LogSigmoid:
		return -math.Log1p(math.Exp(-x))
	case Tanh:
		return math.Tanh(x)
	case Exp:
		return math.Exp(x)
	case Log:
		return math.Log(x)
	case Sqrt:
		return math.Sqrt(x)
	case Reciprocal:
		return 1 / x
	case Square:
		return x * x
	case Abs:
		return math.Abs(x)
	case Scale:
		return alpha * x
	case Offset:
		return x + alpha
	}
	panic("unknown function")
}

// allFuncs lists every kind, with a parameter, and its operations per value.
func allFuncs() map[Func][2]int64 {
	return map[Func][2]int64{
		{Kind: Identity}:               {0, 0},
		{Kind: ReLU}:                   {1, 1},
		{Kind: LeakyReLU, Param: 0.2}:  {1, 2},
		{Kind: ELU, Param: 1.5}:        {1, 3},
		{Kind: Sigmoid}:                {1, 3},
		{Kind: LogSigmoid}:             {1, 3},
		{Kind: Tanh}:                   {1, 3},
		{Kind: Exp}:                    {1, 1},
		{Kind: Log}:                    {1, 1},
		{Kind: Sqrt}:                   {1, 2},
		{Kind: Reciprocal}:             {1, 2},
		{Kind: Square}:                 {1, 2},
		{Kind: Abs}:                    {1, 1},
		{Kind: Scale, Param: -3}:       {1, 1},
		{Kind: Offset, Param: 0.00001}: {1, 0},
	}
}

func TestAllFuncsAreTested(t *testing.T) {
	if got := len(allFuncs()); got != int(funcKinds) {
		t.Errorf("%d kinds are tested, there are %d", got, funcKinds)
	}
	for k := range funcKinds {
		if k.String() == "" {
			t.Errorf("kind %d has no name", k)
		}
	}
}

func TestApply(t *testing.T) {
	for f, ops := range allFuncs() {
		for _, s := range shapesToTry() {
			r, k := s[0], s[1]
			src := newSource(uint64(f.Kind))
			x, y := src.within(-2, 2, r, k), src.empty(r, k)
			if f.Kind == Log || f.Kind == Sqrt || f.Kind == Reciprocal {
				x = src.within(0.3, 4, r, k)
			}
			trial{
				name: fmt.Sprintf("%v/%s", f.Kind, shapeName(r, k)),
				in:   []tensor.Matrix{x}, out: []tensor.Matrix{y},
				run:    func(ctx *Ctx) { Apply(ctx, f, x, y) },
				want:   []ref.Matrix{ref.Of(x).Map(func(v float64) float64 { return forward(f, v) })},
				rounds: 6, // 3 ulp
				work:   ops[0] * int64(r*k), bytes: int64(8 * r * k),
			}.check(t)
		}
	}
}

func TestApplyGrad(t *testing.T) {
	for f, ops := range allFuncs() {
		for _, s := range [][2]int{{0, 3}, {3, 0}, {4, 9}, {300, 130}} {
			r, k := s[0], s[1]
			src := newSource(uint64(f.Kind))
			x, g, d := src.within(0.3, 2, r, k), src.uniform(r, k), src.empty(r, k)
			if f.Kind != Log && f.Kind != Sqrt && f.Kind != Reciprocal {
				for i := range r {
					for j := range k {
						if (i+j)%2 == 0 {
							x.Row(i)[j] *= -1
						}
					}
				}
			}
			a, operands := x, int64(3)
			switch f.GradFrom() {
			case Output:
				a = src.empty(r, k)
				Apply(contexts[0], f, x, a)
			case Neither:
				a, operands = tensor.Matrix{}, 2
			}
			want := ref.Of(g).Zip(ref.Of(x), func(g, v float64) float64 {
				const h = 1e-5
				return g * (forward(f, v+h) - forward(f, v-h)) / (2 * h)
			})
			trial{
				name: fmt.Sprintf("%v/%s", f.Kind, shapeName(r, k)),
				in:   []tensor.Matrix{x, a, g}, out: []tensor.Matrix{d},
				run:    func(ctx *Ctx) { ApplyGrad(ctx, f, a, g, d) },
				want:   []ref.Matrix{want},
				rounds: 40, // 1 − y² and the like lose digits; differences are good to 1e−9
				work:   ops[1] * int64(r*k), bytes: 4 * operands * int64(r*k),
			}.check(t)
		}
	}
}

// What the functions do at 0, at the infinities and to NaN.
func TestApplyAtSpecialValues(t *testing.T) {
	inf := float32(math.Inf(1))
	in := []float32{0, inf, -inf, nan32}
	for f := range allFuncs() {
		x, y := mat(1, 4, in...), tensor.New(1, 4)
		Apply(contexts[0], f, x, y)
		for i, v := range in[:3] {
			if want := forward(f, float64(v)); !near(float64(y.Data[i]), want, 4*unit) {
				t.Errorf("%v(%v) = %v, want %v", f.Kind, v, y.Data[i], want)
			}
		}
		if v := y.Data[3]; v == v {
			t.Errorf("%v(NaN) = %v", f.Kind, v)
		}
	}
}

func TestKinksHaveTheStatedDerivative(t *testing.T) {
	for f, want := range map[Func]float32{{Kind: ReLU}: 0, {Kind: LeakyReLU, Param: 0.2}: 0.2, {Kind: Abs}: 0} {
		d := tensor.New(1, 1)
		ApplyGrad(contexts[0], f, mat(1, 1, 0), mat(1, 1, 1), d)
		if d.Data[0] != want {
			t.Errorf("derivative of %v at 0 is %v, want %v", f.Kind, d.Data[0], want)
		}
	}
}

func TestApplyInPlace(t *testing.T) {
	x := newSource(1).uniform(40, 7)
	y := tensor.New(40, 7)
	f := Func{Kind: Tanh}
	Apply(contexts[0], f, x, y)
	Apply(contexts[1], f, x, x)
	for i := range 40 {
		for j, v := range y.Row(i) {
			if x.Row(i)[j] != v {
				t.Fatalf("row %d, column %d: %v in place, %v apart", i, j, x.Row(i)[j], v)
			}
		}
	}
}

func BenchmarkApply(b *testing.B) {
	for f := range allFuncs() {
		b.Run(fmt.Sprintf("f=%v/values=65536/threads=1", f.Kind), func(b *testing.B) {
			x, y := newSource(1).within(0.5, 2, 256, 256), tensor.New(256, 256)
			ctx := &Ctx{}
			for b.Loop() {
				Apply(ctx, f, x, y)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/65536, "ns/value")
		})
	}
}
