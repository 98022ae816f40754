package kernel

import "github.com/weft-gnn/weft/tensor"

var valuesGeneric = valueLoops{
	rows: rowsGeneric, dropout: dropoutGeneric, step: stepsGeneric, loss: lossesGeneric, sum: sumDouble, dot: dotDouble,
	add: eachRow(addTo), sub: eachRow(subTo), mul: eachRow(mulTo), div: eachRow(divTo), addScaled: eachRow(addScaledTo), scale: eachRow(scaleTo), fill: eachRow(fill),
	forward: eachRows([]zipFunc{
		Identity: copyTo, ReLU: reluTo, LeakyReLU: leakyTo, ELU: eluTo, Sigmoid: sigmoidTo,
		LogSigmoid: logSigmoidTo, Tanh: tanhTo, Exp: expTo, Log: logTo, Sqrt: sqrtTo,
		Reciprocal: reciprocalTo, Square: squareTo, Abs: absTo, Scale: scaleTo, Offset: offsetTo,
	}),
	gradient: eachRows([]zipFunc{
		Identity: identityGrad, ReLU: reluGrad, LeakyReLU: leakyGrad, ELU: eluGrad, Sigmoid: sigmoidGrad,
		LogSigmoid: logSigmoidGrad, Tanh: tanhGrad, Exp: mulTo, Log: logGrad, Sqrt: sqrtGrad,
		Reciprocal: reciprocalGrad, Square: squareGrad, Abs: absGrad, Scale: scaleGrad, Offset: identityGrad,
	}),
}

// zipFunc computes dst from x, y and a scalar, value by value. Operands are as
// long as dst, or not read.
type zipFunc func(dst, x, y []float32, s float32)

// eachRow makes a function of matrices of one of slices.
func eachRow(f zipFunc) rowFunc {
	return func(dst, x, y tensor.Matrix, lo, hi int, s float32) {
		for i := lo; i < hi; i++ {
			f(dst.Row(i), rowIf(x, i), rowIf(y, i), s)
		}
	}
}

func eachRows(fs []zipFunc) (all []rowFunc) {
	for _, f := range fs {
		all = append(all, eachRow(f))
	}
	return all
}

// rowIf is row i of an operand that may not be there.
func rowIf(m tensor.Matrix, i int) []float32 {
	if m.Data == nil {
		return nil
	}
	return m.Row(i)
}
