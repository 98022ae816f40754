package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// attendScores builds the loop over edges that sets their scores, rectified, and
// the top of each row.
func attendScores(v vectors, most int) {
	name := "attendScores" + headsName[most] + v.name
	TEXT(name, NOSPLIT, "func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy int, other *int32, ahead int"+
		", slope float32, score, top *float32, heads, apart int)")
	Doc(name + " sets scores to the rectified sums of the rows of both ends, and tops to the largest of each row.")
	Pragma("noescape")
	read, write := func(m Mem, x vec) { VMOVUPS(m, x) }, func(x vec, m Mem) { VMOVUPS(x, m) }
	if most == exactlyEight {
		v = ymm
	} else {
		a := attending{rowSum: &rowSum{v: v}, most: most}
		a.edges()
		read, write = a.load, a.toRow
	}
	load := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	ptr, x, y, other, ahead, score, tops := load("ptr"), load("x"), load("y"), load("other"), load("ahead"), load("score"), load("top")
	ldx, apart, end, p := load("ldx"), load("apart"), GP64(), GP64()
	LEAQ(Mem{Base: other, Index: ahead, Scale: 4}, ahead)
	slope, lowest := v.broadcast("slope"), v.register()
	VBROADCASTSS(constant(negativeInfinity), lowest)
	MOVQ(Mem{Base: ptr}, p)
	Label("row")
	MOVQ(Mem{Base: ptr, Disp: 8}, end)
	own, top := v.register(), v.register()
	v.zero(top)
	CMPQ(p, end)
	JGE(LabelRef("next"))
	read(Mem{Base: y}, own)
	VMOVAPS(lowest, top)
	Label("position")
	q := GP64()
	MOVL(Mem{Base: ahead, Index: p, Scale: 4}, q.As32())
	IMULQ(ldx, q)
	PREFETCHT0(Mem{Base: x, Index: q, Scale: 1})
	MOVL(Mem{Base: other, Index: p, Scale: 4}, q.As32())
	IMULQ(ldx, q)
	a := v.register()
	read(Mem{Base: x, Index: q, Scale: 1}, a)
	VADDPS(own, a, a)
	v.rectify(a, slope)
	write(a, Mem{Base: score})
	VMAXPS(a, top, top)
	ADDQ(apart, score)
	INCQ(p)
	CMPQ(p, end)
	JLT(LabelRef("position"))
	Label("next")
	write(top, Mem{Base: tops})
	ADDQ(Imm(8), ptr)
	ADDQ(argument("ldy"), y)
	ADDQ(apart, tops)
	DECQ(argument("rows"))
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}
