package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sums builds the reductions: over rows, over the columns of a head, over heads,
// and over all values.
func sums() {
	for _, v := range []vectors{zmm, ymm} {
		columnSum(v, false)
		columnSum(v, true)
		headDot(v)
		headDotSquare(v)
		headSum(v)
		for _, reads := range []string{"x", "xy"} {
			sumDouble(v, reads)
		}
	}
}

// columnSum builds dst = Σ x over n rows, or Σ x·y of the column's head. It goes
// through the rows once for every four vectors of columns, and then for two and
// one: their sums stay in registers.
func columnSum(v vectors, weighted bool) {
	name, args := "columnSum"+v.name, "func(n int, dst *float32, x *float32, ldx, cols int"
	doc := " adds up n rows of cols values."
	if weighted {
		name, args = "headColumnSum"+v.name, args+", y *float32, ldy, heads int, lane *uint32"
		doc = " adds up n rows of cols values, each weighted by its head's."
	}
	TEXT(name, NOSPLIT, args+")")
	Doc(name + doc)
	Pragma("noescape")
	s := columnSums{v: v, weighted: weighted, dst: load("dst"), x: load("x"), cols: load("cols"), ldx: load("ldx")}
	if weighted {
		s.lane = load("lane")
		s.heads = newTail(v, load("heads"))
	}
	for _, vectors := range []int{4, 2, 1} {
		loop, next := fmt.Sprintf("by%d", vectors), fmt.Sprintf("beyond%d", vectors)
		Label(loop)
		CMPQ(s.cols, Imm(uint64(vectors*v.values())))
		JL(LabelRef(next))
		s.block(vectors, nil)
		JMP(LabelRef(loop))
		Label(next)
	}
	TESTQ(s.cols, s.cols)
	JZ(LabelRef("done"))
	only := newTail(v, s.cols)
	s.block(1, &only)
	Label("done")
	VZEROUPPER()
	RET()
}

