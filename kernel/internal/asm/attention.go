package main

import (
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// attention builds the loops over the scores of a block of rows: those that
// fold the edges of each row for one, two, four and eight heads side by side,
// and for up to a vector of heads, and those that treat every value alike.
func attention() {
	for _, v := range []vectors{zmm, ymm} {
		for _, heads := range []int{1, 2, 4, 8, 0} {
			attentionSoftmax(v, heads)
			attentionMoments(v, heads)
			attentionPull(v, heads)
		}
		attentionWeights(v)
		attentionFinish(v)
	}
}

// results of a row lie in planes, some bytes apart.
const resultArgs = "slope float32, result *float32, plane, ldr, heads int)"

// resultAt is the place of a row's result in plane 0, 1 or 2.
func (s *scores) resultAt(plane int) Mem {
	if plane == 0 {
		return Mem{Base: s.result}
	}
	apart := GP64()
	MOVQ(argument("plane"), apart)
	return Mem{Base: s.result, Index: apart, Scale: uint8(plane)}
}

// rectify sets x to the leaky rectifier of x, slope being at most 1. Where one
// is NaN the second source wins, here x.
func (v vectors) rectify(x, slope vec) {
	t := v.register()
	VMULPS(slope, x, t)
	VMAXPS(x, t, x)
}

// broadcast returns a register that holds an argument.
func (v vectors) broadcast(name string) vec {
	r := v.register()
	VBROADCASTSS(argument(name), r)
	return r
}

func attentionSoftmax(v vectors, heads int) {
	s := begin(v, heads, "attentionSoftmax", "func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy int, "+resultArgs,
		"normalises the rectified scores of each row; results are their tops and the sums of exponentials.", "x", "y")
	c := softmaxConstants(v)
	lowest := c.into(negativeInfinity, v.register())
	slope := v.broadcast("slope")
	s.result = Load(Param("result"), GP64()).(reg.GPVirtual)
	s.eachRow(func() {
		s.whereShort(func(at []Mem, only *tail) {
			x, top := s.load(at[0], only, lowest), v.register()
			v.rectify(x, slope)
			VMOVAPS(x, top)
			s.fold(VMAXPS, top)
			s.storeHeads(top, s.resultAt(0))
			VSUBPS(top, x, x)
			c.exp(x, false)
			sum := top
			VMOVAPS(x, sum)
			s.fold(VADDPS, sum)
			s.storeHeads(sum, s.resultAt(1))
			VDIVPS(sum, x, x)
			store(x, at[1], only)
		}, func() {
			top, sum := v.register(), v.register()
			VMOVAPS(lowest, top)
			s.each(func(at []Mem, only *tail) {
				x := s.load(at[0], only, lowest)
				v.rectify(x, slope)
				store(x, at[1], only)
				VMAXPS(x, top, top)
			})
			s.fold(VMAXPS, top)
			s.storeHeads(top, s.resultAt(0))
			v.zero(sum)
			s.each(func(at []Mem, only *tail) {
				x := s.load(at[1], only, lowest)
				VSUBPS(top, x, x)
				c.exp(x, false)
				VADDPS(x, sum, sum)
				store(x, at[1], only)
			})
			s.fold(VADDPS, sum)
			s.storeHeads(sum, s.resultAt(1))
			s.divide(1, sum)
		})
	})
}

// tilt returns a where x is above 0 and slope·a elsewhere.
func (v vectors) tilt(x, a, slope, zero vec) vec {
	l := lanes{constants: newConstants(v)}
	return l.choose(l.where(zero, less, x), a, l.mul(a, slope))
}

func attentionMoments(v vectors, heads int) {
	s := begin(v, heads, "attentionMoments",
		"func(rows int, ptr *int64, x *float32, ldx int, a *float32, lda int, d *float32, ldd int, "+resultArgs,
		"folds each row; results are Σ a·d, Σ a·d·f and Σ a·f, with f the slope at x.", "x", "a", "d")
	slope, zero := v.broadcast("slope"), v.register()
	v.zero(zero)
	s.result = Load(Param("result"), GP64()).(reg.GPVirtual)
	mean, push, tilt := v.register(), v.register(), v.register()
	step := func(at []Mem, only *tail) {
		x, a, d := s.load(at[0], only, nil), s.load(at[1], only, nil), s.load(at[2], only, nil)
		y := v.tilt(x, a, slope, zero)
		VFMADD231PS(a, d, mean)
		VFMADD231PS(y, d, push)
		VADDPS(y, tilt, tilt)
	}
	s.eachRow(func() {
		v.zero(mean, push, tilt)
		s.each(step)
		for i, sum := range []vec{mean, push, tilt} {
			s.fold(VADDPS, sum)
			s.storeHeads(sum, s.resultAt(i))
		}
	})
}

func attentionPull(v vectors, heads int) {
	s := begin(v, heads, "attentionPull",
		"func(rows int, ptr *int64, x *float32, ldx int, a *float32, lda int, d *float32, ldd int, t *float32, ldt int, slope float32, result *float32, ldr, heads int)",
		"folds each row; the result is Σ a·(d − t)·f, with f the slope at x.", "x", "a", "d", "t")
	slope, zero, sum := v.broadcast("slope"), v.register(), v.register()
	v.zero(zero)
	s.result = Load(Param("result"), GP64()).(reg.GPVirtual)
	s.eachRow(func() {
		v.zero(sum)
		s.each(func(at []Mem, only *tail) {
			x, a, d, t := s.load(at[0], only, nil), s.load(at[1], only, nil), s.load(at[2], only, nil), s.load(at[3], only, nil)
			VSUBPS(t, d, d)
			VFMADD231PS(d, v.tilt(x, a, slope, zero), sum)
		})
		s.fold(VADDPS, sum)
		s.storeHeads(sum, Mem{Base: s.result})
	})
}

// flat begins a function of n values of some operands. build returns what it
// does to a vector of each, which it may change, and which of them it writes.
func flat(v vectors, name, doc string, operands []string, args string, build func() func(x []vec) (write []int)) {
	TEXT(name+v.name, NOSPLIT, "func(n int, "+strings.Join(operands, ", ")+" *float32"+args+")")
	Doc(name + v.name + " " + doc)
	Pragma("noescape")
	s := scores{v: v}
	for _, o := range operands {
		s.operands = append(s.operands, Load(Param(o), GP64()).(reg.GPVirtual))
	}
	step := build()
	eachVector(v, Load(Param("n"), GP64()).(reg.GPVirtual), func(j reg.Register, only *tail) {
		at := func(i int) Mem { return Mem{Base: s.operands[i], Index: j, Scale: 4} }
		var x []vec
		for i := range operands {
			x = append(x, s.load(at(i), only, nil))
		}
		for _, i := range step(x) {
			store(x[i], at(i), only)
		}
	})
	VZEROUPPER()
	RET()
}

func attentionWeights(v vectors) {
	flat(v, "attentionWeights", "sets a to the exponentials of the rectified x less top.", []string{"x", "top", "a"}, ", slope float32",
		func() func(x []vec) []int {
			c, slope := newConstants(v, expConstants...), v.broadcast("slope")
			return func(x []vec) []int {
				v.rectify(x[0], slope)
				VSUBPS(x[1], x[0], x[2])
				c.exp(x[2], false)
				return []int{2}
			}
		})
}

func attentionFinish(v vectors) {
	flat(v, "attentionFinish", "adds the logarithm of sum to top, and subtracts mean·tilt from push.",
		[]string{"top", "sum", "mean", "push", "tilt"}, "", func() func(x []vec) []int {
			l := lanes{constants: newConstants(v, logConstants...)}
			return func(x []vec) []int {
				top, sum, mean, push, tilt := x[0], x[1], x[2], x[3], x[4]
				notANumber := l.sub(sum, sum) // else 0
				x[0] = l.add(l.add(top, l.logNormal(sum, nil)), notANumber)
				x[3] = l.sub(push, l.mul(mean, tilt))
				return []int{0, 3}
			}
		})
}
