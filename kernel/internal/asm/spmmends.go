package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The kinds of steps that a row's end takes, as package kernel has them.
const (
	endScale     = 1 + iota // y·x₀
	endAdd                  // y + x
	endAddScaled            // y + s·x
	endReLU                 // max(y, 0)
	endReLUGrad             // y where x > 0 or x is NaN, else 0
)

// Offsets in a rowEnd, and its size.
const (
	endKindAt, endScalarAt, endOperandAt, endStrideAt, endBytes = 0, 4, 8, 16, 24
)

// endRowsAhead is how many rows ahead the operand of a step is asked for: between
// gathers, no prefetcher follows rows that are read in order.
const endRowsAhead = 8

// sumEnded builds the same as sum, and then takes the steps of ends, a list of
// rowEnd up to one of kind 0, while a row's sums are in registers. A step has the
// bits of the valueFunc or rowFunc that does the same.
func sumEnded(v vectors, n int) {
	s := newRowSum(v, n, false, "sumEnded", "sums the rows that other names, takes the steps of ends",
		sumArgs+indexArgs+", row int, ends *int64)")
	s.end = s.takeEnds
	s.neighbours()
}

// rowEnd is the code of a row's end.
type rowEnd struct {
	*rowSum
	step reg.GPVirtual // address of the step
	x    reg.GPVirtual // of the operand's row
	room vec
	each vec // what all vectors meet: a factor, or zero
}

func (s *rowSum) takeEnds() {
	e := rowEnd{s, GP64(), GP64(), s.v.register(), s.v.register()}
	kind, ahead := GP64(), GP64()
	MOVQ(argument("ends"), e.step)
	Label("step")
	MOVL(Mem{Base: e.step, Disp: endKindAt}, kind.As32())
	TESTL(kind.As32(), kind.As32())
	JZ(LabelRef("ended"))
	MOVQ(Mem{Base: e.step, Disp: endStrideAt}, e.x)
	MOVQ(e.x, ahead)
	IMULQ(argument("row"), e.x)
	ADDQ(Mem{Base: e.step, Disp: endOperandAt}, e.x)
	steps := []struct {
		kind  uint64
		name  string
		build func(ahead reg.Register)
	}{
		{endScale, "scale", e.scale}, {endReLU, "relu", e.relu}, {endAdd, "add", e.add},
		{endAddScaled, "addscaled", e.addScaled}, {endReLUGrad, "relugrad", e.reluGrad},
	}
	for _, f := range steps[1:] {
		CMPL(kind.As32(), U32(f.kind))
		JE(LabelRef(f.name))
	}
	for i, f := range steps {
		if i > 0 {
			Label(f.name)
		}
		f.build(ahead)
		ADDQ(Imm(endBytes), e.step)
		JMP(LabelRef("step"))
	}
	Label("ended")
	INCQ(argument("row"))
}

// operand is vector j of the operand's row, loaded where it is not whole.
func (e rowEnd) operand(j int) Op {
	m := Mem{Base: e.x, Disp: j * e.v.bytes}
	if j < len(e.sums)-1 {
		return m
	}
	e.tail.load(m, e.room)
	return e.room
}

// fetch asks for the operand's row some rows ahead.
func (e rowEnd) fetch(stride reg.Register) {
	for at := 0; at < len(e.sums)*e.v.bytes; at += 64 {
		PREFETCHT0(Mem{Base: e.x, Index: stride, Scale: endRowsAhead, Disp: at})
	}
}

func (e rowEnd) scale(reg.Register) {
	VBROADCASTSS(Mem{Base: e.x}, e.each)
	for _, y := range e.sums {
		VMULPS(y, e.each, y)
	}
}

func (e rowEnd) relu(reg.Register) {
	e.v.clear(e.each)
	for _, y := range e.sums {
		VMAXPS(y, e.each, y)
	}
}

func (e rowEnd) add(stride reg.Register) {
	e.fetch(stride)
	for j, y := range e.sums {
		VADDPS(e.operand(j), y, y)
	}
}

func (e rowEnd) addScaled(stride reg.Register) {
	e.fetch(stride)
	VBROADCASTSS(Mem{Base: e.step, Disp: endScalarAt}, e.each)
	for j, y := range e.sums {
		VMULPS(e.operand(j), e.each, e.room)
		VADDPS(e.room, y, y)
	}
}

func (e rowEnd) reluGrad(stride reg.Register) {
	e.fetch(stride)
	e.v.clear(e.each)
	l := lanes{constants: constants{v: e.v}}
	for j, y := range e.sums {
		x := e.operand(j)
		if j < len(e.sums)-1 {
			VMOVUPS(x, e.room)
		}
		VMOVAPS(l.keep(l.where(e.room, notLessOrEqual, e.each), y), y)
	}
}
