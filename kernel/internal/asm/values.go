package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// valueFunc is a function of values, applied to slices of them.
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
	TEXT(f.name+v.name, NOSPLIT, "func(dst, x, y []float32, s float32)")
	Doc(f.name + v.name + " computes " + f.doc + ".")
	Pragma("noescape")
	n := Load(Param("dst").Len(), GP64()).(reg.GPVirtual)
	dst := Load(Param("dst").Base(), GP64())
	at := map[rune]reg.Register{}
	for _, name := range f.reads {
		at[name] = Load(Param(string(name)).Base(), GP64())
	}
	l := lanes{constants: newConstants(v, f.constants...)}
	if f.scalar {
		l.scalar = v.register()
		VBROADCASTSS(argument("s"), l.scalar)
	}
	eachVector(v, n, func(j reg.Register, only *tail) {
		read := func(name rune) vec {
			if at[name] == nil {
				return nil
			}
			return v.read(Mem{Base: at[name], Index: j, Scale: 4}, only, nil)
		}
		store(f.result(l, read('x'), read('y')), Mem{Base: dst, Index: j, Scale: 4}, only)
	})
	VZEROUPPER()
	RET()
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
