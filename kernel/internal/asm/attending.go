package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// attending is a sum of rows under weights that are computed in the same loop, an
// edge at a time; or two where heads are eight, whose values fill a vector.
type attending struct {
	*rowSum
	most  int           // heads, one of those below
	heads tail          // of one edge
	lane  reg.Register  // for each column, its head
	lanes []vec         // the same in registers, where those abound
	keep  reg.GPVirtual // factors of the weights; 0 where there is no mask
	soon  reg.GPVirtual // the index from where on rows are asked for again, or nil

	// Of two edges, of which there may be one: the lanes of those there are, those
	// of the second's columns, and of its last vector.
	both, next, rest reg.Register

	aside []func() // what stands beside the loops, which jump there
}

// The heads that a function takes at most: exactly eight, two edges at a time;
// fewer, whose values are read by half vectors, since a whole one would reach into
// lines that nobody asked for; and as many as fill a vector.
const (
	exactlyEight = 8
	underEight   = 7
	overEight    = 16
)

var headsName = map[int]string{exactlyEight: "Eight", underEight: "Some", overEight: "Many"}

func (a *attending) two() bool { return a.most == exactlyEight }

// begin starts a function that sums rows of n vectors so many times.
func (a *attending) begin(v vectors, n, times int, name, doc, args string) {
	name += headsName[a.most]
	a.rowSum = newRowSum(v, n, false, name, doc, sumArgs+indexArgs+", heads, apart int, lane *uint32, keep *float32"+args+")")
	a.index()
	a.edges()
	a.lane, a.keep = Load(Param("lane"), GP64()), Load(Param("keep"), GP64()).(reg.GPVirtual)
	if n*times <= 4 { // sums leave registers
		for j := range n {
			own := v.register()
			VMOVUPS(Mem{Base: a.lane, Disp: j * v.bytes}, own)
			a.lanes = append(a.lanes, own)
		}
	}
}

// onceVectors is how many vectors of rows need asking for once only, unless the loop
// sums them twice.
const onceVectors = 4

// askAgain has rows asked for once more, a quarter as far ahead: what is asked for
// while as much is under way as can be seems to be dropped, which loops over long rows
// come to, and others that compute little for a row.
func (a *attending) askAgain() {
	a.soon = GP64()
	MOVQ(argument("ahead"), a.soon)
	SHRQ(Imm(2), a.soon)
	LEAQ(Mem{Base: a.other, Index: a.soon, Scale: 4}, a.soon)
}

// edges loads what the values of edges need.
func (a *attending) edges() {
	if a.two() {
		a.both, a.next, a.rest = K(), K(), K()
	} else {
		a.heads = newTail(a.v, Load(Param("heads"), GP64()))
	}
}

// read loads a value per head of the edges at hand.
func (a *attending) read(m Mem) vec {
	x := a.v.register()
	if a.two() {
		VMOVUPS_Z(m, a.both, x)
	} else {
		a.load(m, x)
	}
	return x
}

// ofRow loads a value per head of a row, for each edge at hand.
func (a *attending) ofRow(m Mem, x vec) {
	if a.two() {
		VBROADCASTF32X8(m, x)
	} else {
		a.load(m, x)
	}
}

// load reads a value per head.
func (a *attending) load(m Mem, x vec) { VMOVUPS_Z(m, a.heads.k, a.window(x)) }

// window is the part of a register that values per head are read to.
func (a *attending) window(x vec) vec {
	if a.most < overEight {
		return x.AsY().(vec)
	}
	return x
}

// toRow writes a value per head.
func (a *attending) toRow(x vec, m Mem) {
	if a.two() {
		VMOVUPS(x.AsY(), m)
	} else {
		VMOVUPS(a.window(x), a.heads.k, m)
	}
}

// addTo adds the edges' values to x.
func (a *attending) addTo(x, y vec) {
	if a.two() {
		VADDPS(y, x, a.both, x)
	} else {
		VADDPS(y, x, x)
	}
}

