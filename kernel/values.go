package kernel

import "github.com/weft-gnn/weft/tensor"

// valueLoops are the loops over values in one variant of instructions. A value
// has the same bits wherever it lies in a slice. Those in assembly have each
// other's bits; the portable one differs from them by rounding in functions that
// take an exponential or a logarithm, and in no others.
type valueLoops struct {
	add, sub, mul, div zipFunc                      // x ∘ y
	scale              zipFunc                      // s·x
	fill               zipFunc                      // s
	forward            [funcKinds]zipFunc           // f(x), α = s
	gradient           [funcKinds]zipFunc           // y·f′, from x or f(x) in x, α = s
	sum, dot           func(x, y []float32) float64 // Σ x and Σ x·y
	rows               rowLoops
	dropout            dropoutLoops
	step               stepLoops
	loss               lossLoops
}

// zipFunc computes dst from x, y and a scalar, value by value. Operands are as
// long as dst, or not read.
type zipFunc func(dst, x, y []float32, s float32)

var valuesGeneric = valueLoops{
	rows: rowsGeneric, dropout: dropoutGeneric, step: stepsGeneric, loss: lossesGeneric, sum: sumDouble, dot: dotDouble,
	add: addTo, sub: subTo, mul: mulTo, div: divTo, scale: scaleTo, fill: fill,
	forward: [funcKinds]zipFunc{
		Identity: copyTo, ReLU: reluTo, LeakyReLU: leakyTo, ELU: eluTo, Sigmoid: sigmoidTo,
		LogSigmoid: logSigmoidTo, Tanh: tanhTo, Exp: expTo, Log: logTo, Sqrt: sqrtTo,
		Reciprocal: reciprocalTo, Square: squareTo, Abs: absTo, Scale: scaleTo, Offset: offsetTo,
	},
	gradient: [funcKinds]zipFunc{
		Identity: identityGrad, ReLU: reluGrad, LeakyReLU: leakyGrad, ELU: eluGrad, Sigmoid: sigmoidGrad,
		LogSigmoid: logSigmoidGrad, Tanh: tanhGrad, Exp: mulTo, Log: logGrad, Sqrt: sqrtGrad,
		Reciprocal: reciprocalGrad, Square: squareGrad, Abs: absGrad, Scale: scaleGrad, Offset: identityGrad,
	},
}

// values returns the loops that a context uses.
func (c *Ctx) values() *valueLoops { return &valueVariants[c.variant()] }

// apply computes y = f(y).
func (v *valueLoops) apply(f Func, y tensor.Matrix) {
	v.forward[f.Kind].over(y, y, y, 0, y.Rows, f.Param)
}
