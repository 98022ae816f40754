package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tail handles a vector of which only the first lanes count: beside them no
// memory is read or written.
type tail struct {
	v     vectors
	k     reg.OpmaskVirtual // the lanes that count, of AVX-512
	mask  reg.VecVirtual    // the same of AVX2
	whole bool              // all lanes count, without a mask
}

// newTail makes the mask of the first count lanes, 1 to all of them.
func newTail(v vectors, count reg.Register) tail {
	t := tail{v: v}
	if v.bytes == 64 {
		bits := GP64()
		MOVQ(operand.I32(-1), bits)
		BZHIQ(count, bits, bits)
		t.k = K()
		KMOVW(bits.As32(), t.k)
		return t
	}
	lanes, from := GP64(), GP64()
	LEAQ(lanesAVX2(), lanes)
	MOVQ(operand.I32(8), from)
	SUBQ(count, from)
	t.mask = YMM()
	VMOVUPS(operand.Mem{Base: lanes, Index: from, Scale: 4}, t.mask)
	return t
}

// lanesAVX2 are eight words of ones and eight of zeros: from word 8 − n on, the
// mask of n lanes.
func lanesAVX2() operand.Mem {
	if lanesMem == nil {
		m := GLOBL("lanesAVX2", 8|16) // RODATA and NOPTR
		for i := range 16 {
			ones := operand.U32(0xffffffff)
			if i >= 8 {
				ones = 0
			}
			DATA(4*i, ones)
		}
		lanesMem = &m
	}
	return *lanesMem
}

var lanesMem *operand.Mem

// load sets dst to the lanes of m, the others to 0.
func (t tail) load(m operand.Mem, dst reg.VecVirtual) {
	switch {
	case t.whole:
		VMOVUPS(m, dst)
	case t.v.bytes == 64:
		VMOVUPS_Z(m, t.k, dst)
	default:
		VMASKMOVPS(m, t.mask, dst)
	}
}

// store writes the lanes of x to m.
func (t tail) store(x reg.VecVirtual, m operand.Mem) {
	switch {
	case t.whole:
		VMOVUPS(x, m)
	case t.v.bytes == 64:
		VMOVUPS(x, t.k, m)
	default:
		VMASKMOVPS(x, t.mask, m)
	}
}

// add computes y += m.
func (t tail) add(m operand.Mem, y reg.VecVirtual) {
	switch {
	case t.whole:
		VADDPS(m, y, y)
	case t.v.bytes == 64:
		VADDPS(m, y, t.k, y)
	default:
		x := YMM()
		VMASKMOVPS(m, t.mask, x)
		VADDPS(x, y, y)
	}
}

// multiplyAdd computes y += w·m.
func (t tail) multiplyAdd(m operand.Mem, w, y reg.VecVirtual) {
	switch {
	case t.whole:
		VFMADD231PS(m, w, y)
	case t.v.bytes == 64:
		VFMADD231PS(m, w, t.k, y)
	default:
		x := YMM()
		VMASKMOVPS(m, t.mask, x)
		VFMADD231PS(x, w, y)
	}
}
