package main

import (
	. "github.com/mmcloughlin/avo/build"
)

// valueFuncs are the functions of func_generic.go and vector_generic.go: their
// comments there say what they are.
var valueFuncs = []valueFunc{
	{name: "add", reads: "xy", doc: "x + y",
		result: func(l lanes, x, y vec) vec { return l.add(x, y) }},
	{name: "sub", reads: "xy", doc: "x − y",
		result: func(l lanes, x, y vec) vec { return l.sub(x, y) }},
	{name: "mul", reads: "xy", doc: "x·y",
		result: func(l lanes, x, y vec) vec { return l.mul(x, y) }},
	{name: "div", reads: "xy", doc: "x/y",
		result: func(l lanes, x, y vec) vec { return l.div(x, y) }},
	{name: "scale", reads: "x", scalar: true, doc: "s·x",
		result: func(l lanes, x, _ vec) vec { return l.mul(l.scalar, x) }},
	{name: "addScaled", reads: "xy", scalar: true, doc: "x + s·y",
		result: func(l lanes, x, y vec) vec { return l.add(x, l.mul(l.scalar, y)) }},
	{name: "scaleGrad", reads: "y", scalar: true, doc: "s·y",
		result: func(l lanes, _, y vec) vec { return l.mul(l.scalar, y) }},
	{name: "offset", reads: "x", scalar: true, doc: "x + s",
		result: func(l lanes, x, _ vec) vec { return l.add(x, l.scalar) }},
	{name: "drop", reads: "xy", scalar: true, doc: "s·x in the bits of y",
		result: func(l lanes, x, y vec) vec { return l.and(l.mul(l.scalar, x), y) }},
	{name: "identityGrad", reads: "y", doc: "y",
		result: func(_ lanes, _, y vec) vec { return y }},
	{name: "fill", scalar: true, doc: "s",
		result: func(l lanes, _, _ vec) vec { return l.scalar }},

	{name: "relu", reads: "x", constants: []float32{0}, doc: "max(x, 0)",
		result: func(l lanes, x, _ vec) vec { return l.max(l.number(0), x) }},
	{name: "reluGrad", reads: "xy", constants: []float32{0}, doc: "y where x > 0 or x is NaN, else 0",
		result: func(l lanes, x, y vec) vec { return l.keep(l.where(x, notLessOrEqual, l.of(0)), y) }},
	{name: "leaky", reads: "x", scalar: true, constants: []float32{0}, doc: "x, s·x where x ≤ 0",
		result: func(l lanes, x, _ vec) vec {
			return l.choose(l.where(x, lessOrEqual, l.of(0)), l.mul(x, l.scalar), x)
		}},
	{name: "leakyGrad", reads: "xy", scalar: true, constants: []float32{0}, doc: "y, s·y where x ≤ 0",
		result: func(l lanes, x, y vec) vec {
			return l.choose(l.where(x, lessOrEqual, l.of(0)), l.mul(y, l.scalar), y)
		}},
	{name: "elu", reads: "x", scalar: true, constants: join(expm1Constants, 0), doc: "x, s(eˣ − 1) where x < 0",
		result: func(l lanes, x, _ vec) vec {
			return l.choose(l.where(x, less, l.of(0)), l.mul(l.scalar, l.expm1(x)), x)
		}},
	{name: "eluGrad", reads: "xy", scalar: true, constants: []float32{0}, doc: "y, y(x + s) where x < 0",
		result: func(l lanes, x, y vec) vec {
			return l.choose(l.where(x, less, l.of(0)), l.mul(y, l.add(x, l.scalar)), y)
		}},
	{name: "sigmoid", reads: "x", constants: join(expConstants, 0, signBit), doc: "1/(1 + e⁻ˣ)",
		result: lanes.sigmoid},
	{name: "sigmoidGrad", reads: "xy", constants: []float32{1}, doc: "y·x(1 − x)",
		result: func(l lanes, x, y vec) vec { return l.mul(l.mul(y, x), l.sub(l.number(1), x)) }},
	{name: "logSigmoid", reads: "x", constants: join(expConstants, join(logConstants, 0, signBit)...), doc: "ln(1/(1 + e⁻ˣ))",
		result: lanes.logSigmoid},
	{name: "logSigmoidGrad", reads: "xy", constants: join(expm1Constants, signBit), doc: "−y(eˣ − 1)",
		result: func(l lanes, x, y vec) vec { return l.mul(l.flip(l.number(signBit), y), l.expm1(x)) }},
	{name: "tanh", reads: "x", constants: join(expConstants, join(tanhConstants, signBit, 2, tanhSmall)...), doc: "tanh x",
		result: lanes.tanh},
	{name: "tanhGrad", reads: "xy", constants: []float32{1}, doc: "y(1 − x²)",
		result: func(l lanes, x, y vec) vec { return l.mul(y, l.sub(l.number(1), l.mul(x, x))) }},
	{name: "exp", reads: "x", constants: expConstants, doc: "eˣ",
		result: func(l lanes, x, _ vec) vec { return l.expOf(x) }},
	{name: "log", reads: "x", constants: join(logConstants, logSpecial...), doc: "ln x",
		result: lanes.log},
	{name: "logGrad", reads: "xy", doc: "y/x",
		result: func(l lanes, x, y vec) vec { return l.div(y, x) }},
	{name: "sqrt", reads: "x", doc: "√x",
		result: func(l lanes, x, _ vec) vec { return l.sqrt(x) }},
	{name: "sqrtGrad", reads: "xy", doc: "y/(2x)",
		result: func(l lanes, x, y vec) vec { return l.div(y, l.add(x, x)) }},
	{name: "reciprocal", reads: "x", constants: []float32{1}, doc: "1/x",
		result: func(l lanes, x, _ vec) vec { return l.div(l.number(1), x) }},
	{name: "reciprocalGrad", reads: "xy", constants: []float32{signBit}, doc: "−y·x²",
		result: func(l lanes, x, y vec) vec { return l.mul(l.flip(l.number(signBit), y), l.mul(x, x)) }},
	{name: "square", reads: "x", doc: "x²",
		result: func(l lanes, x, _ vec) vec { return l.mul(x, x) }},
	{name: "squareGrad", reads: "xy", doc: "2x·y",
		result: func(l lanes, x, y vec) vec { return l.mul(l.add(x, x), y) }},
	{name: "abs", reads: "x", constants: []float32{signBit}, doc: "|x|",
		result: func(l lanes, x, _ vec) vec { return l.magnitude(x) }},
	{name: "absGrad", reads: "xy", constants: []float32{signBit, 0}, doc: "y with the sign of x for its own changed, x·y where x is 0 or NaN",
		result: func(l lanes, x, y vec) vec {
			return l.choose(l.where(x, equalOrNaN, l.of(0)), l.mul(x, y), l.flip(l.sign(x), y))
		}},

	{name: "present", reads: "x", constants: []float32{1}, doc: "1, or 0 where x is NaN",
		result: func(l lanes, x, _ vec) vec { return l.keep(l.where(x, equal, x), l.number(1)) }},
	{name: "squaredError", reads: "xy", doc: "(x − y)², or 0 where y is NaN",
		result: func(l lanes, x, y vec) vec { d := l.sub(x, y); return l.labelled(y, l.mul(d, d)) }},
	{name: "squaredErrorSlope", reads: "xy", scalar: true, doc: "2s(x − y), or 0 where y is NaN",
		result: func(l lanes, x, y vec) vec {
			d := l.sub(x, y)
			return l.labelled(y, l.mul(l.scalar, l.add(d, d)))
		}},
	{name: "absoluteError", reads: "xy", constants: []float32{signBit}, doc: "|x − y|, or 0 where y is NaN",
		result: func(l lanes, x, y vec) vec { return l.labelled(y, l.magnitude(l.sub(x, y))) }},
	{name: "absoluteErrorSlope", reads: "xy", scalar: true, constants: []float32{signBit, 0, 1},
		doc: "s with the sign of x − y, or 0 where y is NaN",
		result: func(l lanes, x, y vec) vec {
			d := l.sub(x, y)
			slope := l.choose(l.where(d, equalOrNaN, l.of(0)), d, l.flip(l.sign(d), l.number(1)))
			return l.labelled(y, l.mul(l.scalar, slope))
		}},
	{name: "logisticError", reads: "xy", constants: join(expConstants, join(logConstants, 0, signBit)...),
		doc: "max(x, 0) − x·y + ln(1 + e^−|x|), or 0 where y is NaN",
		result: func(l lanes, x, y vec) vec {
			above := l.sub(l.max(l.number(0), x), l.mul(x, y))
			return l.labelled(y, l.add(above, l.log1pExp(x)))
		}},
	{name: "logisticErrorSlope", reads: "xy", scalar: true, constants: join(expConstants, 0, signBit),
		doc:    "s(1/(1 + e⁻ˣ) − y), or 0 where y is NaN",
		result: func(l lanes, x, y vec) vec { return l.labelled(y, l.mul(l.scalar, l.sub(l.sigmoid(x, nil), y))) }},
}