// addProduct adds the products of the edges' values to x.
func (a *attending) addProduct(x, y, z vec) {
	if a.two() {
		VFMADD231PS(y, z, a.both, x)
	} else {
		VFMADD231PS(y, z, x)
	}
}

// foldEdges adds up the sums of both edges.
func (a *attending) foldEdges(xs ...vec) {
	if !a.two() {
		return
	}
	for _, x := range xs {
		t := a.v.register()
		VSHUFF32X4(Imm(0x4e), x, x, t)
		VADDPS(t, x, x)
	}
}

// ofEdges reads the values of the edges at hand, p being those of all.
func (a *attending) ofEdges(p reg.Register) vec {
	t := GP64()
	MOVQ(a.p, t)
	if a.two() {
		SHLQ(Imm(5), t)
	} else {
		IMULQ(argument("apart"), t)
	}
	return a.read(Mem{Base: p, Index: t, Scale: 1})
}

// rowSteps are what a walk does: at the start of every row, before the edges of a
// row that has some, at some of these, whose positions it gets, after them, and at
// the end of every row.
type rowSteps struct {
	start, enter func()
	position     func(at []reg.GPVirtual)
	leave, end   func()
	again        func() // what precedes going through a row's edges again, whose first is at hand
}

const (
	labelPosition = "position"
	labelAgain    = "again"
)

// walk builds the loops over rows and edges.
func (a *attending) walk(s rowSteps) {
	end := GP64()
	MOVQ(argument("ptr"), end)
	MOVQ(Mem{Base: end}, a.p)
	Label("row")
	MOVQ(argument("ptr"), end)
	ADDQ(Imm(8), end)
	MOVQ(end, argument("ptr"))
	MOVQ(Mem{Base: end}, end)
	s.start()
	CMPQ(a.p, end)
	JGE(LabelRef("store"))
	s.enter()
	Label(labelPosition)
	at := []reg.GPVirtual{a.p}
	if a.two() {
		at = append(at, a.second(end))
	}
	s.position(at)
	ADDQ(Imm(uint64(len(at))), a.p)
	CMPQ(a.p, end)
	JLT(LabelRef(labelPosition))
	if a.two() {
		MOVQ(end, a.p)
	}
	s.leave()
	Label("store")
	s.end()
	DECQ(argument("rows"))
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
	for _, block := range a.aside {
		block()
	}
	if s.again == nil {
		return
	}
	Label(labelAgain)
	MOVQ(argument("ptr"), end)
	MOVQ(Mem{Base: end, Disp: -8}, a.p)
	MOVQ(Mem{Base: end}, end)
	s.again()
	JMP(LabelRef(labelPosition))
}

// second returns the position of the second edge, which is the first where there
// is none; it has no lanes then.
func (a *attending) second(end reg.GPVirtual) reg.GPVirtual {
	p, lanes, some := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: a.p, Disp: 1}, p)
	XORQ(some, some)
	CMPQ(p, end)
	CMOVQGE(a.p, p)
	SETLT(some.As8())
	NEGQ(some) // ones where there is one
	MOVQ(some, lanes)
	KMOVW(lanes.As32(), a.next)
	ORQ(Imm(0xff), lanes)
	KMOVW(lanes.As32(), a.both)
	if a.tail.k != nil {
		KANDW(a.next, a.tail.k, a.rest)
	}
	return p
}

// named asks for the rows of x some positions ahead, and returns the offsets of
// those that an index names at some positions. Rows that edges gather begin at a
// cache line, so that there is none beyond their vectors.
func (a *attending) named(at []reg.GPVirtual) (offsets []reg.GPVirtual) {
	for _, p := range at {
		row := *a.rowSum
		row.p = p
		a.ask(row.row(a.ahead))
		if a.soon != nil {
			a.ask(row.row(a.soon))
		}
		offsets = append(offsets, row.row(a.other))
	}
	return offsets
}

// ask asks for the row of x at an offset.
func (a *attending) ask(q reg.Register) {
	for line := range a.sums {
		PREFETCHT0(a.at(q, line))
	}
}

