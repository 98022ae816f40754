package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// attendScores builds the loop over edges that sets their scores, rectified, and
// the top of each row: for eight heads, and for up to a vector of them.
func attendScores(v vectors, heads int) {
	name := "attendScores" + v.name
	if heads != 0 {
		name = fmt.Sprintf("%sx%d", name, heads)
	}
	TEXT(name, NOSPLIT, "func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy int, other *int32, ahead int"+
		", slope float32, score, top *float32, heads, apart int)")
	Doc(name + " sets scores to the rectified sums of the rows of both ends, and tops to the largest of each row.")
	Pragma("noescape")
	if heads == 8 {
		v = ymm
	}
	load := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	ptr, x, y, other, ahead, score, top := load("ptr"), load("x"), load("y"), load("other"), load("ahead"), load("score"), load("top")
	ldx, apart, end, p := load("ldx"), load("apart"), GP64(), GP64()
	LEAQ(Mem{Base: other, Index: ahead, Scale: 4}, ahead)
	var some *tail
	if heads == 0 {
		t := newTail(v, load("heads"))
		some = &t
	}
	move := moveOf(heads, some)
	slope, lowest := v.broadcast("slope"), v.register()
	VBROADCASTSS(constant(negativeInfinity), lowest)
	MOVQ(Mem{Base: ptr}, p)
	Label("row")
	MOVQ(Mem{Base: ptr, Disp: 8}, end)
	own, most := v.register(), v.register()
	v.zero(most)
	CMPQ(p, end)
	JGE(LabelRef("next"))
	move(Mem{Base: y}, own)
	VMOVAPS(lowest, most)
	Label("position")
	q := GP64()
	MOVL(Mem{Base: ahead, Index: p, Scale: 4}, q.As32())
	IMULQ(ldx, q)
	PREFETCHT0(Mem{Base: x, Index: q, Scale: 1})
	MOVL(Mem{Base: other, Index: p, Scale: 4}, q.As32())
	IMULQ(ldx, q)
	a := v.register()
	move(Mem{Base: x, Index: q, Scale: 1}, a)
	VADDPS(own, a, a)
	v.rectify(a, slope)
	move(a, Mem{Base: score})
	VMAXPS(a, most, most)
	ADDQ(apart, score)
	INCQ(p)
	CMPQ(p, end)
	JLT(LabelRef("position"))
	Label("next")
	move(most, Mem{Base: top})
	ADDQ(Imm(8), ptr)
	ADDQ(argument("ldy"), y)
	ADDQ(apart, top)
	DECQ(argument("rows"))
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}