// labelled returns x, or 0 where the target is NaN.
func (l lanes) labelled(target, x vec) vec { return l.keep(l.where(target, equal, target), x) }

// join returns some constants and others, each once.
func join(a []float32, b ...float32) (all []float32) {
	seen := map[string]bool{}
	for _, x := range append(append([]float32{}, a...), b...) {
		if !seen[hex(x)] {
			seen[hex(x)] = true
			all = append(all, x)
		}
	}
	return all
}

// expOf returns eˣ of any x.
func (l lanes) expOf(x vec) vec {
	r := l.copy(x)
	l.exp(r, true)
	return r
}

// expm1Lowest is where eˣ − 1 has been −1 for some time.
const expm1Lowest = -20

var expm1Constants = append([]float32{expm1Lowest, log2e, ln2Hi, ln2Lo, 1, exponentOfOne}, expTail...)

// expm1 returns eˣ − 1 of x ≤ 0, as math.go does: 2ⁿ(eʳ − 1) + (2ⁿ − 1).
func (l lanes) expm1(x vec) vec {
	x = l.max(l.number(expm1Lowest), x)
	n := l.mul(x, l.of(log2e))
	l.v.round(n)
	r := l.fnma(n, l.of(ln2Hi), x)
	r = l.fnma(n, l.of(ln2Lo), r)
	p := l.fma(l.mul(r, r), l.polynomial(r, expTail), r)
	s := l.shift(VPSLLD, l.addBits(l.toInteger(n), l.of(exponentOfOne)), 23)
	return l.fma(s, p, l.sub(s, l.of(1)))
}

