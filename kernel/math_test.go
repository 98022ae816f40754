package kernel

import (
	"math"
	"testing"
)

// ulps returns |got − want| in units of the last place of want.
func ulps(got float32, want float64) float64 {
	if float64(got) == want {
		return 0
	}
	w := float32(want)
	if math.IsInf(float64(w), 0) || math.IsInf(float64(got), 0) {
		if w == got {
			return 0
		}
		return math.Inf(1)
	}
	place := math.Abs(float64(math.Nextafter32(w, float32(math.Inf(1)))) - float64(w))
	return math.Abs(float64(got)-want) / place
}

// TestMathSweeps runs each function over every stride-th float32 there is.
func TestMathSweeps(t *testing.T) {
	stride := uint32(509)
	if testing.Short() {
		stride = 10007
	}
	for _, f := range []struct {
		name  string
		f     func(float32) float32
		exact func(float64) float64
		in    func(x float32) bool
		ulp   float64
	}{
		{"exp", exp, math.Exp, nil, 1},
		{"expm1", expm1, math.Expm1, nil, 2},
		{"log", log, math.Log, nil, 1},
		{"log1p", log1p, math.Log1p, func(x float32) bool { return x >= 0 && x <= 1 }, 3},
		{"sigmoid", sigmoid, func(x float64) float64 { return forward(Func{Kind: Sigmoid}, x) }, nil, 3},
		{"logSigmoid", logSigmoid, exactLogSigmoid, nil, 3},
		{"tanh", tanh, math.Tanh, nil, 2},
		{"sqrt", sqrt, math.Sqrt, nil, 0.5},
	} {
		t.Run(f.name, func(t *testing.T) {
			worst, at := 0.0, float32(0)
			for i := uint64(0); i <= math.MaxUint32; i += uint64(stride) {
				x := math.Float32frombits(uint32(i))
				if x != x || (f.in != nil && !f.in(x)) {
					continue
				}
				want := f.exact(float64(x))
				got := f.f(x)
				if math.IsNaN(want) {
					if got == got {
						t.Fatalf("%v is %v, want NaN", x, got)
					}
					continue
				}
				if e := ulps(got, want); e > worst {
					worst, at = e, x
				}
			}
			t.Logf("largest error %.3f ulp, at %v", worst, at)
			if worst > f.ulp {
				t.Errorf("error %.3f ulp at %v, want at most %v", worst, at, f.ulp)
			}
		})
	}
}

func exactLogSigmoid(x float64) float64 {
	return math.Min(x, 0) - math.Log1p(math.Exp(-math.Abs(x)))
}

func TestMathSpecialValues(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		name      string
		got, want float32
	}{
		{"exp(0)", exp(0), 1},
		{"exp(Inf)", exp(inf), inf},
		{"exp(−Inf)", exp(-inf), 0},
		{"exp(89)", exp(89), inf},
		{"exp(−200)", exp(-200), 0},
		{"log(0)", log(0), -inf},
		{"log(1)", log(1), 0},
		{"log(Inf)", log(inf), inf},
		{"tanh(Inf)", tanh(inf), 1},
		{"tanh(−Inf)", tanh(-inf), -1},
		{"sigmoid(Inf)", sigmoid(inf), 1},
		{"sigmoid(−Inf)", sigmoid(-inf), 0},
		{"logSigmoid(−Inf)", logSigmoid(-inf), -inf},
		{"log1p(0)", log1p(0), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
	for name, f := range map[string]func(float32) float32{
		"exp": exp, "expm1": expm1, "log": log, "log1p": log1p, "tanh": tanh, "sigmoid": sigmoid, "logSigmoid": logSigmoid,
	} {
		if v := f(nan32); v == v {
			t.Errorf("%s(NaN) = %v", name, v)
		}
	}
}
