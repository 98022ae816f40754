package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// attentionWeigh builds the softmax of one head, by vectors of the edges of a row.
// Of the last of a row it writes all lanes: those beyond belong to edges whose turn
// comes. What it reads it does not write: a load of what a store before it wrote in
// part would wait for that store, row by row.
func attentionWeigh(v vectors) {
	s := begin(v, 1, "attentionWeigh", "func(rows int, ptr *int64, own *float32, ldown int, far, score, weight *float32, "+resultArgs,
		"sets score to the rectified sums of far and the own value of each row, and weight to their softmax; results are tops and sums of exponentials.",
		"far", "score", "weight")
	c := softmaxConstants(v)
	lowest, one := c.into(negativeInfinity, v.register()), c.into(1, v.register())
	slope, own := v.broadcast("slope"), v.register()
	s.result, s.own = Load(Param("result"), GP64()).(reg.GPVirtual), Load(Param("own"), GP64()).(reg.GPVirtual)
	score := func(at []Mem, only *tail) vec {
		a := v.register()
		VADDPS(at[0], own, a)
		v.rectify(a, slope)
		VMOVUPS(a, at[1])
		if only != nil {
			a = only.choose(a, lowest)
		}
		return a
	}
	s.eachRow(func() {
		VBROADCASTSS(Mem{Base: s.own}, own)
		s.whereShort(func(at []Mem, only *tail) {
			x, top := score(at, only), v.register()
			VMOVAPS(x, top)
			s.fold(VMAXPS, top)
			s.storeHeads(top, s.resultAt(0))
			VSUBPS(top, x, x)
			c.exp(x, false)
			sum := top
			VMOVAPS(x, sum)
			s.fold(VADDPS, sum)
			s.storeHeads(sum, s.resultAt(1))
			VDIVPS(sum, one, sum)
			VMULPS(sum, x, x)
			VMOVUPS(x, at[2])
		}, func() {
			top, sum := v.register(), v.register()
			VMOVAPS(lowest, top)
			s.each(func(at []Mem, only *tail) { VMAXPS(score(at, only), top, top) })
			s.fold(VMAXPS, top)
			s.storeHeads(top, s.resultAt(0))
			v.zero(sum)
			s.each(func(at []Mem, only *tail) {
				x := s.v.read(at[1], only, lowest)
				VSUBPS(top, x, x)
				c.exp(x, false)
				VADDPS(x, sum, sum)
				VMOVUPS(x, at[2])
			})
			s.fold(VADDPS, sum)
			s.storeHeads(sum, s.resultAt(1))
			VDIVPS(sum, one, sum)
			s.each(func(at []Mem, _ *tail) {
				y := v.register()
				VMULPS(at[2], sum, y)
				VMOVUPS(y, at[2])
			})
		})
	})
}

// choose returns x in the lanes that count and y in the others.
func (t tail) choose(x, y vec) vec {
	r := t.v.register()
	if t.v.masked() {
		VBLENDMPS(x, y, t.k, r)
	} else {
		VBLENDVPS(t.mask, x, y, r)
	}
	return r
}