// sigmoid returns 1/(1 + e⁻ˣ) from e^−|x|, which cannot overflow. The division
// and the sum below it round; of what they leave, times the slope 1/(1 + e), the
// quotient gets its share back.
func (l lanes) sigmoid(x, _ vec) vec {
	e := l.flip(l.number(signBit), l.magnitude(x))
	l.exp(e, false)
	right := l.where(x, greaterOrEqual, l.of(0))
	above := l.choose(right, l.of(1), e)
	below := l.add(e, l.of(1))
	q := l.div(above, below)
	lost := l.sub(e, l.sub(below, l.of(1)))
	left := l.fnma(q, lost, l.fnma(q, below, above))
	return l.fma(left, l.choose(right, q, l.sub(l.number(1), q)), q)
}

// logSigmoid returns min(x, 0) − ln(1 + e^−|x|).
func (l lanes) logSigmoid(x, _ vec) vec {
	return l.sub(l.min(l.number(0), x), l.log1pExp(x))
}

// log1pExp returns ln(1 + e^−|x|). Rounding 1 + e to u loses digits of e, which
// u − 1 lacks; ln(1 + e) = ln u + (e − (u − 1))/u.
func (l lanes) log1pExp(x vec) vec {
	e := l.flip(l.number(signBit), l.magnitude(x))
	l.exp(e, false)
	u := l.add(e, l.of(1))
	lost := l.sub(e, l.sub(u, l.of(1)))
	return l.add(l.logNormal(u, nil), l.div(lost, u))
}

// The numbers of the hyperbolic tangent, as in math.go.
const tanhSmall = 0.625

var tanhConstants = []float32{-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1}

// tanh returns x + x³·P(x²) near 0 and ±(1 − 2/(e^2|x| + 1)) elsewhere.
func (l lanes) tanh(x, _ vec) vec {
	a, square := l.magnitude(x), l.mul(x, x)
	small := l.fma(l.mul(x, square), l.polynomial(square, tanhConstants), x)
	e := l.add(a, a)
	l.exp(e, true)
	large := l.sub(l.number(1), l.div(l.number(2), l.add(e, l.of(1))))
	return l.choose(l.where(a, less, l.of(tanhSmall)), small, l.flip(l.sign(x), large))
}
