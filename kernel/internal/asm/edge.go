package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// edge builds the loops that go through edges in destination order and write a
// row for each.
func edge() {
	for _, v := range []vectors{zmm, ymm} {
		edgeCopy(v, "edgeAdd", true, true, "adds the rows of both ends")
		edgeCopy(v, "edgeGather", true, false, "copies the source's row")
		edgeCopy(v, "edgeScatter", false, true, "copies the destination's row")
		for n := 1; n <= 8; n++ {
			edgeDot(v, n)
		}
		edgeDotWide(v)
		edgeDotEight(v)
	}
}

// edges walks positions p to hi of rows from the one that ptr is at.
type edges struct {
	v             vectors
	ptr, p, other reg.GPVirtual
	x             reg.GPVirtual // of sources
	y             reg.GPVirtual // the destination's row
	z             reg.GPVirtual // the current edge's row
	hasX, hasY    bool
}

func beginEdges(v vectors, hasX, hasY bool) *edges {
	Pragma("noescape")
	e := &edges{v: v, hasX: hasX, hasY: hasY}
	load := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	e.p = load("p")
	e.z = load("z")
	if hasX {
		e.other = load("other")
		e.x = load("x")
	}
	if hasY {
		e.ptr = load("ptr")
		e.y = load("y")
	}
	return e
}

// rows builds the loop over rows around a loop over the positions of one row,
// which ends at end; enter runs at the start of each row that has positions.
func (e *edges) rows(enter func(), positions func(end reg.GPVirtual)) {
	end := GP64()
	if !e.hasY {
		MOVQ(argument("hi"), end)
		positions(end)
		VZEROUPPER()
		RET()
		return
	}
	loop, next, done := label("row"), label("next"), label("done")
	Label(loop)
	MOVQ(Mem{Base: e.ptr, Disp: 8}, end)
	CMPQ(end, argument("hi"))
	CMOVQGT(argument("hi"), end)
	CMPQ(e.p, end)
	JGE(LabelRef(next))
	enter()
	positions(end)
	Label(next)
	ADDQ(Imm(8), e.ptr)
	ADDQ(argument("ldy"), e.y)
	CMPQ(e.p, argument("hi"))
	JLT(LabelRef(loop))
	Label(done)
	VZEROUPPER()
	RET()
}

// source sets q to the address of the row of x at position q.
func (e *edges) source(q reg.GPVirtual) {
	MOVL(Mem{Base: e.other, Index: q, Scale: 4}, q.As32())
	IMULQ(argument("ldx"), q)
	ADDQ(e.x, q)
}

// edgeCopy builds z[p] = x[other[p]] + y[r], or one of its terms.
func edgeCopy(v vectors, name string, hasX, hasY bool, doc string) {
	args := "func("
	if hasY {
		args += "ptr *int64, "
	}
	args += "p, hi int, "
	if hasX {
		args += "other *int32, last, ahead int, x *float32, ldx, lastByte int, "
	}
	if hasY {
		args += "y *float32, ldy int, "
	}
	TEXT(name+v.name, NOSPLIT, args+"z *float32, ldz, full, tail int)")
	Doc(name + v.name + " " + doc + " to each edge, in full bytes of whole vectors and a tail of values.")
	e := beginEdges(v, hasX, hasY)
	full := Load(Param("full"), GP64()).(reg.GPVirtual)
	only := newTail(v, Load(Param("tail"), GP64()))
	lastY := v.register()
	e.rows(func() { only.load(Mem{Base: e.y, Index: full, Scale: 1}, lastY) }, func(end reg.GPVirtual) {
		q, j := GP64(), GP64()
		loop, columns, rest, none := label("position"), label("columns"), label("rest"), label("none")
		Label(loop)
		if hasX {
			MOVQ(e.p, q)
			e.source(q)
			e.prefetchAll(0)
		}
		XORQ(j, j)
		CMPQ(j, full)
		JGE(LabelRef(rest))
		Label(columns)
		x := v.register()
		at := func(base reg.Register, j reg.Register) Mem { return Mem{Base: base, Index: j, Scale: 1} }
		switch {
		case hasX && hasY:
			VMOVUPS(at(q, j), x)
			VADDPS(at(e.y, j), x, x)
		case hasX:
			VMOVUPS(at(q, j), x)
		default:
			VMOVUPS(at(e.y, j), x)
		}
		VMOVUPS(x, at(e.z, j))
		ADDQ(Imm(uint64(v.bytes)), j)
		CMPQ(j, full)
		JLT(LabelRef(columns))
		Label(rest)
		CMPQ(argument("tail"), Imm(0))
		JE(LabelRef(none))
		switch {
		case hasX && hasY:
			only.load(at(q, full), x)
			VADDPS(lastY, x, x)
			only.store(x, at(e.z, full))
		case hasX:
			only.load(at(q, full), x)
			only.store(x, at(e.z, full))
		default:
			only.store(lastY, at(e.z, full))
		}
		Label(none)
		ADDQ(argument("ldz"), e.z)
		INCQ(e.p)
		CMPQ(e.p, end)
		JLT(LabelRef(loop))
	})
}

// prefetch asks for the first lines of the source's row some positions ahead of
// p + i, and for that of its last byte.
func (e *edges) prefetch(i, lines int) {
	q := GP64()
	e.aheadOf(i, q)
	for j := range lines {
		PREFETCHT0(Mem{Base: q, Disp: 64 * j})
	}
	ADDQ(argument("lastByte"), q)
	PREFETCHT0(Mem{Base: q})
}

// prefetchAll asks for all lines of the source's row some positions ahead of p + i.
func (e *edges) prefetchAll(i int) {
	q, last := GP64(), GP64()
	loop := label("lines")
	e.aheadOf(i, q)
	MOVQ(argument("lastByte"), last)
	ADDQ(q, last)
	Label(loop)
	PREFETCHT0(Mem{Base: q})
	ADDQ(Imm(64), q)
	CMPQ(q, last)
	JLT(LabelRef(loop))
	PREFETCHT0(Mem{Base: last})
}

// aheadOf sets q to the source's row at some positions ahead of p + i.
func (e *edges) aheadOf(i int, q reg.GPVirtual) {
	MOVQ(argument("ahead"), q)
	LEAQ(Mem{Base: q, Index: e.p, Scale: 1, Disp: i}, q)
	CMPQ(q, argument("last"))
	CMOVQGT(argument("last"), q)
	e.source(q)
}
