package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// attention builds the loops over the scores of a block of rows: those that fold
// the edges of each row for one, two, four and eight heads side by side, and for
// up to a vector of heads, and those that treat every value alike. In AVX-512
// other loops take several heads: see attend.
func attention() {
	for _, v := range []vectors{zmm, ymm} {
		attentionWeigh(v)
		attentionWeighMoments(v)
		attentionSpread(v)
		attentionNamed(v)
		attentionFar(v)
		for n := 1; n <= pairVectors(v); n++ {
			attentionBack(v, n)
		}
		for _, heads := range []int{1, 8, 0} {
			attentionFinish(v, heads)
		}
	}
	for _, heads := range []int{2, 4, 8, 0} {
		attentionSoftmax(ymm, heads)
		attentionMoments(ymm, heads)
		attentionPull(ymm, heads)
	}
	for _, heads := range []int{8, 0} {
		attentionGather(ymm, heads)
		for n := 1; n <= pairVectors(ymm); n++ {
			attentionSums(ymm, n, heads)
		}
	}
	attentionWeights(ymm)
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
	lowest, one := c.into(negativeInfinity, v.register()), c.into(1, v.register())
	slope := v.broadcast("slope")
	s.result = Load(Param("result"), GP64()).(reg.GPVirtual)
	s.eachRow(func() {
		s.whereShort(func(at []Mem, only *tail) {
			x, top := s.v.read(at[0], only, lowest), v.register()
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
			VDIVPS(sum, one, sum)
			VMULPS(sum, x, x)
			store(x, at[1], only)
		}, func() {
			top, sum := v.register(), v.register()
			VMOVAPS(lowest, top)
			s.each(func(at []Mem, only *tail) {
				x := s.v.read(at[0], only, lowest)
				v.rectify(x, slope)
				store(x, at[1], only)
				VMAXPS(x, top, top)
			})
			s.fold(VMAXPS, top)
			s.storeHeads(top, s.resultAt(0))
			v.zero(sum)
			s.each(func(at []Mem, only *tail) {
				x := s.v.read(at[1], only, lowest)
				VSUBPS(top, x, x)
				c.exp(x, false)
				VADDPS(x, sum, sum)
				store(x, at[1], only)
			})
			s.fold(VADDPS, sum)
			s.storeHeads(sum, s.resultAt(1))
			VDIVPS(sum, one, sum)
			s.each(func(at []Mem, only *tail) {
				y := s.v.read(at[1], only, nil)
				VMULPS(sum, y, y)
				store(y, at[1], only)
			})
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
		x, a, d := s.v.read(at[0], only, nil), s.v.read(at[1], only, nil), s.v.read(at[2], only, nil)
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
		"func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy int, result *float32, ldr, heads int)",
		"folds each row; the result is Σ x·y.", "x", "y")
	sum := v.register()
	s.result = Load(Param("result"), GP64()).(reg.GPVirtual)
	s.eachRow(func() {
		v.zero(sum)
		s.each(func(at []Mem, only *tail) {
			VFMADD231PS(s.v.read(at[0], only, nil), s.v.read(at[1], only, nil), sum)
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
			x = append(x, s.v.read(at(i), only, nil))
		}
		for _, i := range step(x) {
			store(x[i], at(i), only)
		}
	})
	VZEROUPPER()
	RET()
}

func attentionWeights(v vectors) {
	flat(v, "attentionWeights", "sets a to its exponentials, and b to a where x is above 0 and to slope·a elsewhere.", []string{"x", "a", "b"}, ", slope float32",
		func() func(x []vec) []int {
			c, slope, zero := newConstants(v, expConstants...), v.broadcast("slope"), v.register()
			v.zero(zero)
			return func(x []vec) []int {
				c.exp(x[1], false)
				x[2] = v.tilt(x[0], x[1], slope, zero)
				return []int{1, 2}
			}
		})
}

// attentionFinish builds a loop over rows of a value per head in five planes: for
// a head, for eight, and for any number.
func attentionFinish(v vectors, heads int) {
	name := "attentionFinish" + v.name
	if heads != 0 {
		name, v = fmt.Sprintf("%sx%d", name, heads), ymm
	}
	TEXT(name, NOSPLIT, "func(rows int, l *float32, ldl int, moment *float32, plane int, out *float32, ldout, heads int)")
	Doc(name + " writes, of each row, l, top + ln sum, mean and push − mean·tilt side by side.")
	Pragma("noescape")
	load := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	l, moment, plane, out, part := load("l"), load("moment"), load("plane"), load("out"), load("heads")
	SHLQ(Imm(2), part) // the bytes of a value per head
	f := lanes{constants: newConstants(v, logConstants...)}
	row := label("row")
	Label(row)
	values := func(j reg.Register, only *tail) {
		from, to := GP64(), GP64()
		move := moveOf(heads, only)
		at := func(base reg.GPVirtual) Mem {
			if j == nil {
				return Mem{Base: base}
			}
			return Mem{Base: base, Index: j, Scale: 4}
		}
		read := func() vec {
			x := v.register()
			move(at(from), x)
			ADDQ(plane, from)
			return x
		}
		write := func(x vec) {
			move(x, at(to))
			ADDQ(part, to)
		}
		own := v.register()
		move(at(l), own)
		MOVQ(out, to)
		MOVQ(moment, from)
		write(own)
		top, sum := read(), read()
		notANumber := f.sub(sum, sum) // else 0
		write(f.add(f.add(top, f.logNormal(sum, nil)), notANumber))
		mean, push, tilt := read(), read(), read()
		write(mean)
		write(f.sub(push, f.mul(mean, tilt)))
	}
	if heads != 0 {
		values(nil, nil)
	} else {
		n := GP64()
		MOVQ(argument("heads"), n)
		eachVector(v, n, values)
	}
	ADDQ(argument("ldl"), l)
	ADDQ(part, moment)
	ADDQ(argument("ldout"), out)
	DECQ(argument("rows"))
	JNZ(LabelRef(row))
	VZEROUPPER()
	RET()
}

// moveOf returns the instruction that reads or writes one value, where there is
// one head, a vector, or the lanes of a tail.
func moveOf(heads int, only *tail) func(from, to Op) {
	return func(from, to Op) {
		x, writes := from.(vec)
		y, _ := to.(vec)
		switch {
		case heads == 1 && writes:
			VMOVSS(x.AsX(), to)
		case heads == 1:
			VMOVSS(from, y.AsX())
		case only == nil:
			VMOVUPS(from, to)
		case writes:
			only.store(x, to.(Mem))
		default:
			only.load(from.(Mem), y)
		}
	}
}
