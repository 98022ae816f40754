package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// edge builds the loops that go through edges in destination order and write a
// row for each.
func edge() {
	for _, v := range []vectors{zmm, ymm} {
		for _, c := range edgeCopies {
			edgeCopy(v, c)
			edgeCopyOne(v, c)
		}
		for n := 1; n <= 8; n++ {
			edgeDot(v, n)
		}
		edgeDot(v, widest(v))
		edgeDotWide(v)
		edgeDotEight(v)
	}
}

const (
	edgeArgs   = "p, hi int, z *float32, ldz, lastByte int"
	sourceArgs = ", other *int32, ahead int, x *float32, ldx int"
	destArgs   = ", ptr *int64, y *float32, ldy int"

	// rowsAhead is how many rows of destinations ahead of its own one is asked
	// for: what is read out of order leaves their stream to no other help.
	rowsAhead = 8
)

// edges walks positions p to hi.
type edges struct {
	v    vectors
	p, z reg.GPVirtual // the position and its row of the result

	// Of loops that read sources: the index, the same from some positions
	// ahead on, and their rows.
	other, ahead, x reg.GPVirtual
	// Of loops that read destinations: the pointer of the row that owns the
	// position, and its values.
	ptr, y reg.GPVirtual
}

func beginEdges(v vectors, sources, destinations bool) *edges {
	Pragma("noescape")
	load := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	e := &edges{v: v, p: load("p"), z: load("z")}
	if sources {
		e.other, e.ahead, e.x = load("other"), load("ahead"), load("x")
		LEAQ(Mem{Base: e.other, Index: e.ahead, Scale: 4}, e.ahead)
	}
	if destinations {
		e.ptr, e.y = load("ptr"), load("y")
	}
	return e
}

// rows builds the loop over rows around a loop over the positions of one row,
// which ends at end; enter runs at the start of each row that has positions.
// Loops that read no destinations have a single row.
func (e *edges) rows(enter func(), positions func(end reg.GPVirtual)) {
	end := GP64()
	if e.ptr == nil {
		MOVQ(argument("hi"), end)
		positions(end)
		VZEROUPPER()
		RET()
		return
	}
	loop, next, row := label("row"), label("next"), GP64()
	Label(loop)
	MOVQ(argument("ldy"), row)
	IMUL3Q(Imm(rowsAhead), row, row)
	ADDQ(e.y, row)
	e.prefetchRow(row)
	MOVQ(Mem{Base: e.ptr, Disp: 8}, end)
	CMPQ(end, argument("hi"))
	CMOVQGT(argument("hi"), end)
	CMPQ(e.p, end)
	JGE(LabelRef(next))
	enter()
	positions(end)
	Label(next)
	ADDQ(Imm(8), e.ptr)
	ADDQ(argument("ldy"), e.y)
	CMPQ(e.p, argument("hi"))
	JLT(LabelRef(loop))
	VZEROUPPER()
	RET()
}

// source returns the offset of the row that an index names at the position.
func (e *edges) source(index reg.GPVirtual) reg.GPVirtual {
	q := GP64()
	MOVL(Mem{Base: index, Index: e.p, Scale: 4}, q.As32())
	IMULQ(argument("ldx"), q)
	return q
}

// prefetch asks for the first lines of the source's row some positions ahead,
// and for that of its last byte.
func (e *edges) prefetch(lines int) {
	q := e.source(e.ahead)
	for j := range lines {
		PREFETCHT0(Mem{Base: e.x, Index: q, Scale: 1, Disp: 64 * j})
	}
	ADDQ(argument("lastByte"), q)
	PREFETCHT0(Mem{Base: e.x, Index: q, Scale: 1})
}

// prefetchAll is prefetch of all lines, of which there may be any number.
func (e *edges) prefetchAll() {
	q := e.source(e.ahead)
	ADDQ(e.x, q)
	e.prefetchRow(q)
}

// prefetchRow asks for all lines of the row at an address, which it changes.
func (e *edges) prefetchRow(at reg.GPVirtual) {
	loop, last := label("lines"), GP64()
	MOVQ(argument("lastByte"), last)
	ADDQ(at, last)
	Label(loop)
	PREFETCHT0(Mem{Base: at})
	ADDQ(Imm(64), at)
	CMPQ(at, last)
	JLT(LabelRef(loop))
	PREFETCHT0(Mem{Base: last})
}

// edgeCopies are the loops that build z[p] = x[other[p]] + y[r], or one of its terms.
var edgeCopies = []copying{
	{"edgeAdd", true, true, "adds the rows of both ends"},
	{"edgeGather", true, false, "copies the source's row"},
	{"edgeScatter", false, true, "copies the destination's row"},
}

