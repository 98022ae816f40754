package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// valueFunc is a function of values, applied to rows of them.
type valueFunc struct {
	name      string
	reads     string // which of x and y
	scalar    bool   // whether it has a parameter
	constants []float32
	doc       string
	result    func(l lanes, x, y vec) vec
}

// values builds the loops of all functions of values.
func values() {
	for _, v := range []vectors{zmm, ymm} {
		for _, f := range valueFuncs {
			f.build(v)
		}
	}
}

func (f valueFunc) build(v vectors) {
	rowFunc{name: f.name, reads: f.reads, scalar: f.scalar, constants: f.constants, doc: f.doc, row: func(r *rows) {
		r.each(func(only *tail) {
			var operands [2]vec
			for _, o := range f.reads {
				operands[o-'x'] = r.read(o, only)
			}
			r.write(f.result(r.lanes, operands[0], operands[1]), only)
		})
	}}.build(v)
}

// eachVector builds a loop over n values: step sees the first one's number, and
// a tail where they fill no vector. It changes n.
func eachVector(v vectors, n reg.GPVirtual, step func(j reg.Register, only *tail)) {
	loop, rest, done := label("vectors"), label("rest"), label("done")
	j := GP64()
	XORQ(j, j)
	SUBQ(Imm(uint64(v.values())), n)
	JL(LabelRef(rest))
	Label(loop)
	step(j, nil)
	ADDQ(Imm(uint64(v.values())), j)
	CMPQ(j, n)
	JLE(LabelRef(loop))
	Label(rest)
	ADDQ(Imm(uint64(v.values())), n)
	SUBQ(j, n)
	JZ(LabelRef(done))
	only := newTail(v, n)
	step(j, &only)
	Label(done)
}
