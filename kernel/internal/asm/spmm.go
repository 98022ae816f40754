package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// spmm builds the sums over the edges of consecutive rows. A function keeps a
// row of y of n vectors in registers; wider rows take several passes.
func spmm() {
	sum(zmm, line, false)
	sumEnded(zmm, line)
	for _, v := range []vectors{zmm, ymm} {
		for n := 1; n <= 8; n++ {
			sum(v, n, false)
			sumEnded(v, n)
			sumPart(v, n, false)
			sumInOrder(v, n)
			sumWeighted(v, n, false)
			sumHeads(v, n)
		}
		sum(v, widest(v), false)
		sumPart(v, widest(v), false)
		sumInOrder(v, widest(v))
		sumWeighted(v, widest(v), false)
	}
}

// line stands for the number of vectors of functions for rows of x that fill a
// cache line each, so that no lane is masked and no second line asked for.
const line = 0

// widest is how many vectors of sums the registers hold at most.
func widest(v vectors) int {
	if v.bytes == 64 {
		return 16
	}
	return 12
}

// rowSum is what all kinds of sums share.
type rowSum struct {
	v      vectors
	sums   []reg.VecVirtual
	tail   tail
	half   *halfTail // where x is stored in bfloat16
	x, ldx reg.Register
	p      reg.GPVirtual // the current position
	end    func()        // what follows a row's sums before they are stored

	// Of sums of rows that an index names: the index, the same from some
	// positions ahead on, and the last byte of row 0.
	other, ahead, last reg.GPVirtual
}

const (
	sumArgs      = "func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy, tail int"
	indexArgs    = ", other *int32, ahead, lastByte int"
	weightedArgs = ", pos *uint32, w *float32, ldw int"
)

// sum builds y[r] = Σ x[other[p]] over the positions of each row. Of sums that
// may be narrow, x is stored in bfloat16 where they are.
func sum(v vectors, n int, narrow bool) {
	s := newRowSum(v, n, narrow, "sum", "sums the rows that other names", sumArgs+indexArgs+")")
	s.neighbours()
}

// neighbours builds the sums of the rows that the index names.
func (s *rowSum) neighbours() {
	s.index()
	s.rows(func() {
		s.prefetch()
		q := s.row(s.other)
		for j, acc := range s.sums {
			s.add(s.at(q, j), acc, j == len(s.sums)-1)
		}
	})
}