type copying struct {
	name                  string
	sources, destinations bool
	doc                   string
}

func (c copying) args() string {
	args := "func(" + edgeArgs
	if c.sources {
		args += sourceArgs
	}
	if c.destinations {
		args += destArgs
	}
	return args + ", full, tail int)"
}

// edgeCopy builds a loop for rows of any width.
func edgeCopy(v vectors, c copying) {
	TEXT(c.name+v.name, NOSPLIT, c.args())
	Doc(c.name + v.name + " " + c.doc + " to each edge, in full bytes of whole vectors and a tail of values.")
	e := beginEdges(v, c.sources, c.destinations)
	full := Load(Param("full"), GP64()).(reg.GPVirtual)
	only := newTail(v, Load(Param("tail"), GP64()))
	x, lastY := v.register(), v.register()
	e.rows(func() {
		if c.destinations {
			only.load(Mem{Base: e.y, Index: full, Scale: 1}, lastY)
		}
	}, func(end reg.GPVirtual) {
		loop, columns, rest, done := label("position"), label("columns"), label("rest"), label("done")
		Label(loop)
		q, j := GP64(), GP64()
		if c.sources {
			e.prefetchAll()
			MOVQ(e.source(e.other), q)
			ADDQ(e.x, q)
		}
		XORQ(j, j)
		CMPQ(j, full)
		JGE(LabelRef(rest))
		Label(columns)
		switch {
		case c.sources && c.destinations:
			VMOVUPS(Mem{Base: q, Index: j, Scale: 1}, x)
			VADDPS(Mem{Base: e.y, Index: j, Scale: 1}, x, x)
		case c.sources:
			VMOVUPS(Mem{Base: q, Index: j, Scale: 1}, x)
		default:
			VMOVUPS(Mem{Base: e.y, Index: j, Scale: 1}, x)
		}
		VMOVUPS(x, Mem{Base: e.z, Index: j, Scale: 1})
		ADDQ(Imm(uint64(v.bytes)), j)
		CMPQ(j, full)
		JLT(LabelRef(columns))
		Label(rest)
		CMPQ(argument("tail"), Imm(0))
		JE(LabelRef(done))
		switch {
		case c.sources && c.destinations:
			only.load(Mem{Base: q, Index: full, Scale: 1}, x)
			VADDPS(lastY, x, x)
			only.store(x, Mem{Base: e.z, Index: full, Scale: 1})
		case c.sources:
			only.load(Mem{Base: q, Index: full, Scale: 1}, x)
			only.store(x, Mem{Base: e.z, Index: full, Scale: 1})
		default:
			only.store(lastY, Mem{Base: e.z, Index: full, Scale: 1})
		}
		Label(done)
		e.next(end, loop)
	})
}

// edgeCopyOne builds loops for rows that are one value, or one vector; they do
// not need to be told so.
func edgeCopyOne(v vectors, c copying) {
	for _, values := range []int{1, v.values()} {
		name := fmt.Sprintf("%s%sx%d", c.name, v.name, values)
		TEXT(name, NOSPLIT, c.args())
		Doc(fmt.Sprintf("%s %s to each edge, %d values.", name, c.doc, values))
		e := beginEdges(v, c.sources, c.destinations)
		move, add := VMOVUPS, VADDPS
		x, y := v.register(), v.register()
		as := func(r reg.VecVirtual) Op { return r }
		if values == 1 {
			move, add = VMOVSS, VADDSS
			as = func(r reg.VecVirtual) Op { return r.AsX() }
		}
		e.rows(func() {
			if c.destinations {
				move(Mem{Base: e.y}, as(y))
			}
		}, func(end reg.GPVirtual) {
			loop := label("position")
			Label(loop)
			var q reg.GPVirtual
			if c.sources {
				if values > 1 {
					e.prefetch(1)
				}
				q = e.source(e.other)
			}
			switch {
			case c.sources && c.destinations:
				add(Mem{Base: e.x, Index: q, Scale: 1}, as(y), as(x))
				move(as(x), Mem{Base: e.z})
			case c.sources:
				move(Mem{Base: e.x, Index: q, Scale: 1}, as(x))
				move(as(x), Mem{Base: e.z})
			default:
				move(as(y), Mem{Base: e.z})
			}
			e.next(end, loop)
		})
	}
}

// next goes on to the next position, or out of the loop.
func (e *edges) next(end reg.GPVirtual, loop string) {
	ADDQ(argument("ldz"), e.z)
	INCQ(e.p)
	CMPQ(e.p, end)
	JLT(LabelRef(loop))
}
