package kernel

import "math"

// The functions below are the standard ones in single precision: package math
// works in double precision and takes several times as long. Each states its
// largest error in units in the last place (ulp) of all its float32 arguments,
// for which a test sweeps: through some of them, or all with -exhaustive.

const (
	ln2Hi = 0.693359375    // ln 2 in two parts, the first of few digits,
	ln2Lo = -2.12194440e-4 // so that n·ln2Hi is exact
)

// exp returns eˣ to 1 ulp, results below the smallest normal number included.
//
// With n = round(x/ln 2) and r = x − n·ln 2, eˣ = 2ⁿ·eʳ and |r| ≤ ln(2)/2.
//
// Source: the minimax polynomial of Cephes, expf.
func exp(x float32) float32 {
	if !(x > -87 && x < 88) {
		return expFar(x)
	}
	r, n := reduce(x)
	return (1 + (r + r*r*expTail(r))) * pow2(n)
}

// expFar is exp where 2ⁿ may be no normal number, though the result may be one.
func expFar(x float32) float32 {
	switch {
	case x > 88.72284:
		return float32(math.Inf(1))
	case x < -103.97208:
		return 0
	case x != x:
		return x
	}
	r, n := reduce(x)
	return (1 + (r + r*r*expTail(r))) * pow2(n/2) * pow2(n-n/2)
}

// reduce returns r and n such that x = n·ln 2 + r, |r| ≤ ln(2)/2. Adding and
// taking away a number whose last place is 1 rounds to the nearest integer.
func reduce(x float32) (r float32, n int32) {
	const ones = 3 << 22
	k := (x*(1/math.Ln2) + ones) - ones
	return (x - k*ln2Hi) - k*ln2Lo, int32(k)
}

// expTail returns (eʳ − 1 − r)/r².
func expTail(r float32) float32 {
	return ((((1.9875691500e-4*r+1.3981999507e-3)*r+8.3334519073e-3)*r+4.1665795894e-2)*r+1.6666665459e-1)*r + 5.0000001201e-1
}

// pow2 returns 2ⁿ for normal results.
func pow2(n int32) float32 { return math.Float32frombits(uint32(n+127) << 23) }

// expm1 returns eˣ − 1 to 2 ulp, also near 0, where eˣ and 1 cancel:
// 2ⁿ·eʳ − 1 = 2ⁿ(eʳ − 1) + (2ⁿ − 1), the last term being exact.
func expm1(x float32) float32 {
	if !(x > -10 && x < 10) {
		return exp(x) - 1
	}
	r, n := reduce(x)
	s := pow2(n)
	return s*(r+r*r*expTail(r)) + (s - 1)
}

// log returns the natural logarithm to 1 ulp.
//
// With x = 2ⁿ·f and √½ ≤ f < √2, ln x = n·ln 2 + ln f.
//
// Source: the minimax polynomial of Cephes, logf.
func log(x float32) float32 {
	const smallestNormal = 0x1p-126
	switch {
	case x != x || x > math.MaxFloat32:
		return x
	case x < 0:
		return float32(math.NaN())
	case x == 0:
		return float32(math.Inf(-1))
	}
	n := int32(0)
	if x < smallestNormal {
		x *= 0x1p23
		n = -23
	}
	bits := math.Float32bits(x)
	n += int32(bits>>23) - 126
	f := math.Float32frombits(bits&0x7fffff | 126<<23) // in [½, 1)
	if f < math.Sqrt2/2 {
		f *= 2
		n--
	}
	f--
	k, z := float32(n), f*f
	y := ((((((((7.0376836292e-2*f-1.1514610310e-1)*f+1.1676998740e-1)*f-1.2420140846e-1)*f+1.4249322787e-1)*f-1.6668057665e-1)*f+2.0000714765e-1)*f-2.4999993993e-1)*f + 3.3333331174e-1) * f * z
	y += k * ln2Lo
	y -= 0.5 * z
	return f + y + k*ln2Hi
}

// log1p returns ln(1 + x) for 0 ≤ x ≤ 1 to 3 ulp. Rounding 1 + x to u loses
// digits of x that x/(u − 1) puts back.
func log1p(x float32) float32 {
	u := 1 + x
	if u == 1 {
		return x
	}
	return log(u) * (x / (u - 1))
}

// sigmoid returns 1/(1 + e⁻ˣ) to 2.5 ulp. It takes the exponential of −|x|, which
// cannot overflow, so that both tails keep their digits.
func sigmoid(x float32) float32 {
	if x >= 0 {
		return 1 / (1 + exp(-x))
	}
	e := exp(x)
	return e / (1 + e)
}

// logSigmoid returns ln(1/(1 + e⁻ˣ)) = min(x, 0) − ln(1 + e^−|x|) to 3 ulp.
func logSigmoid(x float32) float32 {
	if x >= 0 {
		return -log1p(exp(-x))
	}
	return x - log1p(exp(x))
}

// tanh returns the hyperbolic tangent to 1.4 ulp.
//
// Source: the minimax polynomial of Cephes, tanhf, below 0.625.
func tanh(x float32) float32 {
	a := abs(x)
	switch {
	case a < 0.625:
		z := x * x
		p := (((-5.70498872745e-3*z+2.06390887954e-2)*z-5.37397155531e-2)*z+1.33314422036e-1)*z - 3.33332819422e-1
		return x + x*z*p
	case a > 9.1:
		return copysign(1, x)
	}
	return copysign(1-2/(exp(2*a)+1), x)
}

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// copysign returns the magnitude m ≥ 0 with the sign of x.
func copysign(m, x float32) float32 {
	return math.Float32frombits(math.Float32bits(m) | math.Float32bits(x)&(1<<31))
}
