package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// farAbove leaves what rows sum room before it overflows, and is met by scores 27
// above what is taken off them.
const farAbove = 1 << 40

// attendingSum sums rows by the softmax of scores in one loop over edges. Softmax has
// the same value whatever is taken off all scores of a row. Their top keeps
// exponentials from overflowing, but costs a loop before: here it is the score of the
// row's first edge, whose exponential is 1, so that sums do not vanish either. Where
// others are so far above it that the sum of exponentials exceeds farAbove, the row is
// done again, with its top.
type attendingSum struct {
	*attending
	constants
	far         reg.GPVirtual
	slope, own  vec
	less, total vec // what is taken off scores, and the sum of exponentials
}

// attendSum builds sums of rows weighted by exponentials of scores, divided by the sum
// of these. In place of tops it leaves what is taken off scores.
func attendSum(v vectors, n, most int) {
	a := &attending{most: most}
	a.begin(v, n, 1, "attendSum", "sums rows by the softmax of scores", endArgs+", top, total *float32")
	if n > onceVectors {
		a.askAgain()
	}
	s := &attendingSum{attending: a, far: Load(Param("far"), GP64()).(reg.GPVirtual), constants: newConstants(v, exp2Constants...),
		slope: v.broadcast("slope"), own: v.register(), less: v.register(), total: v.register()}
	a.walk(rowSteps{start: func() { v.zero(a.sums...) }, enter: s.enter, position: s.position, leave: s.leave, end: func() {
		a.store(a.sums, pointer("y").Base)
		next("y", "ldy")
		next("own", "ldown")
		a.nextHeads("top", "total")
	}, again: s.again})
}

// enter takes the own values of a row, and the score of its first edge.
func (s *attendingSum) enter() {
	s.ofRow(pointer("own"), s.own)
	VMOVAPS(s.score(s.p), s.less)
	s.attending.v.zero(s.total)
}

// score returns that of one edge, for each edge at hand.
func (s *attendingSum) score(p reg.GPVirtual) vec {
	q, x := GP64(), s.attending.v.register()
	MOVL(Mem{Base: s.other, Index: p, Scale: 4}, q.As32())
	IMULQ(argument("ldfar"), q)
	s.ofRow(Mem{Base: s.far, Index: q, Scale: 1}, x)
	s.rectify(x)
	return x
}

// rectify makes scores of what the other ends of edges add to them.
func (s *attendingSum) rectify(x vec) {
	VADDPS(s.own, x, x)
	s.attending.v.rectify(x, s.slope)
}

func (s *attendingSum) position(at []reg.GPVirtual) {
	q := s.named(at)
	w := s.farValues(s.far, at, 1)[0]
	s.rectify(w)
	VSUBPS(s.less, w, w)
	s.exponential(w)
	s.addTo(s.total, w)
	s.maskAside(w)
	s.gather(q, []vec{w}, s.sums)
}

// leave divides the sums, unless the row has to be done again. A sum of NaN would be
// as it is.
func (s *attendingSum) leave() {
	v := s.attending.v
	s.foldEdges(s.total)
	k, bound := K(), v.register()
	VBROADCASTSS(constant(farAbove), bound)
	VCMPPS(Imm(uint64(less)), s.total, bound, k)
	KORTESTW(k, k)
	JNZ(LabelRef(labelAgain))
	s.toRow(s.less, pointer("top"))
	s.toRow(s.total, pointer("total"))
	one := v.register()
	VMOVUPS(s.of(1), one)
	VDIVPS(s.total, one, one)
	for j, acc := range s.sums {
		VMULPS(s.spread(one, j), acc, acc)
	}
}

// again takes the top of a row.
func (s *attendingSum) again() {
	v := s.attending.v
	end, p, loop := GP64(), GP64(), label("top")
	MOVQ(argument("ptr"), end)
	MOVQ(Mem{Base: end}, end)
	VBROADCASTSS(constant(negativeInfinity), s.less)
	MOVQ(s.p, p)
	Label(loop)
	VMAXPS(s.score(p), s.less, s.less)
	INCQ(p)
	CMPQ(p, end)
	JLT(LabelRef(loop))
	v.zero(s.total)
	v.zero(s.sums...)
}
