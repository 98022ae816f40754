package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const dotArgs = "func(" + edgeArgs + sourceArgs + destArgs

// edgeDot builds z[p] = Σ x[other[p]]·y[r] over n vectors of columns. It goes
// edge by edge: rows are short, and a second loop for what is left of groups
// of edges would be mispredicted in most of them.
func edgeDot(v vectors, n int) {
	name := fmt.Sprintf("edgeDot%sx%d", v.name, n)
	TEXT(name, NOSPLIT, dotArgs+", tail int)")
	Doc(fmt.Sprintf("%s multiplies the rows of both ends, %d vectors of columns.", name, n))
	e := beginEdges(v, true, true)
	only := newTail(v, Load(Param("tail"), GP64()))
	y := make([]reg.VecVirtual, n)
	for j := range y {
		y[j] = v.register()
	}
	e.rows(func() {
		for j := range y[:n-1] {
			VMOVUPS(Mem{Base: e.y, Disp: j * v.bytes}, y[j])
		}
		only.load(Mem{Base: e.y, Disp: (n - 1) * v.bytes}, y[n-1])
	}, func(end reg.GPVirtual) {
		loop := label("position")
		Label(loop)
		e.prefetch(n * v.bytes / 64)
		q := e.source(e.other)
		sums := newSums(v, min(n, 2))
		for j := range n {
			x := Mem{Base: e.x, Index: q, Scale: 1, Disp: j * v.bytes}
			if j == n-1 {
				only.multiplyAdd(x, y[j], sums[j%2])
			} else {
				VFMADD231PS(x, y[j], sums[j%2])
			}
		}
		VMOVSS(fold(v, sums).AsX(), Mem{Base: e.z})
		e.next(end, loop)
	})
}

// newSums returns n registers of zeros.
func newSums(v vectors, n int) (sums []reg.VecVirtual) {
	for range n {
		sums = append(sums, v.register())
	}
	v.zero(sums...)
	return sums
}

// fold adds up registers and their lanes. It changes them.
func fold(v vectors, sums []reg.VecVirtual) reg.VecVirtual {
	for n := len(sums) / 2; n > 0; n /= 2 {
		for i := range n {
			VADDPS(sums[i+n], sums[i], sums[i])
		}
	}
	x, t := sums[0], XMM()
	if v.bytes == 64 {
		half := YMM()
		VEXTRACTF64X4(Imm(1), x, half)
		VADDPS(half, x.AsY(), x.AsY())
		VEXTRACTF32X4(Imm(1), x.AsY(), t) // of which there is a form for registers above 15
	} else {
		VEXTRACTF128(Imm(1), x.AsY(), t)
	}
	VADDPS(t, x.AsX(), x.AsX())
	VPERMILPS(Imm(0x4e), x.AsX(), t)
	VADDPS(t, x.AsX(), x.AsX())
	VMOVSHDUP(x.AsX(), t)
	VADDSS(t, x.AsX(), x.AsX())
	return x
}

// together is how many vectors edgeDotWide multiplies at once.
const together = 4

// edgeDotWide builds the same for several heads, and for rows of any width.
func edgeDotWide(v vectors) {
	name := "edgeDotWide" + v.name
	TEXT(name, NOSPLIT, dotArgs+", heads, width, full, tail int)")
	Doc(name + " multiplies the rows of both ends, head by head of width bytes, in full bytes of whole vectors and a tail of values.")
	e := beginEdges(v, true, true)
	only := newTail(v, Load(Param("tail"), GP64()))
	full := Load(Param("full"), GP64())
	y := v.register()
	e.rows(func() {}, func(end reg.GPVirtual) {
		loop := label("position")
		Label(loop)
		e.prefetchAll()
		q, yh, zh, heads, j, stop := e.source(e.other), GP64(), GP64(), GP64(), GP64(), GP64()
		ADDQ(e.x, q)
		MOVQ(e.y, yh)
		MOVQ(e.z, zh)
		MOVQ(argument("heads"), heads)
		head, four, fourCheck, one, oneCheck, done := label("head"), label("four"), label("fourcheck"), label("one"), label("onecheck"), label("done")
		at := func(base reg.GPVirtual, i int) Mem {
			return Mem{Base: base, Index: j, Scale: 1, Disp: i * v.bytes}
		}
		Label(head)
		sums := newSums(v, together)
		XORQ(j, j)
		LEAQ(Mem{Base: full, Disp: -together * v.bytes}, stop)
		JMP(LabelRef(fourCheck))
		Label(four)
		for i, s := range sums {
			VMOVUPS(at(yh, i), y)
			VFMADD231PS(at(q, i), y, s)
		}
		ADDQ(U32(together*v.bytes), j)
		Label(fourCheck)
		CMPQ(j, stop)
		JLE(LabelRef(four))
		JMP(LabelRef(oneCheck))
		Label(one)
		VMOVUPS(at(yh, 0), y)
		VFMADD231PS(at(q, 0), y, sums[0])
		ADDQ(Imm(uint64(v.bytes)), j)
		Label(oneCheck)
		CMPQ(j, full)
		JLT(LabelRef(one))
		CMPQ(argument("tail"), Imm(0))
		JE(LabelRef(done))
		only.load(at(yh, 0), y)
		only.multiplyAdd(at(q, 0), y, sums[1])
		Label(done)
		VMOVSS(fold(v, sums).AsX(), Mem{Base: zh})
		ADDQ(argument("width"), q)
		ADDQ(argument("width"), yh)
		ADDQ(Imm(4), zh)
		DECQ(heads)
		JNZ(LabelRef(head))
		e.next(end, loop)
	})
}

