package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
)

// The numbers of the logarithm, as in math.go. Integers stand for numbers of
// the same bits.
const smallestNormal = 0x1p-126

var (
	exponentOfOne = math.Float32frombits(127)
	rootHalf      = float32(math.Sqrt2 / 2)
	maxFloat      = float32(math.MaxFloat32)
	notANumber    = math.Float32frombits(0x7fc00000)
)

var logTail = []float32{
	7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
	-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
}

var (
	logConstants = append([]float32{rootHalf, 1, 0.5, ln2Hi, ln2Lo}, logTail...)
	logSpecial   = []float32{signBit, smallestNormal, 0x1p23, 23, 0, maxFloat, negativeInfinity, notANumber}
)

// logNormal returns ln x + n·ln 2 of a normal x above 0; n is nil for 0.
//
// With x = 2ᵏ·f and √½ ≤ f < √2, ln x = k·ln 2 + ln f: taking √½ from the bits
// of x leaves k in those of the exponent.
func (l lanes) logNormal(x, n vec) vec {
	e := l.shift(VPSRAD, l.subBits(x, l.of(rootHalf)), 23)
	f := l.sub(l.subBits(x, l.shift(VPSLLD, e, 23)), l.of(1))
	k := l.toFloat(e)
	if n != nil {
		k = l.add(k, n)
	}
	square := l.mul(f, f)
	y := l.mul(l.mul(l.polynomial(f, logTail), f), square)
	y = l.fma(k, l.of(ln2Lo), y)
	y = l.fnma(square, l.of(0.5), y)
	return l.fma(k, l.of(ln2Hi), l.add(f, y))
}

// log returns ln x. Subnormal numbers are scaled by 2²³ first.
func (l lanes) log(x, _ vec) vec {
	subnormal := l.where(x, less, l.of(smallestNormal))
	normal := l.choose(subnormal, l.mul(x, l.of(0x1p23)), x)
	y := l.logNormal(normal, l.flip(l.number(signBit), l.keep(subnormal, l.number(23))))
	y = l.choose(l.where(x, notLessOrEqual, l.of(maxFloat)), x, y)
	y = l.choose(l.where(x, equal, l.of(0)), l.of(negativeInfinity), y)
	return l.choose(l.where(x, less, l.of(0)), l.of(notANumber), y)
}
