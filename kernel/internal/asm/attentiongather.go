package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What gradients of attention gather at the sources.

// attentionGather builds a loop over positions, for a head, for eight, and for
// any number of which full bytes are of whole vectors.
func attentionGather(v vectors, heads int) {
	name := "attentionGather" + v.name
	if heads != 0 {
		name = fmt.Sprintf("%sx%d", name, heads)
	}
	TEXT(name, NOSPLIT, "func("+edgeArgs+sourceArgs+destArgs+", slope float32, less, third *float32, full, tail int)")
	Doc(name + " sets z to x[p] + y, less to what is left of its rectified values without the second part of the row of x, and third to its third.")
	e := beginEdges(v, true, true)
	less, third := Load(Param("less"), GP64()).(reg.GPVirtual), Load(Param("third"), GP64()).(reg.GPVirtual)
	width := v // of the vectors of a row
	if heads == 8 {
		width = ymm
	}
	slope := width.broadcast("slope")
	var only tail
	var full reg.GPVirtual
	if heads == 0 {
		only, full = newTail(v, Load(Param("tail"), GP64())), Load(Param("full"), GP64()).(reg.GPVirtual)
	}
	apart := GP64()
	e.rows(func() {}, func(end reg.GPVirtual) {
		loop := label("position")
		Label(loop)
		e.prefetch(1)
		q := e.source(e.other)
		ADDQ(e.x, q)
		MOVQ(argument("ldz"), apart)
		at := func(base, j reg.GPVirtual) Mem {
			if j == nil {
				return Mem{Base: base}
			}
			return Mem{Base: base, Index: j, Scale: 1}
		}
		step := func(j reg.GPVirtual, only *tail) {
			move := moveOf(heads, only)
			first, second, last, own := width.register(), width.register(), width.register(), width.register()
			move(at(q, j), first)
			move(at(e.y, j), own)
			VADDPS(own, first, first)
			move(first, at(e.z, j))
			width.rectify(first, slope)
			ADDQ(apart, q)
			move(at(q, j), second)
			ADDQ(apart, q)
			move(at(q, j), last)
			SUBQ(apart, q)
			SUBQ(apart, q)
			VSUBPS(second, first, first)
			move(first, at(less, j))
			move(last, at(third, j))
		}
		if heads != 0 {
			step(nil, nil)
		} else {
			j := GP64()
			columns, rest, done := label("columns"), label("rest"), label("done")
			XORQ(j, j)
			CMPQ(j, full)
			JGE(LabelRef(rest))
			Label(columns)
			step(j, nil)
			ADDQ(Imm(uint64(v.bytes)), j)
			CMPQ(j, full)
			JLT(LabelRef(columns))
			Label(rest)
			CMPQ(argument("tail"), Imm(0))
			JE(LabelRef(done))
			step(j, &only)
			Label(done)
		}
		ADDQ(apart, less)
		ADDQ(apart, third)
		e.next(end, loop)
	})
}

// pairVectors is how many vectors of two sums the registers hold at most.
func pairVectors(v vectors) int {
	if v.bytes == 64 {
		return 8
	}
	return 4
}

// attentionSums builds two sums of the same rows under weights of their own,
// whose lanes are as in sumHeads. Weights lie in the order of positions, the
// second ones some bytes after the first. There are loops for one head, for up to
// eight, after which as many as are missing may be read, and for up to a vector.
func attentionSums(v vectors, n, most int) {
	name := "attentionSums"
	if most != 0 {
		name = fmt.Sprintf("attentionSums%dto", most)
	}
	s := newRowSum(v, n, false, name, "sums rows under two weights", sumArgs+indexArgs+
		", w *float32, ldw, second, heads int, lane *uint32, t *float32, ldt int)")
	s.index()
	read := func(from Mem, w vec) { VMOVUPS(from, w.AsY()) }
	switch most {
	case 1:
		read = func(from Mem, w vec) { VBROADCASTSS(from, w) }
	case 0:
		heads := newTail(v, Load(Param("heads"), GP64()))
		read = func(from Mem, w vec) { heads.load(from, w) }
	}
	lane, w, second := Load(Param("lane"), GP64()), Load(Param("w"), GP64()), Load(Param("second"), GP64())
	ptr, y, t, end := Load(Param("ptr"), GP64()), Load(Param("y"), GP64()), Load(Param("t"), GP64()), GP64()
	var others []vec
	for range n {
		others = append(others, v.register())
	}
	MOVQ(Mem{Base: ptr}, s.p)
	Label("row")
	ADDQ(Imm(8), ptr)
	MOVQ(Mem{Base: ptr}, end)
	v.zero(append(others, s.sums...)...)
	CMPQ(s.p, end)
	JGE(LabelRef("store"))
	Label("position")
	s.prefetch()
	one, two := v.register(), v.register()
	read(Mem{Base: w}, one)
	read(Mem{Base: w, Index: second, Scale: 1}, two)
	ADDQ(argument("ldw"), w)
	q := s.row(s.other)
	for j := range n {
		x, own, weight := v.register(), v.register(), v.register()
		at := Mem{Base: s.x, Index: q, Scale: 1, Disp: j * v.bytes}
		if j == n-1 {
			s.tail.load(at, x)
		} else {
			VMOVUPS(at, x)
		}
		if most == 1 {
			VFMADD231PS(x, one, s.sums[j])
			VFMADD231PS(x, two, others[j])
			continue
		}
		VMOVUPS(Mem{Base: lane, Disp: j * v.bytes}, own)
		VPERMPS(one, own, weight)
		VFMADD231PS(x, weight, s.sums[j])
		VPERMPS(two, own, weight)
		VFMADD231PS(x, weight, others[j])
	}
	INCQ(s.p)
	CMPQ(s.p, end)
	JLT(LabelRef("position"))
	Label("store")
	for i, sums := range [][]vec{s.sums, others} {
		row := []reg.Register{y, t}[i]
		for j, sum := range sums[:n-1] {
			VMOVUPS(sum, Mem{Base: row, Disp: j * v.bytes})
		}
		s.tail.store(sums[n-1], Mem{Base: row, Disp: (n - 1) * v.bytes})
	}
	ADDQ(argument("ldy"), y)
	ADDQ(argument("ldt"), t)
	DECQ(argument("rows"))
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}
