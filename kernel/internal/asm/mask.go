package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// masked reports whether instructions take masks.
func (v vectors) masked() bool { return v.bytes == 64 }

const maskValues = 16

var maskTable Mem

// maskData builds the table that narrow registers load masks from.
func maskData() {
	maskTable = GLOBL("tailmask", attr.RODATA|attr.NOPTR)
	for i := range 2 * maskValues {
		bits := uint32(0)
		if i < maskValues {
			bits = 1<<32 - 1
		}
		DATA(4*i, U32(bits))
	}
}

// masks returns masks of the first n values, over width vectors. AVX2 keeps
// them in registers from first on.
func (v vectors) masks(n reg.Register, width, first int) (masks []reg.Register) {
	if !v.masked() {
		end := GP64()
		LEAQ(maskTable.Offset(4*maskValues), end)
		SHLQ(Imm(2), n)
		SUBQ(n, end)
		for j := range width {
			mask := v.numbered(first + j)
			VMOVDQU(v.at(Mem{Base: end}, j), mask)
			masks = append(masks, mask)
		}
		return masks
	}
	bits := GP64()
	MOVQ(I32(-1), bits)
	SHLXQ(n, bits, bits)
	NOTQ(bits)
	for range width {
		mask := K()
		KMOVW(bits.As32(), mask)
		SHRQ(Imm(uint64(v.values())), bits)
		masks = append(masks, mask)
	}
	return masks
}

// load reads the values of a mask, and zeros.
func (v vectors) load(m Mem, mask reg.Register, dst reg.Register) {
	if v.masked() {
		VMOVUPS_Z(m, mask, dst)
	} else {
		VMASKMOVPS(m, mask, dst)
	}
}

// store writes the values of a mask.
func (v vectors) store(src reg.Register, mask reg.Register, m Mem) {
	if v.masked() {
		VMOVUPS(src, mask, m)
	} else {
		VMASKMOVPS(src, mask, m)
	}
}
