package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vec is a vector of values.
type vec = reg.VecVirtual

// mask marks lanes: an opmask of AVX-512, lanes of ones of AVX2.
type mask = reg.Register

// lanes writes expressions of vectors: each method leaves its result in a new
// register and its operands as they are. An Op may be a constant, which AVX2
// keeps in memory.
type lanes struct {
	constants
	scalar vec // the function's parameter in every lane
}

// number returns a register that holds a constant.
func (l lanes) number(x float32) vec {
	if r, ok := l.of(x).(vec); ok {
		return r
	}
	return l.into(x, l.v.register())
}

func (l lanes) binary(f func(ops ...Op), y Op, x vec) vec {
	r := l.v.register()
	f(y, x, r)
	return r
}

// add returns x + y, sub x − y, mul x·y, div x/y.
func (l lanes) add(x vec, y Op) vec { return l.binary(VADDPS, y, x) }
func (l lanes) sub(x vec, y Op) vec { return l.binary(VSUBPS, y, x) }
func (l lanes) mul(x vec, y Op) vec { return l.binary(VMULPS, y, x) }
func (l lanes) div(x vec, y Op) vec { return l.binary(VDIVPS, y, x) }

// max and min return y where the values are equal or one is NaN.
func (l lanes) max(x vec, y Op) vec { return l.binary(VMAXPS, y, x) }
func (l lanes) min(x vec, y Op) vec { return l.binary(VMINPS, y, x) }

// and returns the bits that x and y share.
func (l lanes) and(x vec, y Op) vec { return l.binary(VANDPS, y, x) }

func (l lanes) sqrt(x vec) vec {
	r := l.v.register()
	VSQRTPS(x, r)
	return r
}

// fma returns x·y + z in one rounding, fnma −x·y + z.
func (l lanes) fma(x vec, y Op, z vec) vec {
	r := l.copy(z)
	VFMADD231PS(y, x, r)
	return r
}

func (l lanes) fnma(x vec, y Op, z vec) vec {
	r := l.copy(z)
	VFNMADD231PS(y, x, r)
	return r
}

func (l lanes) copy(x vec) vec {
	r := l.v.register()
	VMOVAPS(x, r)
	return r
}

// polynomial returns the value at x of the polynomial with some coefficients,
// highest power first.
func (l lanes) polynomial(x vec, coefficients []float32) vec {
	p := l.v.register()
	VMOVUPS(l.of(coefficients[0]), p)
	for _, a := range coefficients[1:] {
		VFMADD213PS(l.of(a), x, p)
	}
	return p
}

// relation is a comparison. Those that begin with not hold of NaN as well.
type relation uint64

const (
	equal          relation = 0
	less           relation = 17
	lessOrEqual    relation = 18
	notLess        relation = 21
	notLessOrEqual relation = 22
	equalOrNaN     relation = 8
	greaterOrEqual relation = 29
)

// where returns the lanes in which x stands in a relation to y.
func (l lanes) where(x vec, is relation, y Op) mask {
	if l.v.masked() {
		k := K()
		VCMPPS(Imm(uint64(is)), y, x, k)
		return k
	}
	m := YMM()
	VCMPPS(Imm(uint64(is)), y, x, m)
	return m
}

// choose returns x in the lanes of m and y in the others.
func (l lanes) choose(m mask, x Op, y vec) vec {
	r := l.v.register()
	if l.v.masked() {
		VBLENDMPS(x, y, m, r)
	} else {
		VBLENDVPS(m, x, y, r)
	}
	return r
}

// keep returns x in the lanes of m and 0 in the others.
func (l lanes) keep(m mask, x vec) vec {
	r := l.v.register()
	if l.v.masked() {
		VMOVAPS_Z(x, m, r)
	} else {
		VANDPS(m, x, r)
	}
	return r
}

// signBit is −0: the bit of the sign alone.
var signBit = math.Float32frombits(1 << 31)

// sign returns the sign bit of x, flip y with its sign changed where that is 1.
func (l lanes) sign(x vec) vec    { return l.and(x, l.of(signBit)) }
func (l lanes) flip(s, y vec) vec { return l.binary(VXORPS, s, y) }

// magnitude returns |x|.
func (l lanes) magnitude(x vec) vec {
	r := l.v.register()
	VANDNPS(x, l.number(signBit), r)
	return r
}

// integer operations on the bits of values

func (l lanes) addBits(x vec, y Op) vec { return l.binary(VPADDD, y, x) }
func (l lanes) subBits(x vec, y Op) vec { return l.binary(VPSUBD, y, x) }

func (l lanes) shift(f func(ops ...Op), x vec, bits uint64) vec {
	r := l.v.register()
	f(Imm(bits), x, r)
	return r
}

func (l lanes) toInteger(x vec) vec {
	r := l.v.register()
	VCVTPS2DQ(x, r)
	return r
}

func (l lanes) toFloat(x vec) vec {
	r := l.v.register()
	VCVTDQ2PS(x, r)
	return r
}
