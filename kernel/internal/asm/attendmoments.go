package main

import (
	"fmt"

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
	m := &momentSums{attending: a, constants: newConstants(v, exp2Constants...), slope: v.broadcast("slope")}
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
	m.exponential(w)
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

// attendMomentsRows builds the same for eight heads whose columns fill n vectors. It
// takes the products of the rows that an index names with the own one.
func attendMomentsRows(v vectors, n int) {
	name := fmt.Sprintf("attendMomentsRows%sx%d", v.name, n)
	TEXT(name, NOSPLIT, "func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy int"+indexArgs+momentArgs+", keep *float32)")
	Doc(fmt.Sprintf("%s sets the moments of rows from the scores of their edges and the rows of both ends, eight heads of %d columns.", name, 2*n))
	Pragma("noescape")
	x, ldx := Load(Param("x"), GP64()), Load(Param("ldx"), GP64())
	a := &attending{rowSum: &rowSum{v: v, p: GP64(), x: x, ldx: ldx, sums: make([]vec, n)}, most: exactlyEight, keep: GP64()}
	MOVQ(argument("keep"), a.keep)
	a.index()
	a.edges()
	score := Load(Param("score"), GP64())
	if n > onceVectors {
		a.askAgain()
	}
	p := newProducts(n)
	m := a.moments()
	a.walk(rowSteps{start: m.start, enter: func() {
		m.enter()
		p.enter(ownRow(v, "y", "ldy", n))
	}, position: func(at []reg.GPVirtual) {
		q := a.named(at)
		d := p.of(Mem{Base: a.x, Index: q[0], Scale: 1}, Mem{Base: a.x, Index: q[1], Scale: 1})
		a.mask(d)
		m.add(a.ofEdges(score), d)
	}, leave: m.divide, end: func() {
		m.write()
		next("y", "ldy")
	}})
}
