package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// rowFuncs are the functions of norm_generic.go: their comments there say what
// they are.
var rowFuncs = []rowFunc{
	{name: "scaleRows", reads: "xy", doc: "x·y₀", row: func(r *rows) {
		y := r.v.register()
		VBROADCASTSS(Mem{Base: r.at['y']}, y)
		r.each(func(only *tail) { r.write(r.mul(y, r.read('x', only)), only) })
	}},
	{name: "copyRows", reads: "x", doc: "x", row: func(r *rows) {
		r.each(func(only *tail) { r.write(r.read('x', only), only) })
	}},
	{name: "addRowsAt", reads: "x", listed: "d", doc: "dst + x", row: func(r *rows) {
		r.each(func(only *tail) { r.write(r.add(r.read('d', only), r.read('x', only)), only) })
	}},
	{name: "shiftRows", reads: "xy", doc: "x − y₀", row: func(r *rows) {
		y := r.v.register()
		VBROADCASTSS(Mem{Base: r.at['y']}, y)
		r.each(func(only *tail) { r.write(r.sub(r.read('x', only), y), only) })
	}},
	{name: "softmaxScaled", reads: "x", listed: "xd", scalar: true,
		constants: join(expConstants, negativeInfinity), doc: "exp(x − max x)·s/Σ exp(x − max x)",
		row: func(r *rows) {
			lowest := r.number(negativeInfinity)
			factor := r.div(r.scalar, r.sumExp(lowest, r.top(lowest), true))
			r.each(func(only *tail) { r.write(r.mul(factor, r.read('d', only)), only) })
		}},
	{name: "sumExp", reads: "xy", listed: "x", constants: join(expConstants, negativeInfinity),
		doc: "max x, to dst, and Σ exp(x − max x), to y",
		row: func(r *rows) {
			lowest := r.number(negativeInfinity)
			top := r.top(lowest)
			sum := r.sumExp(lowest, top, false)
			VMOVSS(top.AsX(), Mem{Base: r.at['d']})
			VMOVSS(sum.AsX(), Mem{Base: r.at['y']})
		}},
	{name: "argMax", reads: "x", listed: "x", constants: []float32{negativeInfinity},
		doc: "the first column of max x, to dst, a word a row",
		row: func(r *rows) {
			lowest := r.number(negativeInfinity)
			MOVL(r.first(r.top(lowest), lowest).As32(), Mem{Base: r.at['d']})
		}},
	{name: "softmaxGradEach", reads: "xy", doc: "x(y − Σ x·y)", row: func(r *rows) {
		sum := r.dot('x', 'y')
		r.each(func(only *tail) { r.write(r.mul(r.read('x', only), r.sub(r.read('y', only), sum)), only) })
	}},
	{name: "logSoftmaxGrad", reads: "xy", constants: expConstants, doc: "y − eˣ·Σ y", row: func(r *rows) {
		sum := r.sum(func(sum vec, only *tail) { VADDPS(r.read('y', only), sum, sum) })
		r.each(func(only *tail) { r.write(r.fnma(r.expOf(r.read('x', only)), sum, r.read('y', only)), only) })
	}},
	{name: "headScale", reads: "xy", heads: true, doc: "x·y of the column's head", row: func(r *rows) {
		weights := r.weights()
		r.each(func(only *tail) {
			own := r.v.register()
			VMOVUPS(Mem{Base: r.lane, Index: r.position, Scale: 4}, own)
			VPERMPS(weights, own, own)
			r.write(r.mul(own, r.read('x', only)), only)
		})
	}},
	{name: "headAdd", reads: "xy", heads: true, doc: "dst + x·y of the column's head", row: func(r *rows) {
		weights := r.weights()
		r.each(func(only *tail) {
			own := r.v.register()
			VMOVUPS(Mem{Base: r.lane, Index: r.position, Scale: 4}, own)
			VPERMPS(weights, own, own)
			r.write(r.add(r.read('d', only), r.mul(own, r.read('x', only))), only)
		})
	}},
	{name: "normalize", reads: "x", scalar: true, constants: []float32{1}, doc: "x/max(‖x‖, s)", row: func(r *rows) {
		factor := r.div(r.number(1), r.max(r.scalar, r.sqrt(r.dot('x', 'x'))))
		r.each(func(only *tail) { r.write(r.mul(factor, r.read('x', only)), only) })
	}},
	{name: "normalizeGrad", reads: "xy", scalar: true, constants: []float32{1},
		doc: "f(y − f²(x·y)·x), f = 1/max(‖x‖, s), or f·y where ‖x‖ ≤ s",
		row: func(r *rows) {
			norm := r.sqrt(r.dot('x', 'x'))
			factor := r.div(r.number(1), r.max(r.scalar, norm))
			along := r.mul(r.mul(factor, factor), r.dot('x', 'y'))
			along = r.keep(r.where(norm, notLessOrEqual, r.scalar), along)
			r.each(func(only *tail) {
				r.write(r.mul(factor, r.fnma(along, r.read('x', only), r.read('y', only))), only)
			})
		}},
}

// rowLoops builds the loops of all functions of rows.
func rowLoops() {
	for _, v := range []vectors{zmm, ymm} {
		for _, f := range rowFuncs {
			f.build(v)
		}
	}
}