// sumPart builds y[r] += Σ x[other[p]] over positions from[r] to to[r]. The rows
// of x lie in a near cache, so that none is asked for ahead.
func sumPart(v vectors, n int, narrow bool) {
	s := newRowSum(v, n, narrow, "sumPart", "adds the rows that other names in a part of each row",
		"func(rows int, from, to *int64, x *float32, ldx int, y *float32, ldy, tail int, other *int32)")
	from, to := Load(Param("from"), GP64()), Load(Param("to"), GP64())
	y := Load(Param("y"), GP64())
	s.other = GP64()
	MOVQ(argument("other"), s.other)
	end := GP64()
	Label("row")
	MOVQ(Mem{Base: from}, s.p)
	MOVQ(Mem{Base: to}, end)
	ADDQ(Imm(8), from)
	ADDQ(Imm(8), to)
	CMPQ(s.p, end)
	JGE(LabelRef("next"))
	last := len(s.sums) - 1
	for j, acc := range s.sums[:last] {
		VMOVUPS(Mem{Base: y, Disp: j * v.bytes}, acc)
	}
	s.tail.load(Mem{Base: y, Disp: last * v.bytes}, s.sums[last])
	Label("position")
	q := s.row(s.other)
	for j, acc := range s.sums {
		s.add(s.at(q, j), acc, j == last)
	}
	INCQ(s.p)
	CMPQ(s.p, end)
	JLT(LabelRef("position"))
	s.store(s.sums, y)
	Label("next")
	ADDQ(argument("ldy"), y)
	DECQ(argument("rows"))
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// sumInOrder builds y[r] = Σ x[p].
func sumInOrder(v vectors, n int) {
	s := newRowSum(v, n, false, "sumInOrder", "sums rows in order", sumArgs+")")
	q := GP64()
	MOVQ(argument("ptr"), q)
	MOVQ(Mem{Base: q}, q)
	IMULQ(s.ldx, q)
	s.rows(func() {
		for j, acc := range s.sums {
			s.add(s.at(q, j), acc, j == n-1)
		}
		ADDQ(s.ldx, q)
	})
}

// sumWeighted builds y[r] = Σ w[pos[p]]·x[other[p]].
func sumWeighted(v vectors, n int, narrow bool) {
	s := newRowSum(v, n, narrow, "sumWeighted", "sums weighted rows", sumArgs+indexArgs+weightedArgs+")")
	s.index()
	weights := newWeights(s)
	w := v.register()
	s.rows(func() {
		s.prefetch()
		VBROADCASTSS(weights.row(), w)
		q := s.row(s.other)
		for j, acc := range s.sums {
			s.multiplyAdd(s.at(q, j), w, acc, j == n-1)
		}
	})
}

// sumHeads builds the same where lane l of vector j is weighted by the
// lane[j][l]-th of up to a vector of weights.
func sumHeads(v vectors, n int) {
	s := newRowSum(v, n, false, "sumHeads", "sums rows, each lane with a weight of its own", sumArgs+indexArgs+weightedArgs+", heads int, lane *uint32)")
	s.index()
	weights := newWeights(s)
	heads := newTail(v, Load(Param("heads"), GP64()))
	lane := Load(Param("lane"), GP64())
	w, own := v.register(), v.register()
	s.rows(func() {
		s.prefetch()
		heads.load(weights.row(), w)
		q := s.row(s.other)
		for j, acc := range s.sums {
			VMOVUPS(Mem{Base: lane, Disp: j * v.bytes}, own)
			VPERMPS(w, own, own)
			s.multiplyAdd(s.at(q, j), own, acc, j == n-1)
		}
	})
}

func newRowSum(v vectors, n int, narrow bool, name, doc, args string) *rowSum {
	columns := fmt.Sprintf("%d vectors of columns", n)
	if n == line {
		name, columns = name+"Line"+v.name, "each a cache line"
	} else {
		name = fmt.Sprintf("%s%sx%d", name, v.name, n)
	}
	if narrow {
		name = "narrow" + strings.ToUpper(name[:1]) + name[1:]
		doc += " and bfloat16 stores"
	}
	TEXT(name, NOSPLIT, args)
	Doc(fmt.Sprintf("%s %s, %s.", name, doc, columns))
	Pragma("noescape")
	s := &rowSum{v: v}
	for range max(n, 1) {
		s.sums = append(s.sums, v.register())
	}
	if n == line {
		s.tail = tail{v: v, whole: true}
	} else {
		count := Load(Param("tail"), GP64())
		s.tail = newTail(v, count)
		if narrow {
			half := newHalfTail(v, count)
			s.half = &half
		}
	}
	s.x = Load(Param("x"), GP64())
	s.ldx = Load(Param("ldx"), GP64())
	s.p = GP64()
	return s
}

// index loads what sums of rows need that an index names.
func (s *rowSum) index() {
	s.other, s.ahead, s.last = GP64(), GP64(), GP64()
	MOVQ(argument("other"), s.other)
	MOVQ(argument("ahead"), s.ahead)
	LEAQ(Mem{Base: s.other, Index: s.ahead, Scale: 4}, s.ahead)
	MOVQ(argument("lastByte"), s.last)
	ADDQ(s.x, s.last)
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
	if s.end != nil {
		s.end()
	}
	s.store(s.sums, y)
	ADDQ(argument("ldy"), y)
	DECQ(argument("rows"))
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// store writes sums to a row of y.
func (s *rowSum) store(sums []vec, y reg.Register) {
	last := len(sums) - 1
	for j, acc := range sums[:last] {
		VMOVUPS(acc, Mem{Base: y, Disp: j * s.v.bytes})
	}
	s.tail.store(sums[last], Mem{Base: y, Disp: last * s.v.bytes})
}

// argument is the place of an argument, for those that inner loops do not use.
func argument(name string) Mem {
	a, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return a.Addr
}

// row returns the offset of the row of x that an index names at the position.
func (s *rowSum) row(index reg.Register) reg.GPVirtual {
	q := GP64()
	MOVL(Mem{Base: index, Index: s.p, Scale: 4}, q.As32())
	IMULQ(s.ldx, q)
	return q
}

// at is vector j of the row of x at an offset.
func (s *rowSum) at(q reg.Register, j int) Mem {
	return Mem{Base: s.x, Index: q, Scale: 1, Disp: j * s.stored()}
}

// stored is how many bytes of x a vector takes.
func (s *rowSum) stored() int {
	if s.half != nil {
		return s.v.bytes / 2
	}
	return s.v.bytes
}

// prefetch asks for the row of x some positions ahead. It may begin within a
// cache line, and so have one line more than it fills, unless it is known to be one.
func (s *rowSum) prefetch() {
	q := s.row(s.ahead)
	for at := 0; at < len(s.sums)*s.stored(); at += 64 {
		PREFETCHT0(Mem{Base: s.x, Index: q, Scale: 1, Disp: at})
	}
	if !s.tail.whole {
		PREFETCHT0(Mem{Base: s.last, Index: q, Scale: 1})
	}
}

func (s *rowSum) add(x Mem, acc reg.VecVirtual, last bool) {
	switch {
	case s.half != nil:
		VADDPS(s.widened(x, last), acc, acc)
	case last:
		s.tail.add(x, acc)
	default:
		VADDPS(x, acc, acc)
	}
}

func (s *rowSum) multiplyAdd(x Mem, w, acc reg.VecVirtual, last bool) {
	switch {
	case s.half != nil:
		VFMADD231PS(s.widened(x, last), w, acc)
	case last:
		s.tail.multiplyAdd(x, w, acc)
	default:
		VFMADD231PS(x, w, acc)
	}
}

// widened loads a vector of x, of which the last may not be whole.
func (s *rowSum) widened(x Mem, last bool) vec {
	if last {
		return s.half.load(x)
	}
	return s.v.widened(x)
}

// weights are the rows of weights of edges.
type weights struct {
	s          *rowSum
	pos, w, ld reg.Register
}

func newWeights(s *rowSum) weights {
	return weights{s, Load(Param("pos"), GP64()), Load(Param("w"), GP64()), Load(Param("ldw"), GP64())}
}

// row returns the address of the weights at the position. Those that pos names
// are asked for as rows of x are; others come in order, by themselves.
func (w weights) row() Mem {
	e, f := GP64(), GP64()
	inOrder := label("inorder")
	MOVQ(w.s.p, e)
	TESTQ(w.pos, w.pos)
	JZ(LabelRef(inOrder))
	MOVQ(argument("ahead"), f)
	ADDQ(e, f)
	MOVL(Mem{Base: w.pos, Index: f, Scale: 4}, f.As32())
	IMULQ(w.ld, f)
	PREFETCHT0(Mem{Base: w.w, Index: f, Scale: 1})
	MOVL(Mem{Base: w.pos, Index: e, Scale: 4}, e.As32())
	Label(inOrder)
	IMULQ(w.ld, e)
	return Mem{Base: w.w, Index: e, Scale: 1}
}
