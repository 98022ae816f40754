package main

import (
	"fmt"
	"strings"
)

// Go's assembler lacks most vector instructions on floating-point values. Those
// below are written as words, by the encodings of the Arm Architecture Reference
// Manual (DDI 0487), chapter C7.2: all on four lanes of 32 bits.

// encoded writes an instruction by its encoding and, as a comment, by its name.
func (f *function) encoded(bits uint32, op string, operands ...string) {
	fmt.Fprintf(&f.asm, "\tWORD $0x%08x // %s %s\n", bits, op, strings.Join(operands, ", "))
}

// three is the encoding of an instruction of two sources, one register: of FADD
// and FMUL, vector.
func three(op uint32, x, y, dst vec) uint32 { return op | uint32(y)<<16 | uint32(x)<<5 | uint32(dst) }

const (
	opAdd         = 0x4e20d400 // FADD
	opMultiply    = 0x6e20dc00 // FMUL
	opBelow       = 0x4ea0e800 // FCMLT, with zero
	opNotAbove    = 0x6ea0d800 // FCMLE, with zero
	opMultiplyAdd = 0x4f801000 // FMLA, by element
)

// add computes dst = x + y.
func (f *function) add(x, y, dst vec) {
	f.encoded(three(opAdd, x, y, dst), "FADD", y.s4(), x.s4(), dst.s4())
}

// multiply computes dst = x·y.
func (f *function) multiply(x, y, dst vec) {
	f.encoded(three(opMultiply, x, y, dst), "FMUL", y.s4(), x.s4(), dst.s4())
}

// below sets all bits of the lanes of dst in which x < 0, notAbove those in which
// x ≤ 0; NaN is neither.
func (f *function) below(x, dst vec) {
	f.encoded(three(opBelow, x, 0, dst), "VFCMLT", "$0", x.s4(), dst.s4())
}

func (f *function) notAbove(x, dst vec) {
	f.encoded(three(opNotAbove, x, 0, dst), "VFCMLE", "$0", x.s4(), dst.s4())
}

// multiplyAdd computes sum += x·y[lane] in one rounding.
func (f *function) multiplyAdd(x, y vec, lane int, sum vec) {
	bits := three(opMultiplyAdd, x, y, sum) | uint32(lane&1)<<21 | uint32(lane>>1)<<11
	f.encoded(bits, "VFMLA", y.lane('S', lane), x.s4(), sum.s4())
}

// clear sets registers to zero.
func (f *function) clear(vs ...vec) {
	for _, v := range vs {
		f.do("VEOR", v.b16(), v.b16(), v.b16())
	}
}

// some is how many lanes of a vector count, 1 to 4: beside them no memory is read
// or written.
type some int

// byCount builds the code for each number of lanes that an argument may say.
func (f *function) byCount(argument string, build func(n some)) {
	done := f.newLabel("counted")
	for n := some(lanes); n > 1; n-- {
		next := f.newLabel("fewer")
		f.scope(func() {
			count := f.gp()
			f.do("MOVD", argument, count)
			f.do("CMP", imm(n), count)
		})
		f.do("BNE", next)
		f.scope(func() { build(n) })
		f.do("B", done)
		f.label(next)
	}
	f.scope(func() { build(1) })
	f.label(done)
}

// loadSome loads lanes and may set the others to anything.
func (f *function) loadSome(n some, base gp, v vec) {
	switch n {
	case 1:
		f.do("FMOVS", at(base, 0), v)
	case 2:
		f.do("FMOVD", at(base, 0), v)
	case 3:
		f.do("FMOVD", at(base, 0), v)
		f.third(base, 8, func(third gp) { f.do("VLD1", at(third, 0), v.lane('S', 2)) })
	case 4:
		f.do("FMOVQ", at(base, 0), v)
	}
}

// storeSome stores lanes.
func (f *function) storeSome(n some, v vec, base gp) {
	switch n {
	case 1:
		f.do("FMOVS", v, at(base, 0))
	case 2:
		f.do("FMOVD", v, at(base, 0))
	case 3:
		f.do("FMOVD", v, at(base, 0))
		f.third(base, 8, func(third gp) { f.do("VST1", v.lane('S', 2), at(third, 0)) })
	case 4:
		f.do("FMOVQ", v, at(base, 0))
	}
}

// loadHalves loads lanes of 16 bits.
func (f *function) loadHalves(n some, base gp, v vec) {
	switch n {
	case 1:
		f.do("VLD1", at(base, 0), v.lane('H', 0))
	case 2:
		f.do("FMOVS", at(base, 0), v)
	case 3:
		f.do("FMOVS", at(base, 0), v)
		f.third(base, 4, func(third gp) { f.do("VLD1", at(third, 0), v.lane('H', 2)) })
	case 4:
		f.do("FMOVD", at(base, 0), v)
	}
}

// third runs build with the address of a third lane: instructions on one lane
// take no offset.
func (f *function) third(base gp, offset int, build func(gp)) {
	f.scope(func() {
		r := f.gp()
		f.do("ADD", imm(offset), base, r)
		build(r)
	})
}
