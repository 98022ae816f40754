package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// group is how many edges of a row are multiplied at once.
const group = 4

const dotArgs = "func(ptr *int64, p, hi int, other *int32, last, ahead int, x *float32, ldx, lastByte int, " +
	"y *float32, ldy int, z *float32, ldz"

// edgeDot builds z[p] = Σ x[other[p]]·y[r] over n vectors of columns.
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
	sums := newSums(v)
	e.rows(func() {
		for j := range y[:n-1] {
			VMOVUPS(Mem{Base: e.y, Disp: j * v.bytes}, y[j])
		}
		only.load(Mem{Base: e.y, Disp: (n - 1) * v.bytes}, y[n-1])
	}, func(end reg.GPVirtual) {
		e.groups(end, func(q [group]reg.GPVirtual) {
			for i := range group {
				e.prefetch(i, n*v.bytes/64)
			}
			v.zero(sums[:]...)
			for j := range n {
				for i, s := range sums {
					x := Mem{Base: q[i], Disp: j * v.bytes}
					if j == n-1 {
						only.multiplyAdd(x, y[j], s)
					} else {
						VFMADD231PS(x, y[j], s)
					}
				}
			}
			e.storeGroup(fold(v, sums), e.z, end)
		})
	})
}

func newSums(v vectors) (sums [group]reg.VecVirtual) {
	for i := range sums {
		sums[i] = v.register()
	}
	return sums
}

// groups builds the loop over groups of a row's edges. Beyond the row's last
// edge a group goes on with copies of it, so that every edge has the bits that
// it would have anywhere in a group.
func (e *edges) groups(end reg.GPVirtual, body func(q [group]reg.GPVirtual)) {
	loop := label("group")
	Label(loop)
	var q [group]reg.GPVirtual
	final := GP64()
	LEAQ(Mem{Base: end, Disp: -1}, final)
	for i := range q {
		q[i] = GP64()
		LEAQ(Mem{Base: e.p, Disp: i}, q[i])
		CMPQ(q[i], end)
		CMOVQGE(final, q[i])
		e.source(q[i])
	}
	body(q)
	rows := GP64()
	MOVQ(argument("ldz"), rows)
	LEAQ(Mem{Base: e.z, Index: rows, Scale: group}, e.z)
	ADDQ(Imm(group), e.p)
	CMPQ(e.p, end)
	JLT(LabelRef(loop))
	// The last group may have gone beyond the row.
	SUBQ(end, e.p)
	IMULQ(e.p, rows)
	SUBQ(rows, e.z)
	MOVQ(end, e.p)
}

// fold returns the sums of the lanes of four vectors. It changes them.
func fold(v vectors, s [group]reg.VecVirtual) reg.VecVirtual {
	if v.bytes == 64 {
		half := YMM()
		for _, x := range s {
			VEXTRACTF64X4(Imm(1), x, half)
			VADDPS(half, x.AsY(), x.AsY())
		}
	}
	VHADDPS(s[1].AsY(), s[0].AsY(), s[0].AsY())
	VHADDPS(s[3].AsY(), s[2].AsY(), s[2].AsY())
	VHADDPS(s[2].AsY(), s[0].AsY(), s[0].AsY())
	half := XMM()
	VEXTRACTF128(Imm(1), s[0].AsY(), half)
	VADDPS(half, s[0].AsX(), s[0].AsX())
	return s[0]
}

// storeGroup writes four values to successive rows from z on, those of edges
// beyond the row's last excepted.
func (e *edges) storeGroup(x reg.VecVirtual, z, end reg.GPVirtual) {
	at, left := GP64(), GP64()
	done := label("stored")
	MOVQ(z, at)
	MOVQ(end, left)
	SUBQ(e.p, left)
	VMOVSS(x.AsX(), Mem{Base: at})
	for i := 1; i < group; i++ {
		CMPQ(left, Imm(uint64(i)))
		JLE(LabelRef(done))
		ADDQ(argument("ldz"), at)
		VEXTRACTPS(Imm(uint64(i)), x.AsX(), Mem{Base: at})
	}
	Label(done)
}

