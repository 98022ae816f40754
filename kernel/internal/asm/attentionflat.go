package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Loops over the edges of a block that know no rows: a vector of edges at a time,
// whatever rows they belong to. Of one head a vector holds one value of each; what
// rows have is spread over their edges before. Edges beyond the last are computed as
// well, in whole vectors, and lie in spare room.

// attentionSpread builds a loop over rows.
func attentionSpread(v vectors) {
	name := "attentionSpread" + v.name
	TEXT(name, NOSPLIT, "func(rows int, ptr *int64, own *float32, ldown int, z *float32)")
	Doc(name + " sets z to the value of the row at each of its positions, and beyond them less than two vectors to anything.")
	Pragma("noescape")
	rows, ptr, own, ld, z := Load(Param("rows"), GP64()), Load(Param("ptr"), GP64()), Load(Param("own"), GP64()), Load(Param("ldown"), GP64()), Load(Param("z"), GP64())
	p, end, x := GP64(), GP64(), v.register()
	MOVQ(Mem{Base: ptr}, p)
	Label("row")
	MOVQ(Mem{Base: ptr, Disp: 8}, end)
	VBROADCASTSS(Mem{Base: own}, x)
	Label("position") // two vectors are enough for most rows
	for i := range 2 {
		VMOVUPS(x, v.at(Mem{Base: z, Index: p, Scale: 4}, i))
	}
	ADDQ(Imm(uint64(2*v.values())), p)
	CMPQ(p, end)
	JLT(LabelRef("position"))
	MOVQ(end, p)
	ADDQ(Imm(8), ptr)
	ADDQ(ld, own)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// attentionNamed builds a loop that gathers a value per edge.
func attentionNamed(v vectors) {
	name := "attentionNamed" + v.name
	TEXT(name, NOSPLIT, "func(n int, x *float32, ldx int, other *int32, ahead int, z *float32)")
	Doc(name + " sets z to the values of x that an index names, n > 0 rounded up to whole vectors.")
	Pragma("noescape")
	n, x, ld, other, ahead, z := Load(Param("n"), GP64()), Load(Param("x"), GP64()), Load(Param("ldx"), GP64()), Load(Param("other"), GP64()), Load(Param("ahead"), GP64()), Load(Param("z"), GP64())
	LEAQ(Mem{Base: other, Index: ahead, Scale: 4}, ahead)
	Label("vector")
	for e := range v.values() {
		PREFETCHT0(v.rowOf(ahead, e, x, ld))
	}
	VMOVUPS(v.named(other, x, ld), Mem{Base: z})
	for _, p := range []reg.Register{other, ahead, z} {
		ADDQ(Imm(uint64(v.bytes)), p)
	}
	SUBQ(Imm(uint64(v.values())), n)
	JG(LabelRef("vector"))
	VZEROUPPER()
	RET()
}

// named returns a vector of the values, ld bytes apart, that an index names. Loads of
// one value each are as fast as an instruction that gathers.
func (v vectors) named(other, x reg.Register, ld Op) vec {
	var quarters []vec
	for e := 0; e < v.values(); e += 4 {
		t := XMM()
		for l := range 4 {
			from := v.rowOf(other, e+l, x, ld)
			if l == 0 {
				VMOVSS(from, t)
			} else {
				VINSERTPS(Imm(uint64(16*l)), from, t, t)
			}
		}
		quarters = append(quarters, t)
	}
	return v.join(quarters)
}

// join returns a vector of parts of four values.
func (v vectors) join(quarters []vec) vec {
	if v.bytes == 32 {
		VINSERTF128(Imm(1), quarters[1], quarters[0].AsY(), quarters[0].AsY())
		return quarters[0].AsY().(vec)
	}
	for i := 0; i < 4; i += 2 {
		VINSERTF32X4(Imm(1), quarters[i+1], quarters[i].AsY(), quarters[i].AsY())
	}
	VINSERTF64X4(Imm(1), quarters[2].AsY(), quarters[0].AsZ(), quarters[0].AsZ())
	return quarters[0].AsZ().(vec)
}

// attentionFar builds what edges need at their sources.
func attentionFar(v vectors) {
	name := "attentionFar" + v.name
	TEXT(name, NOSPLIT, "func(n int, x *float32, ldx int, other *int32, ahead int, own *float32, slope float32, weight, tilted, pull *float32)")
	Doc(name + " takes three values of the rows of x that an index names, l, λ and t, n > 0 rows rounded up to whole vectors: with s of own + l, it sets weight to exp(rectified s − λ), tilted to that times the slope at s, and pull to tilted·t.")
	Pragma("noescape")
	load := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	n, x, ld, other, ahead := load("n"), load("x"), load("ldx"), load("other"), load("ahead")
	LEAQ(Mem{Base: other, Index: ahead, Scale: 4}, ahead)
	own, weight, tilted, pull := load("own"), load("weight"), load("tilted"), load("pull")
	c, slope, zero := newConstants(v, expConstants...), v.broadcast("slope"), v.register()
	v.zero(zero)
	Label("vector")
	for e := range v.values() {
		PREFETCHT0(v.rowOf(ahead, e, x, ld))
	}
	l, λ, t := v.threeOf(other, x, ld)
	VADDPS(Mem{Base: own}, l, l)
	w := v.register()
	VMOVAPS(l, w)
	v.rectify(w, slope)
	VSUBPS(λ, w, w)
	c.exp(w, false)
	VMOVUPS(w, Mem{Base: weight})
	w = v.tilt(l, w, slope, zero)
	VMOVUPS(w, Mem{Base: tilted})
	VMULPS(w, t, t)
	VMOVUPS(t, Mem{Base: pull})
	for _, p := range []reg.Register{other, ahead, own, weight, tilted, pull} {
		ADDQ(Imm(uint64(v.bytes)), p)
	}
	SUBQ(Imm(uint64(v.values())), n)
	JG(LabelRef("vector"))
	VZEROUPPER()
	RET()
}

// rowOf is the row of x that an index names e places on.
func (v vectors) rowOf(other reg.Register, e int, x reg.Register, ld Op) Mem {
	id := GP64()
	MOVL(Mem{Base: other, Disp: 4 * e}, id.As32())
	IMULQ(ld, id)
	return Mem{Base: x, Index: id, Scale: 1}
}

// threeOf returns the first three of four values of the rows of x that an index
// names, a vector of each.
func (v vectors) threeOf(other, x, ld reg.Register) (first, second, third vec) {
	var rows []vec // of those, row 4·q + i is quarter q of vector i
	for i := range 4 {
		var quarters []vec
		for e := i; e < v.values(); e += 4 {
			t := XMM()
			VMOVUPS(v.rowOf(other, e, x, ld), t)
			quarters = append(quarters, t)
		}
		rows = append(rows, v.join(quarters))
	}
	pair := func(f func(ops ...Op), x, y vec) vec {
		r := v.register()
		f(y, x, r)
		return r
	}
	low, low2 := pair(VUNPCKLPS, rows[0], rows[1]), pair(VUNPCKLPS, rows[2], rows[3])
	high, high2 := pair(VUNPCKHPS, rows[0], rows[1]), pair(VUNPCKHPS, rows[2], rows[3])
	return pair(VUNPCKLPD, low, low2), pair(VUNPCKHPD, low, low2), pair(VUNPCKLPD, high, high2)
}
