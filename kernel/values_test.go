package kernel

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/weft-gnn/weft/internal/cpu"
	"github.com/weft-gnn/weft/tensor"
)

var exhaustive = flag.Bool("exhaustive", false, "sweep functions over every float32 there is")

// rounded lists the functions whose variants differ by rounding. In all others
// every variant has the same bits.
var rounded = []FuncKind{ELU, Sigmoid, LogSigmoid, Tanh, Exp, Log}

// valueLoop is one loop of valueLoops under a name.
type valueLoop struct {
	name    string
	run     rowFunc
	rounded bool
	below   bool // 0 is its largest argument
	cancels bool // digits of numbers of at most 1
}

// loops lists the loops of a variant, in the same order for each.
func (v *valueLoops) loops() []valueLoop {
	all := []valueLoop{
		{name: "add", run: v.add}, {name: "sub", run: v.sub}, {name: "mul", run: v.mul}, {name: "div", run: v.div},
		{name: "scale", run: v.scale}, {name: "addScaled", run: v.addScaled}, {name: "fill", run: v.fill}, {name: "present", run: v.loss.present},
	}
	for l := range losses {
		all = append(all, valueLoop{name: l.String(), run: v.loss.value[l], rounded: l == LogisticError, cancels: true},
			valueLoop{name: l.String() + "'", run: v.loss.slope[l], rounded: l == LogisticError, cancels: true})
	}
	for k := range funcKinds {
		all = append(all, valueLoop{name: k.String(), run: v.forward[k], rounded: slices.Contains(rounded, k)},
			valueLoop{name: k.String() + "'", run: v.gradient[k], rounded: k == LogSigmoid, below: k == LogSigmoid})
	}
	return all
}

// oddValues are zeros, the infinities, NaN, numbers about the bounds of
// functions, and subnormal ones, among ordinary ones.
func oddValues(n int, seed uint64) []float32 {
	inf := float32(math.Inf(1))
	odd := []float32{0, float32(math.Copysign(0, -1)), inf, -inf, nan32, 1, -1, 88.7, 88.8, -103.9, -104.1, 0.625, -0.625,
		1e-40, -1e-40, 0x1p-149, -0x1p-149, math.MaxFloat32, -math.MaxFloat32, 0x1p-126, -20, -20.5}
	s, x := newSource(seed), make([]float32, n)
	for i := range x {
		x[i] = 4*s.Float32() - 2
		if s.Uint32n(3) == 0 {
			x[i] = odd[s.Uint32n(uint32(len(odd)))]
		}
	}
	return x
}

// guardedCopy returns a copy of x some values into its memory, between guards.
func guardedCopy(x []float32, offset int) []float32 {
	m := guarded(1, len(x), offset, 0)
	copy(m.Row(0), x)
	return m.Data
}

// Every loop of every variant agrees with the portable one at every length and
// offset: in all bits, or to the roundings of an exponential or a logarithm. It
// writes its result and nothing beside it, apart from its operands or over one.
func TestValueLoopsAtEveryLength(t *testing.T) {
	portable := valuesGeneric.loops()
	for n := range 2*32 + 4 {
		for offset := range 16 {
			any, y := oddValues(n, uint64(n)), oddValues(n, uint64(n+1000))
			for i, f := range portable {
				x := any
				if f.below {
					x = make([]float32, n)
					for i, v := range any {
						x[i] = -abs(v)
					}
				}
				want := guardedCopy(make([]float32, n), offset)
				f.run.over(want[:n], x, y, 0.3)
				for _, isa := range variants() {
					run := valueVariants[isa].loops()[i].run
					gx, gy, got := guardedCopy(x, offset), guardedCopy(y, (offset+5)%16), guardedCopy(make([]float32, n), offset)
					run.over(got[:n], gx[:n:n], gy[:n:n], 0.3)
					sameValues(t, fmt.Sprintf("%v: %s of %d values", isa, f.name, n), got, want, f)
					run.over(gx[:n], gx[:n:n], gy[:n:n], 0.3)
					sameValues(t, fmt.Sprintf("%v: %s of %d values over x", isa, f.name, n), gx, got, valueLoop{})
				}
			}
		}
	}
}

// Rows have the bits that they have alone, side by side and apart, in memory
// where nothing else changes.
func TestValueLoopsOfRows(t *testing.T) {
	const n = 7
	for _, k := range []int{1, 5, 8, 16, 23, 40} {
		for layout := range 4 {
			src := newSource(uint64(4*k + layout))
			x, y := src.uniform(n, k), src.uniform(n, k)
			for _, isa := range variants() {
				for _, f := range valueVariants[isa].loops() {
					got, want := src.empty(n, k), tensor.New(1, k)
					before := guards(got)
					f.run(got, x, y, 1, n-1, -0.3)
					for i := 1; i < n-1; i++ {
						f.run.over(want.Data, x.Row(i), y.Row(i), -0.3)
						sameValues(t, fmt.Sprintf("%v: %s, row %d of %d columns", isa, f.name, i, k), got.Row(i), want.Data, valueLoop{})
					}
					if first, last := got.Row(0), got.Row(n-1); guards(got) != before || !isNaN(first[0]) || !isNaN(last[k-1]) {
						t.Fatalf("%v: %s of %d columns wrote beside its rows", isa, f.name, k)
					}
				}
			}
		}
	}
}

