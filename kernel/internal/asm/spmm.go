package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// spmm builds the sums over the edges of consecutive rows. A function keeps a
// row of y of n vectors in registers; wider rows take several passes.
func spmm() {
	for _, v := range []vectors{zmm, ymm} {
		for n := 1; n <= 8; n++ {
			sum(v, n)
			sumWeighted(v, n)
			sumHeads(v, n)
		}
		sum(v, widest(v))
		sumWeighted(v, widest(v))
	}
}

// widest is how many vectors of sums the registers hold at most.
func widest(v vectors) int {
	if v.bytes == 64 {
		return 16
	}
	return 12
}

// rowSum is what the three kinds of sums share.
type rowSum struct {
	v    vectors
	sums []reg.VecVirtual
	tail tail

	other, x, ldx reg.Register
	p             reg.GPVirtual // the current position
}

// sum builds y[r] = Σ x[other[p]] over the positions of each row.
func sum(v vectors, n int) {
	TEXT(fmt.Sprintf("sum%sx%d", v.name, n), NOSPLIT,
		"func(rows int, ptr *int64, other *int32, last, ahead int, x *float32, ldx int, y *float32, ldy, tail, lastByte int)")
	Doc(fmt.Sprintf("sum%sx%d sums %d vectors of columns; other may be nil, the identity.", v.name, n, n))
	s := newRowSum(v, n)
	s.rows(func() {
		q := s.row(s.p)
		s.prefetch()
		for j, acc := range s.sums {
			if j == n-1 {
				s.tail.add(Mem{Base: q, Disp: j * v.bytes}, acc)
			} else {
				VADDPS(Mem{Base: q, Disp: j * v.bytes}, acc, acc)
			}
		}
	})
}

const weightedArgs = "func(rows int, ptr *int64, other *int32, last, ahead int, x *float32, ldx int, y *float32, ldy, tail, lastByte int, " +
	"pos *uint32, w *float32, ldw int"

// sumWeighted builds y[r] = Σ w[pos[p]]·x[other[p]].
func sumWeighted(v vectors, n int) {
	TEXT(fmt.Sprintf("sumWeighted%sx%d", v.name, n), NOSPLIT, weightedArgs+")")
	Doc(fmt.Sprintf("sumWeighted%sx%d sums %d vectors of columns, weighted; pos may be nil, the identity.", v.name, n, n))
	s := newRowSum(v, n)
	weights := newWeights(s)
	w := v.register()
	s.rows(func() {
		at := weights.at(s.p)
		q := s.row(s.p)
		weights.prefetch(s.prefetch())
		VBROADCASTSS(at, w)
		for j, acc := range s.sums {
			s.multiplyAdd(Mem{Base: q, Disp: j * v.bytes}, w, acc, j == n-1)
		}
	})
}

// sumHeads builds the same where lane l of vector j is weighted by the
// lane[j][l]-th of up to a vector of weights.
func sumHeads(v vectors, n int) {
	TEXT(fmt.Sprintf("sumHeads%sx%d", v.name, n), NOSPLIT, weightedArgs+", heads int, lane *uint32)")
	Doc(fmt.Sprintf("sumHeads%sx%d sums %d vectors of columns, each lane with a weight of its own.", v.name, n, n))
	s := newRowSum(v, n)
	weights := newWeights(s)
	count := Load(Param("heads"), GP64())
	heads := newTail(v, count)
	lane := Load(Param("lane"), GP64())
	w, lanes := v.register(), v.register()
	s.rows(func() {
		at := weights.at(s.p)
		q := s.row(s.p)
		weights.prefetch(s.prefetch())
		heads.load(at, w)
		for j, acc := range s.sums {
			VMOVUPS(Mem{Base: lane, Disp: j * v.bytes}, lanes)
			VPERMPS(w, lanes, lanes)
			s.multiplyAdd(Mem{Base: q, Disp: j * v.bytes}, lanes, acc, j == n-1)
		}
	})
}

