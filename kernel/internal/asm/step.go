package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// stepFunc is the step of an optimiser: it changes parameters p and moments m and
// v by the gradient g. Its coefficients are those of optimise_generic.go.
type stepFunc struct {
	name, operands string
	doc            string
	step           func(l lanes, at map[rune]vec, coefficient func(i int) vec)
}

var stepFuncs = []stepFunc{
	{"sgd", "pg", "p ← p − rate·(g + λp)", func(l lanes, at map[rune]vec, c func(int) vec) {
		at['p'] = l.sub(at['p'], l.mul(c(0), l.penalised(at, c(1))))
	}},
	{"sgdMomentum", "pgv", "g ← g + λp; v ← μv + g; p ← p − rate·v", func(l lanes, at map[rune]vec, c func(int) vec) {
		d := l.penalised(at, c(1))
		at['v'] = l.add(l.mul(c(2), at['v']), d)
		at['p'] = l.sub(at['p'], l.mul(c(0), at['v']))
	}},
	{"sgdNesterov", "pgv", "g ← g + λp; v ← μv + g; p ← p − rate·(g + μv)", func(l lanes, at map[rune]vec, c func(int) vec) {
		d := l.penalised(at, c(1))
		at['v'] = l.add(l.mul(c(2), at['v']), d)
		at['p'] = l.sub(at['p'], l.mul(c(0), l.add(d, l.mul(c(2), at['v']))))
	}},
	{"adam", "pgmv", "Adam", func(l lanes, at map[rune]vec, c func(int) vec) {
		d := l.penalised(at, c(1))
		at['m'] = l.add(l.mul(c(2), at['m']), l.mul(c(3), d))
		at['v'] = l.add(l.mul(c(4), at['v']), l.mul(l.mul(c(5), d), d))
		below := l.add(l.mul(l.sqrt(at['v']), c(6)), c(7))
		at['p'] = l.sub(l.mul(c(8), at['p']), l.div(l.mul(c(0), at['m']), below))
	}},
}

// penalised returns g + λp.
func (l lanes) penalised(at map[rune]vec, lambda vec) vec {
	return l.add(at['g'], l.mul(lambda, at['p']))
}

// steps builds the steps of the optimisers.
func steps() {
	for _, v := range []vectors{zmm, ymm} {
		for _, f := range stepFuncs {
			f.build(v)
		}
	}
}

func (f stepFunc) build(v vectors) {
	TEXT(f.name+v.name, NOSPLIT, "func(p, g, m, v, coefficients []float32)")
	Doc(f.name + v.name + " computes " + f.doc + ".")
	Pragma("noescape")
	n := Load(Param("p").Len(), GP64()).(reg.GPVirtual)
	coefficients := Load(Param("coefficients").Base(), GP64())
	base := map[rune]reg.Register{}
	for _, o := range f.operands {
		base[o] = Load(Param(string(o)).Base(), GP64())
	}
	eachVector(v, n, func(j reg.Register, only *tail) {
		place := func(o rune) Mem { return Mem{Base: base[o], Index: j, Scale: 4} }
		at := map[rune]vec{}
		for _, o := range f.operands {
			at[o] = v.read(place(o), only, nil)
		}
		f.step(lanes{constants: constants{v: v}}, at, func(i int) vec {
			c := v.register()
			VBROADCASTSS(Mem{Base: coefficients, Disp: 4 * i}, c)
			return c
		})
		for _, o := range f.operands {
			if o != 'g' {
				store(at[o], place(o), only)
			}
		}
	})
	VZEROUPPER()
	RET()
}