// sameValues wants equal bits, or values within 6 ulp where a function rounds, or
// 6 ulp of 1 where it cancels digits besides; NaN is any NaN.
func sameValues(t *testing.T, what string, got, want []float32, f valueLoop) {
	t.Helper()
	for i, v := range want {
		g := got[i]
		if math.Float32bits(g) == math.Float32bits(v) || v != v && g != g {
			continue
		}
		if f.rounded && (ulps(g, float64(v)) <= 6 || f.cancels && near(float64(g), float64(v), 12*unit)) {
			continue
		}
		t.Fatalf("%s: value %d is %v, want %v", what, i, g, v)
	}
}

// mathSweep is a function, its exact value, and the largest errors of the
// portable variant and of those in assembly in ulp.
type mathSweep struct {
	f              Func
	gradient       bool // of 1, from the argument
	exact          func(float64) float64
	portable, wide float64
}

var mathSweeps = []mathSweep{
	{f: Func{Kind: Exp}, exact: math.Exp, portable: 1.02, wide: 1.02},
	{f: Func{Kind: Log}, exact: math.Log, portable: 1, wide: 1},
	{f: Func{Kind: Sigmoid}, exact: func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, portable: 2.41, wide: 1.49},
	{f: Func{Kind: LogSigmoid}, exact: exactLogSigmoid, portable: 2.82, wide: 2},
	{f: Func{Kind: Tanh}, exact: math.Tanh, portable: 1.4, wide: 1.4},
	{f: Func{Kind: ELU, Param: 1}, exact: func(x float64) float64 {
		if x > 0 {
			return x
		}
		return math.Expm1(x)
	}, portable: 2, wide: 2},
	{f: Func{Kind: LogSigmoid}, gradient: true, exact: func(x float64) float64 { return -math.Expm1(math.Min(x, 0)) }, portable: 2, wide: 2},
	{f: Func{Kind: Sqrt}, exact: math.Sqrt, portable: 0.5, wide: 0.5},
	{f: Func{Kind: Reciprocal}, exact: func(x float64) float64 { return 1 / x }, portable: 0.5, wide: 0.5},
}

// TestFunctionSweeps runs each function over every stride-th float32 there is,
// or over all with -exhaustive, in every variant.
func TestFunctionSweeps(t *testing.T) {
	stride := uint64(1009)
	switch {
	case *exhaustive:
		stride = 1
	case testing.Short():
		stride = 20011
	}
	for _, s := range mathSweeps {
		for _, isa := range variants() {
			name, limit := s.f.Kind.String(), s.wide
			if s.gradient {
				name += "'"
			}
			if isa == cpu.Generic || isa == cpu.NEON { // which has no functions of its own
				limit = s.portable
			}
			t.Run(fmt.Sprintf("%s/%v", name, isa), func(t *testing.T) {
				worst, at := s.worst(&valueVariants[isa], stride)
				t.Logf("largest error %.3f ulp, at %v", worst, at)
				if !(worst <= limit) {
					t.Errorf("error %.3f ulp at %v, want at most %v", worst, at, limit)
				}
			})
		}
	}
}

// worst returns the largest error over every stride-th float32, which two
// goroutines share.
func (s mathSweep) worst(loops *valueLoops, stride uint64) (worst float64, at float32) {
	const half = 1 << 31
	var wait sync.WaitGroup
	var errs [2]float64
	var ats [2]float32
	for i := range errs {
		wait.Go(func() { errs[i], ats[i] = s.worstIn(loops, uint64(i)*half, uint64(i+1)*half, stride) })
	}
	wait.Wait()
	if errs[0] >= errs[1] {
		return errs[0], ats[0]
	}
	return errs[1], ats[1]
}

func (s mathSweep) worstIn(loops *valueLoops, from, to, stride uint64) (worst float64, at float32) {
	const block = 1 << 12
	x, y, ones := make([]float32, 0, block), make([]float32, block), make([]float32, block)
	fill(ones, nil, nil, 1)
	for from < to {
		for x = x[:0]; len(x) < block && from < to; from += stride {
			x = append(x, math.Float32frombits(uint32(from)))
		}
		if s.gradient {
			loops.gradient[s.f.Kind].over(y[:len(x)], x, ones, s.f.Param)
		} else {
			loops.forward[s.f.Kind].over(y[:len(x)], x, x, s.f.Param)
		}
		for i, v := range x {
			if e := s.off(v, y[i]); !(e <= worst) {
				worst, at = e, v
			}
		}
	}
	return worst, at
}

// off returns the error of f(x) = got in ulp, infinite where only one is NaN.
func (s mathSweep) off(x, got float32) float64 {
	if s.gradient && x > 0 {
		return 0 // no value of the function
	}
	want := s.exact(float64(x))
	if math.IsNaN(want) || got != got {
		if math.IsNaN(want) && got != got {
			return 0
		}
		return math.Inf(1)
	}
	return ulps(got, want)
}

// The variants in assembly have each other's bits, subnormal results included.
func TestWideVariantsShareBits(t *testing.T) {
	all := variants()
	if len(all) < 3 {
		t.Skip("needs AVX-512 to compare with AVX2")
	}
	narrow, wide := valueVariants[all[1]].loops(), valueVariants[all[2]].loops()
	const stride = 40009
	var x []float32
	for i := uint64(0); i <= math.MaxUint32; i += stride {
		x = append(x, math.Float32frombits(uint32(i)))
	}
	y, got, want := oddValues(len(x), 1), make([]float32, len(x)), make([]float32, len(x))
	for i, f := range narrow {
		f.run.over(want, x, y, 0.3)
		wide[i].run.over(got, x, y, 0.3)
		sameValues(t, f.name, got, want, valueLoop{})
	}
}