func newRowSum(v vectors, n int) *rowSum {
	Pragma("noescape")
	s := &rowSum{v: v}
	for range n {
		s.sums = append(s.sums, v.register())
	}
	s.tail = newTail(v, Load(Param("tail"), GP64()))
	s.other = Load(Param("other"), GP64())
	s.x = Load(Param("x"), GP64())
	s.ldx = Load(Param("ldx"), GP64())
	s.p = GP64()
	return s
}

// rows builds the loops over rows and positions around the body of one
// position. What a row needs once stays in memory, so that the inner loop has
// the registers.
func (s *rowSum) rows(position func()) {
	ptr := Load(Param("ptr"), GP64())
	y := Load(Param("y"), GP64())
	end := GP64()
	MOVQ(Mem{Base: ptr}, s.p)
	Label("row")
	ADDQ(Imm(8), ptr)
	MOVQ(Mem{Base: ptr}, end)
	s.v.zero(s.sums...)
	CMPQ(s.p, end)
	JGE(LabelRef("store"))
	Label("position")
	position()
	INCQ(s.p)
	CMPQ(s.p, end)
	JLT(LabelRef("position"))
	Label("store")
	n := len(s.sums) - 1
	for j, acc := range s.sums[:n] {
		VMOVUPS(acc, Mem{Base: y, Disp: j * s.v.bytes})
	}
	s.tail.store(s.sums[n], Mem{Base: y, Disp: n * s.v.bytes})
	ADDQ(argument("ldy"), y)
	DECQ(argument("rows"))
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// argument is the place of an argument, for those that inner loops do not use.
func argument(name string) Mem {
	a, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return a.Addr
}

// row returns the address of the row of x at position p.
func (s *rowSum) row(p reg.Register) reg.GPVirtual {
	q := GP64()
	MOVQ(p, q)
	s.skip(s.other, func() { MOVL(Mem{Base: s.other, Index: q, Scale: 4}, q.As32()) })
	IMULQ(s.ldx, q)
	ADDQ(s.x, q)
	return q
}

// skip builds code that runs where pointer is not nil.
func (s *rowSum) skip(pointer reg.Register, code func()) {
	over := label("skip")
	TESTQ(pointer, pointer)
	JZ(LabelRef(over))
	code()
	Label(over)
}

// prefetch asks for the row of x some positions ahead, and returns the position.
func (s *rowSum) prefetch() reg.GPVirtual {
	p := GP64()
	MOVQ(argument("ahead"), p)
	ADDQ(s.p, p)
	CMPQ(p, argument("last"))
	CMOVQGT(argument("last"), p)
	q := s.row(p)
	for at := 0; at < len(s.sums)*s.v.bytes; at += 64 {
		PREFETCHT0(Mem{Base: q, Disp: at})
	}
	ADDQ(argument("lastByte"), q)
	PREFETCHT0(Mem{Base: q})
	return p
}

func (s *rowSum) multiplyAdd(x Mem, w, acc reg.VecVirtual, last bool) {
	if last {
		s.tail.multiplyAdd(x, w, acc)
	} else {
		VFMADD231PS(x, w, acc)
	}
}

// weights are the rows of weights of edges.
type weights struct {
	s          *rowSum
	pos, w, ld reg.Register
}

func newWeights(s *rowSum) weights {
	return weights{s, Load(Param("pos"), GP64()), Load(Param("w"), GP64()), Load(Param("ldw"), GP64())}
}

// at returns the address of the weights of position p.
func (w weights) at(p reg.Register) Mem {
	e := GP64()
	MOVQ(p, e)
	w.s.skip(w.pos, func() { MOVL(Mem{Base: w.pos, Index: e, Scale: 4}, e.As32()) })
	IMULQ(w.ld, e)
	return Mem{Base: w.w, Index: e, Scale: 1}
}

// prefetch asks for the weights of position p; those in order come by themselves.
func (w weights) prefetch(p reg.GPVirtual) {
	w.s.skip(w.pos, func() {
		MOVL(Mem{Base: w.pos, Index: p, Scale: 4}, p.As32())
		IMULQ(w.ld, p)
		PREFETCHT0(Mem{Base: w.w, Index: p, Scale: 1})
	})
}
