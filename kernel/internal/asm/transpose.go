package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transpose builds the function that packs the rows of a right operand as
// columns: squares with a register per row.
func transpose(v vectors) {
	n := v.values()
	name := "transpose" + v.name
	TEXT(name, NOSPLIT, "func(squares int, a *float32, lda int, dst *float32, ldd int)")
	Doc(fmt.Sprintf("%s transposes %d rows of squares × %d columns, squares > 0:", name, n, n),
		"a[i, p] at a + i·lda + 4p goes to dst + p·ldd + 4i.")
	Pragma("noescape")
	squares := Load(Param("squares"), GP64())
	a := Load(Param("a"), GP64())
	lda := Load(Param("lda"), GP64())
	dst := Load(Param("dst"), GP64())
	ldd := Load(Param("ldd"), GP64())
	Label("square")
	row := GP64()
	MOVQ(a, row)
	for i := range n {
		VMOVUPS(Mem{Base: row}, v.numbered(i))
		ADDQ(lda, row)
	}
	for _, column := range v.transposed() {
		VMOVUPS(column, Mem{Base: dst})
		ADDQ(ldd, dst)
	}
	ADDQ(Imm(uint64(v.bytes)), a)
	DECQ(squares)
	JNZ(LabelRef("square"))
	VZEROUPPER()
	RET()
}

// transposed transposes the square in the first half of the registers and
// returns the registers of its columns.
func (v vectors) transposed() []reg.Register {
	n := v.values()
	in, out := make([]reg.Register, n), make([]reg.Register, n)
	for i := range n {
		in[i], out[i] = v.numbered(i), v.numbered(n+i)
	}
	// Values of two rows side by side, and then of four: after that, register
	// 4g+c holds columns c, c+4, … of rows 4g to 4g+3, each in a quarter of
	// 128 bits.
	for i := 0; i < n; i += 2 {
		VUNPCKLPS(in[i+1], in[i], out[i])
		VUNPCKHPS(in[i+1], in[i], out[i+1])
	}
	in, out = out, in
	for i := 0; i < n; i += 4 {
		VUNPCKLPD(in[i+2], in[i], out[i])
		VUNPCKHPD(in[i+2], in[i], out[i+1])
		VUNPCKLPD(in[i+3], in[i+1], out[i+2])
		VUNPCKHPD(in[i+3], in[i+1], out[i+3])
	}
	in, out = out, in
	if n == 8 {
		for c := range 4 {
			VPERM2F128(Imm(0x20), in[4+c], in[c], out[c])
			VPERM2F128(Imm(0x31), in[4+c], in[c], out[4+c])
		}
		return out
	}
	// The quarters of four registers, in two steps: first the even and the odd
	// ones of two, which are columns c, c+8 and c+4, c+12 of eight rows.
	const even, odd = 0x88, 0xdd
	for h := 0; h < n; h += 8 {
		for c := range 4 {
			VSHUFF32X4(Imm(even), in[h+4+c], in[h+c], out[h+c])
			VSHUFF32X4(Imm(odd), in[h+4+c], in[h+c], out[h+4+c])
		}
	}
	in, out = out, in
	for c := range 8 {
		VSHUFF32X4(Imm(even), in[8+c], in[c], out[c])
		VSHUFF32X4(Imm(odd), in[8+c], in[c], out[8+c])
	}
	return out
}
