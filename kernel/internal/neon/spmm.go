package main

import (
	"fmt"
	"strings"
)

// spmm builds the sums over the edges of consecutive rows. A function keeps a
// row of y of n vectors in registers; wider rows take several passes.
func spmm(f *file) {
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, widest} {
		for _, narrow := range []bool{false, true} {
			sum(f, n, narrow)
			sumPart(f, n, narrow)
			sumWeighted(f, n, narrow)
		}
		sumInOrder(f, n)
		if n < widest {
			sumHeads(f, n)
		}
	}
}

// widest is how many vectors of sums a pass has at most: half of the registers.
const widest = 16

const (
	sumParams      = "rows int, ptr *int64, x *float32, ldx int, y *float32, ldy, tail int"
	indexParams    = ", other *int32, ahead, lastByte int"
	weightedParams = ", pos *uint32, w *float32, ldw int"
)

// rowSum is what all kinds of sums share. A pass of several vectors reads and
// writes its last vector so that it ends with the last column there is: columns
// that it shares with the one before get the same sums twice. Of a single vector,
// which may have fewer columns than lanes, there is a loop for each number.
type rowSum struct {
	*function
	n      int
	narrow bool // x is stored in bfloat16
	sums   []vec
	zero   vec // where narrow
	x, ldx gp
	lastX  gp // bytes from a row of x to its last vector
	lastY  gp // the same of y

	p gp // the current position

	// Of sums of rows that an index names: the index, the same from some positions
	// ahead on, and the offset of a row's last byte.
	other, ahead, lastByte gp
}

func newRowSum(out *file, n int, narrow bool, name, doc, params string) *rowSum {
	name = fmt.Sprintf("%sNEONx%d", name, n)
	if narrow {
		name = "narrow" + strings.ToUpper(name[:1]) + name[1:]
		doc += " and bfloat16 stores"
	}
	f := out.function(name, params, fmt.Sprintf("%s, %d vectors of columns.", doc, n))
	s := &rowSum{function: f, n: n, narrow: narrow, sums: f.vec(n), x: f.load("x"), ldx: f.load("ldx"), p: f.gp()}
	if narrow {
		s.zero = f.vec(1)[0]
		f.clear(s.zero)
	}
	if n > 1 {
		s.lastX, s.lastY = f.load("tail"), f.gp()
		f.do("ADD", imm(lanes*(n-2)), s.lastX)
		f.do("LSL", imm(2), s.lastX, s.lastY)
		f.do("LSL", imm(s.valueShift()), s.lastX)
	}
	return s
}

// valueShift is the logarithm of the bytes of a value of x.
func (s *rowSum) valueShift() int {
	if s.narrow {
		return 1
	}
	return 2
}

// index loads what sums of rows need that an index names.
func (s *rowSum) index() {
	s.other, s.ahead, s.lastByte = s.load("other"), s.load("ahead"), s.load("lastByte")
	s.do("ADD", s.ahead.String()+"<<2", s.other, s.ahead)
}

// eachTail builds the code for what the last vector may have: any number of
// columns where it is the only one, else as many as lanes.
func (s *rowSum) eachTail(build func(last some)) {
	if s.n > 1 {
		s.scope(func() { build(lanes) })
	} else {
		s.byCount(s.argument("tail"), build)
	}
	s.do("RET")
}

// sum builds y[r] = Σ x[other[p]] over the positions of each row.
func sum(out *file, n int, narrow bool) {
	s := newRowSum(out, n, narrow, "sum", "sums the rows that other names", sumParams+indexParams)
	s.index()
	s.rows(func(q gp, last some) {
		s.fetchAhead(q)
		s.named(s.other, q)
		s.eachVector(q, last, s.addVector)
	})
}

// sumInOrder builds y[r] = Σ x[p].
func sumInOrder(out *file, n int) {
	s := newRowSum(out, n, false, "sumInOrder", "sums rows in order", sumParams)
	s.rows(func(q gp, last some) {
		s.do("MADD", s.ldx, s.x, s.p, q)
		s.eachVector(q, last, s.addVector)
	})
}

// sumWeighted builds y[r] = Σ w[pos[p]]·x[other[p]].
func sumWeighted(out *file, n int, narrow bool) {
	s := newRowSum(out, n, narrow, "sumWeighted", "sums weighted rows", sumParams+indexParams+weightedParams)
	s.index()
	weights, w := newWeights(s), s.vec(1)[0]
	s.rows(func(q gp, last some) {
		s.fetchAhead(q)
		weights.row(q)
		s.do("FMOVS", at(q, 0), w)
		s.named(s.other, q)
		s.eachVector(q, last, func(j int, x vec) { s.multiplyAdd(x, w, 0, s.sums[j]) })
	})
}

// sumHeads builds the same where lane l of vector j is weighted by the
// lane[j][l]-th of up to a vector of weights.
func sumHeads(out *file, n int) {
	s := newRowSum(out, n, false, "sumHeads", "sums rows, each lane with a weight of its own", sumParams+indexParams+weightedParams+", heads int, lane *uint32")
	s.index()
	weights := newWeights(s)
	own := s.ownLanes()
	w, mine := s.vec(1)[0], s.vec(1)[0]
	s.rows(func(q gp, last some) {
		s.fetchAhead(q)
		weights.row(q)
		s.byCount(s.argument("heads"), func(n some) { s.loadSome(n, q, w) })
		s.named(s.other, q)
		s.eachVector(q, last, func(j int, x vec) {
			s.do("VTBL", own[j].b16(), "["+w.b16()+"]", mine.b16())
			s.do("VFMLA", mine.s4(), x.s4(), s.sums[j].s4())
		})
	})
}

// sumPart builds y[r] += Σ x[other[p]] over positions from[r] to to[r]. The rows
// of x lie in a near cache, so that none is asked for ahead.
func sumPart(out *file, n int, narrow bool) {
	s := newRowSum(out, n, narrow, "sumPart", "adds the rows that other names in a part of each row",
		"rows int, from, to *int64, x *float32, ldx int, y *float32, ldy, tail int, other *int32")
	s.other = s.load("other")
	s.eachTail(func(last some) {
		from, to, end := s.load("from"), s.load("to"), s.gp()
		l := s.newLoop(last)
		s.label(l.row)
		s.do("MOVD.P", at(from, 8), s.p)
		s.do("MOVD.P", at(to, 8), end)
		s.do("CMP", end, s.p)
		s.do("BGE", l.next)
		s.eachOfY(l.y, last, func(j int, p gp, n some) { s.loadSome(n, p, s.sums[j]) })
		l.positions(end, func(q gp) {
			s.named(s.other, q)
			s.eachVector(q, last, s.addVector)
		})
		l.store()
	})
}