// edgeDotEight builds the product of eight heads of eight columns, whose values
// of one edge lie side by side.
func edgeDotEight(v vectors) {
	name := "edgeDotEight" + v.name
	TEXT(name, NOSPLIT, dotArgs+")")
	Doc(name + " multiplies the rows of both ends, eight heads of eight columns.")
	e := beginEdges(v, true, true)
	n := 64 / v.values()
	var y []reg.VecVirtual
	var order reg.VecVirtual
	if v.bytes == 64 {
		for range n {
			y = append(y, ZMM())
		}
		order = ZMM()
		VMOVUPS(evenThenOdd(), order)
	}
	e.rows(func() {
		for j, r := range y {
			VMOVUPS(Mem{Base: e.y, Disp: j * v.bytes}, r)
		}
	}, func(end reg.GPVirtual) {
		loop := label("position")
		Label(loop)
		e.prefetch(4)
		q := e.source(e.other)
		x := make([]reg.VecVirtual, n)
		for j := range x {
			x[j] = v.register()
			m := Mem{Base: e.x, Index: q, Scale: 1, Disp: j * v.bytes}
			if v.bytes == 64 {
				VMULPS(m, y[j], x[j])
				continue
			}
			VMOVUPS(m, x[j])
			VMULPS(Mem{Base: e.y, Disp: j * v.bytes}, x[j], x[j])
		}
		VMOVUPS(foldSquare(v, x, order), Mem{Base: e.z})
		e.next(end, loop)
	})
}

// foldSquare adds up eight lanes each of the 64 values of some vectors; order holds
// evenThenOdd where these are of sixteen.
func foldSquare(v vectors, x []vec, order vec) reg.Register {
	if v.bytes == 64 {
		foldEight(x, order)
		return x[0].AsY()
	}
	for apart := 1; apart < 4; apart *= 2 {
		for j := 0; j < len(x); j += 2 * apart {
			VHADDPS(x[j+apart], x[j], x[j])
		}
	}
	VPERM2F128(Imm(0x31), x[4], x[0], x[1])
	VPERM2F128(Imm(0x20), x[4], x[0], x[0])
	VADDPS(x[1], x[0], x[0])
	return x[0]
}

// foldEight adds up eight lanes each of four vectors, to the lower half of the
// first; order holds evenThenOdd.
func foldEight(x []vec, order vec) {
	foldQuarters(x)
	VSHUFF32X4(Imm(0xb1), x[0], x[0], x[1])
	VADDPS(x[1], x[0], x[0])
	VPERMPS(x[0], order, x[0])
}

// foldQuarters adds up the quarters of four vectors; each of the first then has the
// sums of one quarter of all.
func foldQuarters(x []vec) {
	addPairs(x[0], x[1])
	addPairs(x[2], x[3])
	addPairs(x[0], x[2])
}

// addPairs adds neighbouring lanes of x and y, and leaves in every four lanes
// two sums of x and two of y, in x.
func addPairs(x, y reg.VecVirtual) {
	t := ZMM()
	VSHUFPS(Imm(0xdd), y, x, t)
	VSHUFPS(Imm(0x88), y, x, x)
	VADDPS(t, x, x)
}

// evenThenOdd are the lanes that bring even and odd heads, which lie in the
// first and the third quarter of a vector, into order.
func evenThenOdd() Mem {
	m := GLOBL("evenThenOdd", 8|16) // RODATA and NOPTR
	for i := range 16 {
		DATA(4*i, U32(8*(i%2)+i/2%4))
	}
	return m
}
