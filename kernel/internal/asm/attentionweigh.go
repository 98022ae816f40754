package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// weighing is the softmax of one head, by vectors of the edges of a row. Of the last
// of a row it writes all lanes: those beyond belong to edges whose turn comes. What it
// reads it does not write: a load of what a store before it wrote in part would wait
// for that store, row by row.
type weighing struct {
	*scores
	c                       constants
	lowest, one, slope, own vec
}

const weighArgs = "func(rows int, ptr *int64, own *float32, ldown int, far, score, "

// beginWeighing starts a function whose first operands are what the other ends of
// edges have, and room for scores.
func beginWeighing(v vectors, name, doc, last string) *weighing {
	w := &weighing{scores: begin(v, 1, name, weighArgs+last+" *float32, "+resultArgs, doc, "far", "score", last), c: softmaxConstants(v)}
	w.lowest, w.one = w.c.into(negativeInfinity, v.register()), w.c.into(1, v.register())
	w.slope, w.own = v.broadcast("slope"), v.register()
	w.result, w.scores.own = Load(Param("result"), GP64()).(reg.GPVirtual), Load(Param("own"), GP64()).(reg.GPVirtual)
	return w
}

// rectified returns rectified scores; those that do not count are −Inf.
func (w *weighing) rectified(at []Mem, only *tail) vec {
	a := w.v.register()
	VADDPS(at[0], w.own, a)
	w.v.rectify(a, w.slope)
	if only != nil {
		a = only.choose(a, w.lowest)
	}
	return a
}

// rows builds the loop over rows. Where a vector holds all of a row, short gets its
// scores and their top; else long gets the top, and scores are stored.
func (w *weighing) rows(short func(x, top vec, at []Mem, only *tail), long func(top vec)) {
	top := func(x vec) vec {
		t := w.v.register()
		VMOVAPS(x, t)
		w.fold(VMAXPS, t)
		w.storeHeads(t, w.resultAt(0))
		return t
	}
	w.eachRow(func() {
		VBROADCASTSS(Mem{Base: w.scores.own}, w.own)
		w.whereShort(func(at []Mem, only *tail) {
			x := w.rectified(at, only)
			short(x, top(x), at, only)
		}, func() {
			most := w.v.register()
			VMOVAPS(w.lowest, most)
			w.each(func(at []Mem, only *tail) {
				x := w.rectified(at, only)
				VMOVUPS(x, at[1])
				VMAXPS(x, most, most)
			})
			long(top(most))
		})
	})
}

// stored builds a loop over the scores that rows left.
func (w *weighing) stored(step func(x vec, at []Mem, only *tail)) {
	w.each(func(at []Mem, only *tail) { step(w.v.read(at[1], only, w.lowest), at, only) })
}

// exponential sets x to its exponential, less the top.
func (w *weighing) exponential(x, top vec) {
	VSUBPS(top, x, x)
	w.c.exp(x, false)
}

// attentionWeigh builds what sums of rows need.
func attentionWeigh(v vectors) {
	w := beginWeighing(v, "attentionWeigh", "sets weight to the softmax of the rectified sums of far and the own value of each row; results are tops and sums of exponentials.", "weight")
	inverse := func(sum vec) {
		w.fold(VADDPS, sum)
		w.storeHeads(sum, w.resultAt(1))
		VDIVPS(sum, w.one, sum)
	}
	w.rows(func(x, top vec, at []Mem, _ *tail) {
		w.exponential(x, top)
		sum := v.register()
		VMOVAPS(x, sum)
		inverse(sum)
		VMULPS(sum, x, x)
		VMOVUPS(x, at[2])
	}, func(top vec) {
		sum := v.register()
		v.zero(sum)
		w.stored(func(x vec, at []Mem, _ *tail) {
			w.exponential(x, top)
			VADDPS(x, sum, sum)
			VMOVUPS(x, at[2])
		})
		inverse(sum)
		w.each(func(at []Mem, _ *tail) {
			y := v.register()
			VMULPS(at[2], sum, y)
			VMOVUPS(y, at[2])
		})
	})
}

// attentionWeighMoments builds what gradients at the destinations need.
func attentionWeighMoments(v vectors) {
	w := beginWeighing(v, "attentionWeighMoments", "sets all moments of each row from the rectified sums of far and its own value and from products.", "product")
	zero, total, mean, push, tilt := v.register(), v.register(), v.register(), v.register(), v.register()
	v.zero(zero)
	add := func(x, top vec, at []Mem, only *tail) {
		e, d := v.register(), v.read(at[2], only, nil)
		VMOVAPS(x, e)
		w.exponential(e, top)
		tilted := v.tilt(x, e, w.slope, zero)
		VADDPS(e, total, total)
		VFMADD231PS(e, d, mean)
		VFMADD231PS(tilted, d, push)
		VADDPS(tilted, tilt, tilt)
	}
	finish := func() {
		to := GP64()
		MOVQ(w.result, to)
		for i, sum := range []vec{total, mean, push, tilt} {
			w.fold(VADDPS, sum)
			if i > 0 {
				VMULPS(total, sum, sum)
			}
			ADDQ(argument("plane"), to)
			w.storeHeads(sum, Mem{Base: to})
			if i == 0 {
				VDIVPS(total, w.one, total)
			}
		}
	}
	w.rows(func(x, top vec, at []Mem, only *tail) {
		v.zero(total, mean, push, tilt)
		add(x, top, at, only)
		finish()
	}, func(top vec) {
		v.zero(total, mean, push, tilt)
		w.stored(func(x vec, at []Mem, only *tail) { add(x, top, at, only) })
		finish()
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
