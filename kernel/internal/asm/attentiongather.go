package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What gradients of attention gather at the sources.

// attentionGather builds a loop over positions, for eight heads, and for any number,
// of which full bytes are of whole vectors.
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
// second ones some bytes after the first. There are loops for up to eight heads,
// after which as many as are missing may be read, and for up to a vector.
func attentionSums(v vectors, n, most int) {
	name := "attentionSums"
	if most != 0 {
		name = fmt.Sprintf("attentionSums%dto", most)
	}
	s := newRowSum(v, n, false, name, "sums rows under two weights", sumArgs+indexArgs+
		", w *float32, ldw, second, heads int, lane *uint32, t *float32, ldt int)")
	s.index()
	read := func(from Mem, w vec) { VMOVUPS(from, w.AsY()) }
	if most == 0 {
		heads := newTail(v, Load(Param("heads"), GP64()))
		read = func(from Mem, w vec) { heads.load(from, w) }
	}
	lane, w, second := Load(Param("lane"), GP64()), Load(Param("w"), GP64()), Load(Param("second"), GP64())
	y, t := Load(Param("y"), GP64()), Load(Param("t"), GP64())
	s.twoSums(func() (one, two vec) {
		one, two = v.register(), v.register()
		read(Mem{Base: w}, one)
		read(Mem{Base: w, Index: second, Scale: 1}, two)
		ADDQ(argument("ldw"), w)
		return one, two
	}, func(j int, x, one, two, sum, other vec) {
		own, weight := v.register(), v.register()
		VMOVUPS(Mem{Base: lane, Disp: j * v.bytes}, own)
		VPERMPS(one, own, weight)
		VFMADD231PS(x, weight, sum)
		VPERMPS(two, own, weight)
		VFMADD231PS(x, weight, other)
	}, func() {}, func(others []vec) {
		s.store(s.sums, y)
		s.store(others, t)
		ADDQ(argument("ldy"), y)
		ADDQ(argument("ldt"), t)
	})
}

// twoSums builds the loops over rows and edges around the weights of an edge, what
// they add of vector j of its row, and what there is to do at both ends of a row.
func (s *rowSum) twoSums(weights func() (one, two vec), add func(j int, x, one, two, sum, other vec), start func(), leave func(others []vec)) {
	v, n := s.v, len(s.sums)
	ptr, end := Load(Param("ptr"), GP64()), GP64()
	var others []vec
	for range n {
		others = append(others, v.register())
	}
	MOVQ(Mem{Base: ptr}, s.p)
	Label("row")
	ADDQ(Imm(8), ptr)
	MOVQ(Mem{Base: ptr}, end)
	v.zero(append(others, s.sums...)...)
	start()
	CMPQ(s.p, end)
	JGE(LabelRef("store"))
	Label("position")
	s.prefetch()
	one, two := weights()
	q := s.row(s.other)
	for j := range n {
		x := v.register()
		if j == n-1 {
			s.tail.load(s.at(q, j), x)
		} else {
			VMOVUPS(s.at(q, j), x)
		}
		add(j, x, one, two, s.sums[j], others[j])
	}
	INCQ(s.p)
	CMPQ(s.p, end)
	JLT(LabelRef("position"))
	Label("store")
	leave(others)
	DECQ(argument("rows"))
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// attentionBack builds the same for one head; of the second sums it takes the
// product with a row of z, less what the edges pull. Columns may take several passes:
// all but the first add to the result of those before.
func attentionBack(v vectors, n int) {
	s := newRowSum(v, n, false, "attentionBack", "sums rows under two weights, multiplies the second sum with z, and takes the sum of pull off it", sumArgs+indexArgs+
		", w, tilted, pull *float32, z *float32, ldz int, t *float32, ldt, later int)")
	s.index()
	w, tilted, pull := Load(Param("w"), GP64()), Load(Param("tilted"), GP64()), Load(Param("pull"), GP64())
	total := v.register()
	s.twoSums(func() (one, two vec) {
		one, two = v.register(), v.register()
		VBROADCASTSS(Mem{Base: w, Index: s.p, Scale: 4}, one)
		VBROADCASTSS(Mem{Base: tilted, Index: s.p, Scale: 4}, two)
		VADDSS(Mem{Base: pull, Index: s.p, Scale: 4}, total.AsX(), total.AsX())
		return one, two
	}, func(_ int, x, one, two, sum, other vec) {
		VFMADD231PS(x, one, sum)
		VFMADD231PS(x, two, other)
	}, func() { v.zero(total) }, func(others []vec) {
		s.store(s.sums, pointer("y").Base)
		z, t := ownRow(v, "z", "ldz", n), pointer("t")
		for j, x := range others {
			if j == n-1 {
				own := v.register()
				s.tail.load(v.at(z, j), own)
				VMULPS(own, x, x)
			} else {
				VMULPS(v.at(z, j), x, x)
			}
		}
		for _, x := range others[1:] {
			VADDPS(x, others[0], others[0])
		}
		product := fold(v, others[:1]).AsX()
		later, done := label("later"), label("done")
		CMPQ(argument("later"), Imm(0))
		JNE(LabelRef(later))
		VSUBSS(total.AsX(), product, product)
		JMP(LabelRef(done))
		Label(later)
		VADDSS(t, product, product)
		Label(done)
		VMOVSS(product, t)
		next("y", "ldy")
		next("z", "ldz")
		next("t", "ldt")
	})
}
