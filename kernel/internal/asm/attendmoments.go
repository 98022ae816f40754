package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// momentSums are the sums over the edges of a row that moments follow from.
type momentSums struct {
	*attending
	constants
	slope, zero, tops       vec
	total, mean, push, tilt vec
}

func (a *attending) moments() *momentSums {
	v := a.v
	m := &momentSums{attending: a, constants: newConstants(v, expConstants...), slope: v.broadcast("slope")}
	for _, r := range []*vec{&m.zero, &m.tops, &m.total, &m.mean, &m.push, &m.tilt} {
		*r = v.register()
	}
	v.zero(m.zero)
	return m
}

func (m *momentSums) all() []vec { return []vec{m.total, m.mean, m.push, m.tilt} }

// start leaves the moments of a row without edges.
func (m *momentSums) start() {
	VMOVUPS(m.of(1), m.total)
	m.attending.v.zero(m.mean, m.push, m.tilt)
}

func (m *momentSums) enter() {
	m.ofRow(pointer("moment"), m.tops)
	m.attending.v.zero(m.total)
}

// add takes edges with scores x and products d.
func (m *momentSums) add(x, d vec) {
	w := m.attending.v.register()
	VSUBPS(m.tops, x, w)
	m.exp(w, false)
	m.addTo(m.total, w)
	tilted := m.attending.v.tilt(x, w, m.slope, m.zero)
	m.addTo(m.tilt, tilted)
	m.addProduct(m.mean, w, d)
	m.addProduct(m.push, tilted, d)
}

// divide leaves the moments of a row.
func (m *momentSums) divide() {
	m.foldEdges(m.all()...)
	factor := m.attending.v.register()
	VMOVUPS(m.of(1), factor)
	VDIVPS(m.total, factor, factor)
	for _, sum := range m.all()[1:] {
		VMULPS(factor, sum, sum)
	}
}

// write writes them in their planes, after the one of tops.
func (m *momentSums) write() {
	to := pointer("moment")
	for _, sum := range m.all() {
		ADDQ(argument("plane"), to.Base)
		m.toRow(sum, to)
	}
	m.nextHeads("moment")
}

const momentArgs = ", slope float32, score, moment *float32, plane, heads, apart int"

// attendMoments builds the moments of rows from the scores and products of edges.
func attendMoments(v vectors, most int) {
	name := "attendMoments" + headsName[most]
	TEXT(name+v.name, NOSPLIT, "func(rows int, ptr *int64, product *float32"+momentArgs+")")
	Doc(name + v.name + " sets the moments of rows from the scores and the products of their edges.")
	Pragma("noescape")
	a := &attending{rowSum: &rowSum{v: v, p: GP64()}, most: most}
	a.edges()
	score, product := Load(Param("score"), GP64()), Load(Param("product"), GP64())
	m := a.moments()
	a.walk(rowSteps{start: m.start, enter: m.enter, leave: m.divide, end: m.write,
		position: func([]reg.GPVirtual) { m.add(a.ofEdges(score), a.ofEdges(product)) }})
}

// attendMomentsSquare builds the same for eight heads of eight columns, whose
// products it takes: of the rows that an index names with the own one.
func attendMomentsSquare(v vectors) {
	name := "attendMomentsSquare"
	TEXT(name+v.name, NOSPLIT, "func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy int"+indexArgs+momentArgs+", keep *float32)")
	Doc(name + v.name + " sets the moments of rows from the scores of their edges and the rows of both ends.")
	Pragma("noescape")
	x, ldx := Load(Param("x"), GP64()), Load(Param("ldx"), GP64())
	a := &attending{rowSum: &rowSum{v: v, p: GP64(), x: x, ldx: ldx, sums: make([]vec, 4)}, most: exactlyEight, keep: GP64()}
	MOVQ(argument("keep"), a.keep)
	a.index()
	a.edges()
	score := Load(Param("score"), GP64())
	own, order := make([]vec, 4), v.register()
	for j := range own {
		own[j] = v.register()
	}
	VMOVUPS(evenThenOddTwice(), order)
	m := a.moments()
	a.walk(rowSteps{start: m.start, enter: func() {
		m.enter()
		y := ownRow(v, "y", "ldy", len(own))
		for j, r := range own {
			VMOVUPS(v.at(y, j), r)
		}
	}, position: func(at []reg.GPVirtual) {
		q := a.named(at)
		d := productsOfEight(own, Mem{Base: a.x, Index: q[0], Scale: 1}, Mem{Base: a.x, Index: q[1], Scale: 1}, order)
		a.mask(d)
		m.add(a.ofEdges(score), d)
	}, leave: m.divide, end: func() {
		m.write()
		next("y", "ldy")
	}})
}

// productsOfEight returns the products of eight heads of eight columns with two
// rows of x, those of the first row in the lower half.
func productsOfEight(own []vec, x0, x1 Mem, order vec) vec {
	var sums [2]vec
	for i, x := range []Mem{x0, x1} {
		var p []vec
		for j, y := range own {
			p = append(p, ZMM())
			VMULPS(zmm.at(x, j), y, p[j])
		}
		foldQuarters(p)
		sums[i] = p[0]
	}
	t := ZMM()
	VSHUFF32X4(Imm(0xdd), sums[1], sums[0], t)
	VSHUFF32X4(Imm(0x88), sums[1], sums[0], sums[0])
	VADDPS(t, sums[0], sums[0])
	VPERMPS(sums[0], order, sums[0])
	return sums[0]
}

// evenThenOddTwice are the lanes that bring even and odd heads into order in both
// halves of a vector.
func evenThenOddTwice() Mem {
	m := GLOBL("evenThenOddTwice", 8|16) // RODATA and NOPTR
	for i := range 16 {
		DATA(4*i, U32(i/8*8+4*(i%2)+i%8/2))
	}
	return m
}
