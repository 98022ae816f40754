package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// constants are float32 numbers that functions of one vector width read: held
// in registers where those abound, else in memory.
type constants struct {
	v  vectors
	at map[uint32]Op // by the bits of the number
}

// mostConstants is how many are held in registers: code needs others.
const mostConstants = 18

func newConstants(v vectors, values ...float32) constants {
	c := constants{v, map[uint32]Op{}}
	for _, x := range values {
		bits := math.Float32bits(x)
		c.at[bits] = constant(x)
		if v.bytes == 64 && len(c.at) <= mostConstants {
			r := ZMM()
			VBROADCASTSS(constant(x), r)
			c.at[bits] = r
		}
	}
	return c
}

// of returns the operand that holds x.
func (c constants) of(x float32) Op {
	op, ok := c.at[math.Float32bits(x)]
	if !ok {
		panic("constant was not asked for")
	}
	if m, ok := op.(Mem); ok && c.v.bytes == 64 {
		r := ZMM()
		VBROADCASTSS(m, r)
		return r
	}
	return op
}

// into returns a register that holds x, which may be dst.
func (c constants) into(x float32, dst reg.VecVirtual) reg.VecVirtual {
	if r, ok := c.of(x).(reg.VecVirtual); ok {
		return r
	}
	VMOVUPS(c.of(x), dst)
	return dst
}

var constantMems = map[uint32]Mem{}

// constant returns a place that holds eight copies of x.
func constant(x float32) Mem {
	bits := math.Float32bits(x)
	m, ok := constantMems[bits]
	if !ok {
		m = GLOBL("float"+hex(x), 8|16) // RODATA and NOPTR
		for i := range 8 {
			DATA(4*i, U32(bits))
		}
		constantMems[bits] = m
	}
	return m
}

func hex(x float32) string {
	const digits = "0123456789abcdef"
	bits := math.Float32bits(x)
	var s [8]byte
	for i := range s {
		s[i] = digits[bits>>(28-4*i)&15]
	}
	return string(s[:])
}

// The numbers of the exponential, as in math.go.
const (
	expLowest, expHighest = -104, 89 // beyond, results are 0 and infinite
	log2e                 = math.Log2E
	ln2Hi, ln2Lo          = 0.693359375, -2.12194440e-4
)

// expTail are the coefficients of (eʳ − 1 − r)/r², highest power first.
var expTail = []float32{1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1}

var expConstants = append([]float32{expLowest, expHighest, log2e, ln2Hi, ln2Lo, 1}, expTail...)

// exp sets x to eˣ to 1.01 ulp, NaN staying NaN. Arguments above 0 need bounded.
//
// With n = round(x/ln 2) and r = x − n·ln 2, eˣ = 2ⁿ·eʳ and |r| ≤ ln(2)/2.
func (c constants) exp(x reg.VecVirtual, bounded bool) {
	n, p, square := c.v.register(), c.v.register(), c.v.register()
	// The second source wins where one is NaN: here x.
	VMAXPS(x, c.into(expLowest, n), x)
	if bounded {
		VMINPS(x, c.into(expHighest, n), x)
	}
	VMULPS(c.of(log2e), x, n)
	c.v.round(n)
	VFNMADD231PS(c.of(ln2Hi), n, x)
	VFNMADD231PS(c.of(ln2Lo), n, x)
	VMOVUPS(c.of(expTail[0]), p)
	for _, a := range expTail[1:] {
		VFMADD213PS(c.of(a), x, p)
	}
	VMULPS(x, x, square)
	VFMADD213PS(x, square, p)
	VADDPS(c.of(1), p, p)
	c.v.scale(n, p, x)
}

// exp2Tail are the coefficients of (2ʳ − 1)/r for r of 0 to 1, highest power first:
// of all polynomials of their degree, 1 + r·that is closest to 2ʳ, to 2.1e-9 of it.
var exp2Tail = []float32{2.1612914960e-4, 1.2467846444e-3, 9.6754515671e-3, 5.5485280619e-2, 2.4022930555e-1, 6.9314704444e-1}

var exp2Constants = append([]float32{log2e, 1}, exp2Tail...)

// exp2 sets x to 2ˣ to 1.1 ulp, NaN staying NaN; it overflows to +Inf. It is of
// AVX-512, whose scaling takes what is left of x itself: with r = x − ⌊x⌋,
// 2ˣ = 2^⌊x⌋·2ʳ.
func (c constants) exp2(x reg.VecVirtual) {
	const down = 1 | 8 // exact, so that nothing is to be told
	r, p := c.v.register(), c.v.register()
	VREDUCEPS(Imm(down), x, r)
	VMOVUPS(c.of(exp2Tail[0]), p)
	for _, a := range append(exp2Tail[1:], 1) {
		VFMADD213PS(c.of(a), r, p)
	}
	c.v.scale(x, p, x)
}

// exponential sets x to eˣ by 2^(x·log₂e), which costs ten instructions where exp takes
// sixteen. Rounding x·log₂e once changes it as much as rounding x does, which a
// sum is anyway.
func (c constants) exponential(x reg.VecVirtual) {
	VMULPS(c.of(log2e), x, x)
	c.exp2(x)
}

// round rounds to the nearest integer.
func (v vectors) round(x reg.VecVirtual) {
	if v.bytes == 64 {
		VRNDSCALEPS(Imm(8), x, x)
	} else {
		VROUNDPS(Imm(8), x, x)
	}
}

// scale sets y to p·2ⁿ, subnormal results included. It changes n.
func (v vectors) scale(n, p, y reg.VecVirtual) {
	if v.bytes == 64 {
		VSCALEFPS(n, p, y)
		return
	}
	// 2ⁿ may be no normal number: it is multiplied in two halves.
	half := YMM()
	VCVTPS2DQ(n, n)
	VPSRAD(Imm(1), n, half)
	VPSUBD(half, n, n)
	for _, e := range []reg.VecVirtual{half, n} {
		VPADDD(exponentBias(), e, e)
		VPSLLD(Imm(23), e, e)
		VMULPS(e, p, p)
	}
	VMOVUPS(p, y)
}

// exponentBias returns a place that holds eight integers 127.
func exponentBias() Mem { return constant(math.Float32frombits(127)) }