func load(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// columnSums are the columns that are left to sum.
type columnSums struct {
	v            vectors
	weighted     bool
	dst, x, lane reg.GPVirtual // those of the first column left
	cols, ldx    reg.GPVirtual
	heads        tail
}

// block sums some vectors of columns and goes on to those after them.
func (s *columnSums) block(vectors int, only *tail) {
	sums := newSums(s.v, vectors)
	own := make([]vec, vectors)
	y, weights, later := GP64(), s.v.register(), reg.GPVirtual(nil)
	if s.weighted {
		Load(Param("y"), y)
		later = rowsLater("ldy")
		for j := range own {
			own[j] = s.v.register()
			VMOVUPS(s.v.at(Mem{Base: s.lane}, j), own[j])
		}
	}
	x, left, loop := GP64(), load("n"), label("row")
	MOVQ(s.x, x)
	Label(loop)
	if s.weighted {
		s.heads.load(Mem{Base: y}, weights)
		PREFETCHT0(strided(y, later, 1))
		ADDQ(argument("ldy"), y)
	}
	for j, sum := range sums {
		m := s.v.at(Mem{Base: x}, j)
		value := s.v.read(m, only, nil)
		if s.weighted {
			w := s.v.register()
			VPERMPS(weights, own[j], w)
			VFMADD231PS(value, w, sum)
		} else {
			VADDPS(value, sum, sum)
		}
	}
	ADDQ(s.ldx, x)
	DECQ(left)
	JNZ(LabelRef(loop))
	for j, sum := range sums {
		store(sum, s.v.at(Mem{Base: s.dst}, j), only)
	}
	bytes := U32(uint32(vectors * s.v.bytes))
	ADDQ(bytes, s.dst)
	ADDQ(bytes, s.x)
	SUBQ(U32(uint32(vectors*s.v.values())), s.cols)
	if s.weighted {
		ADDQ(bytes, s.lane)
	}
}

// headDot builds dst[h] = Σ x·y over the columns of each head, of n rows.
func headDot(v vectors) {
	name := "headDot" + v.name
	TEXT(name, NOSPLIT, "func(n int, dst *float32, lddst int, x *float32, ldx int, y *float32, ldy, cols, heads int)")
	Doc(name + " multiplies n rows of heads of cols values, head by head.")
	Pragma("noescape")
	r := newRows(v, "xy")
	left, row, head := load("n"), label("row"), label("head")
	start := map[rune]reg.GPVirtual{}
	for _, o := range "dxy" {
		start[o], r.at[o] = r.at[o], GP64()
	}
	bytes := load("cols")
	SHLQ(Imm(2), bytes)
	Label(row)
	heads := load("heads")
	for _, o := range "dxy" {
		MOVQ(start[o], r.at[o])
	}
	Label(head)
	VMOVSS(r.dot('x', 'y').AsX(), Mem{Base: r.at['d']})
	ADDQ(Imm(4), r.at['d'])
	ADDQ(bytes, r.at['x'])
	ADDQ(bytes, r.at['y'])
	DECQ(heads)
	JNZ(LabelRef(head))
	for _, o := range "dxy" {
		ADDQ(argument("ld"+operandNames[o]), start[o])
	}
	DECQ(left)
	JNZ(LabelRef(row))
	VZEROUPPER()
	RET()
}

// headDotSquare builds the same for eight heads of eight columns, whose sums are then
// taken together.
func headDotSquare(v vectors) {
	name := "headDotSquare" + v.name
	TEXT(name, NOSPLIT, "func(n int, dst *float32, lddst int, x *float32, ldx int, y *float32, ldy int)")
	Doc(name + " multiplies n rows of eight heads of eight values, head by head.")
	Pragma("noescape")
	dst, x, y, left, loop := load("dst"), load("x"), load("y"), load("n"), label("row")
	var order vec
	if v.bytes == 64 {
		order = v.register()
		VMOVUPS(evenThenOdd(), order)
	}
	Label(loop)
	products := make([]vec, 64/v.values())
	for j := range products {
		products[j] = v.register()
		VMOVUPS(v.at(Mem{Base: x}, j), products[j])
		VMULPS(v.at(Mem{Base: y}, j), products[j], products[j])
	}
	VMOVUPS(foldSquare(v, products, order), Mem{Base: dst})
	ADDQ(argument("lddst"), dst)
	ADDQ(argument("ldx"), x)
	ADDQ(argument("ldy"), y)
	DECQ(left)
	JNZ(LabelRef(loop))
	VZEROUPPER()
	RET()
}

// headSum builds dst = Σ x over the heads of each of n rows.
func headSum(v vectors) {
	name := "headSum" + v.name
	TEXT(name, NOSPLIT, "func(n int, dst *float32, lddst int, x *float32, ldx, cols, heads int)")
	Doc(name + " adds up the heads of n rows, of cols values each.")
	Pragma("noescape")
	r := newRows(v, "x")
	left, row, bytes := load("n"), label("row"), load("cols")
	SHLQ(Imm(2), bytes)
	Label(row)
	r.each(func(only *tail) {
		sum, heads, loop := r.read('x', only), load("heads"), label("head")
		next, done := GP64(), label("only")
		MOVQ(r.at['x'], next)
		DECQ(heads)
		JZ(LabelRef(done))
		Label(loop)
		ADDQ(bytes, next)
		x := v.read(Mem{Base: next, Index: r.position, Scale: 4}, only, nil)
		VADDPS(x, sum, sum)
		DECQ(heads)
		JNZ(LabelRef(loop))
		Label(done)
		r.write(sum, only)
	})
	ADDQ(argument("lddst"), r.at['d'])
	ADDQ(argument("ldx"), r.at['x'])
	DECQ(left)
	JNZ(LabelRef(row))
	VZEROUPPER()
	RET()
}

// sumDouble builds Σ x or Σ x·y in double precision.
func sumDouble(v vectors, reads string) {
	name, doc := "sumDouble"+v.name, " adds up values in double precision."
	if reads == "xy" {
		name, doc = "dotDouble"+v.name, " adds up products in double precision."
	}
	TEXT(name, NOSPLIT, "func(x, y []float32) float64")
	Doc(name + doc)
	Pragma("noescape")
	n := Load(Param("x").Len(), GP64()).(reg.GPVirtual)
	x, y := Load(Param("x").Base(), GP64()), Load(Param("y").Base(), GP64())
	sums := newSums(v, 2)
	eachVector(v, n, func(j reg.Register, only *tail) {
		a := halves(v, Mem{Base: x, Index: j, Scale: 4}, only)
		if reads == "x" {
			for i, s := range sums {
				VADDPD(a[i], s, s)
			}
			return
		}
		for i, b := range halves(v, Mem{Base: y, Index: j, Scale: 4}, only) {
			VFMADD231PD(b, a[i], sums[i])
		}
	})
	VADDPD(sums[1], sums[0], sums[0])
	Store(foldDouble(v, sums[0]), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// halves returns the values of a vector in double precision.
func halves(v vectors, m Mem, only *tail) [2]vec {
	lo, hi := v.register(), v.register()
	if only == nil {
		VCVTPS2PD(m, lo)
		VCVTPS2PD(m.Offset(v.bytes/2), hi)
		return [2]vec{lo, hi}
	}
	x := v.register()
	only.load(m, x)
	if v.masked() {
		half := YMM()
		VCVTPS2PD(x.AsY(), lo)
		VEXTRACTF64X4(Imm(1), x, half)
		VCVTPS2PD(half, hi)
	} else {
		half := XMM()
		VCVTPS2PD(x.AsX(), lo)
		VEXTRACTF128(Imm(1), x, half)
		VCVTPS2PD(half, hi)
	}
	return [2]vec{lo, hi}
}

// foldDouble adds up the lanes of x, which it changes.
func foldDouble(v vectors, x vec) reg.VecVirtual {
	t := XMM()
	if v.masked() {
		half := YMM()
		VEXTRACTF64X4(Imm(1), x, half)
		VADDPD(half, x.AsY(), x.AsY())
		VEXTRACTF64X2(Imm(1), x.AsY(), t)
	} else {
		VEXTRACTF128(Imm(1), x.AsY(), t)
	}
	VADDPD(t, x.AsX(), x.AsX())
	VPERMILPD(Imm(1), x.AsX(), t)
	VADDSD(t, x.AsX(), x.AsX())
	return x.AsX().(reg.VecVirtual)
}