// edgeDotWide builds the same for several heads, and for rows of any width.
func edgeDotWide(v vectors) {
	name := "edgeDotWide" + v.name
	TEXT(name, NOSPLIT, dotArgs+", heads, width, full, tail int)")
	Doc(name + " multiplies the rows of both ends, head by head of width bytes, in full bytes of whole vectors and a tail of values.")
	e := beginEdges(v, true, true)
	only := newTail(v, Load(Param("tail"), GP64()))
	left := AllocLocal(8)
	y := v.register()
	sums := newSums(v)
	e.rows(func() {}, func(end reg.GPVirtual) {
		e.groups(end, func(q [group]reg.GPVirtual) {
			for i := range group {
				e.prefetchAll(i)
			}
			yh, zh, j := GP64(), GP64(), GP64()
			heads, columns, rest, done := label("heads"), label("columns"), label("rest"), label("done")
			MOVQ(e.y, yh)
			MOVQ(e.z, zh)
			MOVQ(argument("heads"), j)
			MOVQ(j, left)
			Label(heads)
			v.zero(sums[:]...)
			XORQ(j, j)
			CMPQ(j, argument("full"))
			JGE(LabelRef(rest))
			Label(columns)
			VMOVUPS(Mem{Base: yh, Index: j, Scale: 1}, y)
			for i, s := range sums {
				VFMADD231PS(Mem{Base: q[i], Index: j, Scale: 1}, y, s)
			}
			ADDQ(Imm(uint64(v.bytes)), j)
			CMPQ(j, argument("full"))
			JLT(LabelRef(columns))
			Label(rest)
			CMPQ(argument("tail"), Imm(0))
			JE(LabelRef(done))
			only.load(Mem{Base: yh, Index: j, Scale: 1}, y)
			for i, s := range sums {
				only.multiplyAdd(Mem{Base: q[i], Index: j, Scale: 1}, y, s)
			}
			Label(done)
			e.storeGroup(fold(v, sums), zh, end)
			MOVQ(argument("width"), j)
			for _, r := range append(q[:], yh) {
				ADDQ(j, r)
			}
			ADDQ(Imm(4), zh)
			DECQ(left)
			JNZ(LabelRef(heads))
		})
	})
}

// edgeDotEight builds the product of eight heads of eight columns, whose values
// of one edge lie side by side.
func edgeDotEight(v vectors) {
	name := "edgeDotEight" + v.name
	TEXT(name, NOSPLIT, dotArgs+" int)")
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
		loop, q := label("position"), GP64()
		Label(loop)
		MOVQ(e.p, q)
		e.source(q)
		e.prefetch(0, 4)
		x := make([]reg.VecVirtual, n)
		for j := range x {
			x[j] = v.register()
		}
		if v.bytes == 64 {
			for j := range x {
				VMULPS(Mem{Base: q, Disp: j * v.bytes}, y[j], x[j])
			}
			addPairs(x[0], x[1])
			addPairs(x[2], x[3])
			addPairs(x[0], x[2])
			VSHUFF32X4(Imm(0xb1), x[0], x[0], x[1])
			VADDPS(x[1], x[0], x[0])
			VPERMPS(x[0], order, x[0])
		} else {
			for j := range x {
				VMOVUPS(Mem{Base: q, Disp: j * v.bytes}, x[j])
				VMULPS(Mem{Base: e.y, Disp: j * v.bytes}, x[j], x[j])
			}
			for apart := 1; apart < 4; apart *= 2 {
				for j := 0; j < n; j += 2 * apart {
					VHADDPS(x[j+apart], x[j], x[j])
				}
			}
			VPERM2F128(Imm(0x31), x[4], x[0], x[1])
			VPERM2F128(Imm(0x20), x[4], x[0], x[0])
			VADDPS(x[1], x[0], x[0])
		}
		VMOVUPS(x[0].AsY(), Mem{Base: e.z})
		ADDQ(argument("ldz"), e.z)
		INCQ(e.p)
		CMPQ(e.p, end)
		JLT(LabelRef(loop))
	})
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
