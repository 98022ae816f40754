package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var negativeInfinity = float32(math.Inf(-1))

// softmax builds the loops of EdgeSoftmax and its gradient, for one, two, four
// and eight heads side by side, where the lanes of a vector are the heads of
// several edges, and for up to a vector of heads of one edge each.
func softmax() {
	for _, v := range []vectors{zmm, ymm} {
		for _, heads := range []int{1, 2, 4, 8, 0} {
			softmaxRows(v, heads)
			softmaxMax(v, heads)
			softmaxExp(v, heads)
			softmaxDivide(v, heads)
			softmaxGradRows(v, heads)
			softmaxGradSum(v, heads)
			softmaxGradWeigh(v, heads)
		}
	}
}

func softmaxConstants(v vectors) constants {
	return newConstants(v, append([]float32{negativeInfinity}, expConstants...)...)
}

func softmaxRows(v vectors, heads int) {
	s := begin(v, heads, "softmaxRows",
		"func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy, heads int)",
		"normalises the scores of each row.", "x", "y")
	c := softmaxConstants(v)
	lowest := c.into(negativeInfinity, v.register())
	s.eachRow(func() {
		s.whereShort(func(at []Mem, only *tail) {
			x, top := s.v.read(at[0], only, lowest), v.register()
			VMOVAPS(x, top)
			s.fold(VMAXPS, top)
			VSUBPS(top, x, x)
			c.exp(x, false)
			sum := top
			VMOVAPS(x, sum)
			s.fold(VADDPS, sum)
			VDIVPS(sum, x, x)
			store(x, at[1], only)
		}, func() {
			top := s.max(lowest)
			sum := s.exp(c, lowest, top)
			s.divide(1, sum)
		})
	})
}

// max returns the largest score of each head.
func (s *scores) max(lowest reg.VecVirtual) reg.VecVirtual {
	top := s.v.register()
	VMOVAPS(lowest, top)
	s.each(func(at []Mem, only *tail) {
		x := s.v.read(at[0], only, lowest)
		VMAXPS(x, top, top)
	})
	s.fold(VMAXPS, top)
	return top
}

// exp sets y to exp(x − top) and returns its sum per head. Lanes that do not
// count are −Inf, whose exponential is 0.
func (s *scores) exp(c constants, lowest, top reg.VecVirtual) reg.VecVirtual {
	sum := s.v.register()
	s.v.zero(sum)
	s.each(func(at []Mem, only *tail) {
		x := s.v.read(at[0], only, lowest)
		VSUBPS(top, x, x)
		c.exp(x, false)
		VADDPS(x, sum, sum)
		store(x, at[1], only)
	})
	s.fold(VADDPS, sum)
	return sum
}

// divide divides operand i by sum.
func (s *scores) divide(i int, sum reg.VecVirtual) {
	s.each(func(at []Mem, only *tail) {
		y := s.v.read(at[i], only, nil)
		VDIVPS(sum, y, y)
		store(y, at[i], only)
	})
}

func softmaxMax(v vectors, heads int) {
	s := begin(v, heads, "softmaxMax", "func(edges int, x *float32, ldx int, top *float32, heads int)",
		"finds the largest score of each head.", "x")
	lowest := v.register()
	VMOVUPS(newConstants(v, negativeInfinity).of(negativeInfinity), lowest)
	s.chunk("top", func(slot Mem) { s.storeHeads(s.max(lowest), slot) })
}

// chunk builds a function of some edges and a slot of a value per head.
func (s *scores) chunk(slot string, body func(slot Mem)) {
	s.count(Load(Param("edges"), GP64()).(reg.GPVirtual))
	body(Mem{Base: Load(Param(slot), GP64())})
	VZEROUPPER()
	RET()
}

func softmaxExp(v vectors, heads int) {
	s := begin(v, heads, "softmaxExp", "func(edges int, x *float32, ldx int, y *float32, ldy int, top *float32, heads int)",
		"takes the exponentials of the scores less the tops, which it replaces by the sums.", "x", "y")
	c := softmaxConstants(v)
	lowest := c.into(negativeInfinity, v.register())
	s.chunk("top", func(slot Mem) { s.storeHeads(s.exp(c, lowest, s.loadHeads(slot)), slot) })
}

func softmaxDivide(v vectors, heads int) {
	s := begin(v, heads, "softmaxDivide", "func(edges int, y *float32, ldy int, sum *float32, heads int)",
		"divides by the sums.", "y")
	s.chunk("sum", func(slot Mem) { s.divide(0, s.loadHeads(slot)) })
}

func softmaxGradRows(v vectors, heads int) {
	s := begin(v, heads, "softmaxGradRows",
		"func(rows int, ptr *int64, y *float32, ldy int, up *float32, ldup int, d *float32, ldd, heads int)",
		"computes y·(g − Σ y·g) in each row.", "y", "up", "d")
	s.eachRow(func() {
		s.whereShort(func(at []Mem, only *tail) {
			y, g, sum := s.v.read(at[0], only, nil), s.v.read(at[1], only, nil), v.register()
			VMULPS(y, g, sum)
			s.fold(VADDPS, sum)
			VSUBPS(sum, g, g)
			VMULPS(y, g, g)
			store(g, at[2], only)
		}, func() { s.weigh(s.dot()) })
	})
}

// dot returns Σ y·g per head.
func (s *scores) dot() reg.VecVirtual {
	sum := s.v.register()
	s.v.zero(sum)
	s.each(func(at []Mem, only *tail) {
		y, g := s.v.read(at[0], only, nil), s.v.read(at[1], only, nil)
		VFMADD231PS(y, g, sum)
	})
	s.fold(VADDPS, sum)
	return sum
}

// weigh sets d to y·(g − sum).
func (s *scores) weigh(sum reg.VecVirtual) {
	s.each(func(at []Mem, only *tail) {
		y, g := s.v.read(at[0], only, nil), s.v.read(at[1], only, nil)
		VSUBPS(sum, g, g)
		VMULPS(y, g, g)
		store(g, at[2], only)
	})
}

func softmaxGradSum(v vectors, heads int) {
	s := begin(v, heads, "softmaxGradSum", "func(edges int, y *float32, ldy int, up *float32, ldup int, sum *float32, heads int)",
		"computes Σ y·g of each head.", "y", "up")
	s.chunk("sum", func(slot Mem) { s.storeHeads(s.dot(), slot) })
}

func softmaxGradWeigh(v vectors, heads int) {
	s := begin(v, heads, "softmaxGradWeigh",
		"func(edges int, y *float32, ldy int, up *float32, ldup int, d *float32, ldd int, sum *float32, heads int)",
		"computes y·(g − sum).", "y", "up", "d")
	s.chunk("sum", func(slot Mem) { s.weigh(s.loadHeads(slot)) })
}