// gather adds the edges' rows to some sums, each by weights of its own, of which
// there is one per head.
func (a *attending) gather(q []reg.GPVirtual, weights []vec, sums ...[]vec) {
	var second []vec // weights of the second edge
	if a.two() {
		for _, w := range weights {
			other := a.v.register()
			VSHUFF32X4(Imm(0x4e), w, w, other)
			second = append(second, other)
		}
	}
	for j := range a.sums {
		last, lane := j == len(a.sums)-1, a.laneOf(j)
		a.addRow(a.at(q[0], j), lane, weights, sums, j, last, nil)
		if a.two() {
			lanes := a.next
			if last {
				lanes = a.rest
			}
			a.addRow(a.at(q[1], j), lane, second, sums, j, last, lanes)
		}
	}
}

// addRow adds vector j of a row to sums; of the second edge there are some lanes.
func (a *attending) addRow(x Mem, lane vec, weights []vec, sums [][]vec, j int, last bool, lanes reg.Register) {
	var from Op = x
	if len(sums) > 1 {
		r := a.v.register()
		if last {
			a.tail.load(x, r)
		} else {
			VMOVUPS(x, r)
		}
		from, last = r, false
	}
	for i, w := range weights {
		own := a.v.register()
		VPERMPS(w, lane, own)
		switch {
		case lanes != nil:
			VFMADD231PS(from, own, lanes, sums[i][j])
		case last:
			a.tail.multiplyAdd(x, own, sums[i][j])
		default:
			VFMADD231PS(from, own, sums[i][j])
		}
	}
}

// laneOf returns the heads of the columns of vector j.
func (a *attending) laneOf(j int) vec {
	if a.lanes != nil {
		return a.lanes[j]
	}
	own := a.v.register()
	VMOVUPS(Mem{Base: a.lane, Disp: j * a.v.bytes}, own)
	return own
}

// spread returns each column's value in vector j of a value per head.
func (a *attending) spread(w vec, j int) vec {
	own := a.v.register()
	VPERMPS(w, a.laneOf(j), own)
	return own
}

// mask multiplies weights by the factors of the mask.
func (a *attending) mask(ws ...vec) {
	none := label("unmasked")
	TESTQ(a.keep, a.keep)
	JZ(LabelRef(none))
	k := a.ofEdges(a.keep)
	for _, w := range ws {
		VMULPS(k, w, w)
	}
	Label(none)
}

// maskAside does the same where no branch is taken without a mask.
func (a *attending) maskAside(w vec) {
	masked, back := label("masked"), label("weighed")
	TESTQ(a.keep, a.keep)
	JNZ(LabelRef(masked))
	Label(back)
	a.aside = append(a.aside, func() {
		Label(masked)
		VMULPS(a.ofEdges(a.keep), w, w)
		JMP(LabelRef(back))
	})
}

// pointer loads an argument that points somewhere: what only rows need stays in
// memory, so that the inner loop has the registers.
func pointer(name string) Mem { return Mem{Base: Load(Param(name), GP64())} }

// ownRow returns the place of a row of n vectors that an argument points to, and
// asks for one some rows on: see rowsAhead.
func ownRow(v vectors, name, by string, n int) Mem {
	m, later := pointer(name), GP64()
	MOVQ(argument(by), later)
	IMUL3Q(Imm(rowsAhead), later, later)
	ADDQ(m.Base, later)
	for j := range n {
		PREFETCHT0(v.at(Mem{Base: later}, j))
	}
	return m
}

// next moves an argument that points to a row to the next one.
func next(name, by string) {
	t := GP64()
	MOVQ(argument(by), t)
	ADDQ(t, argument(name))
}

// nextHeads moves arguments that point to a value per head to those of the next row.
func (a *attending) nextHeads(names ...string) {
	by := GP64()
	MOVQ(argument("apart"), by)
	for _, name := range names {
		ADDQ(by, argument(name))
	}
}
