//go:build amd64 && !noasm

package kernel

import "github.com/weft-gnn/weft/internal/cpu"

var valueVariants = [...]valueLoops{
	cpu.Generic: valuesGeneric,
	cpu.AVX2: {
		loss: lossLoops{
			present: rowLoop(presentAVX2).values,
			value:   valueFuncs([]rowLoop{squaredErrorAVX2, absoluteErrorAVX2, logisticErrorAVX2}),
			slope:   valueFuncs([]rowLoop{squaredErrorSlopeAVX2, absoluteErrorSlopeAVX2, logisticErrorSlopeAVX2}),
		},
		step: stepLoops{sgdAVX2, sgdMomentumAVX2, sgdNesterovAVX2, adamAVX2},
		rows: rowsAVX2, sum: sumDoubleAVX2, dot: dotDoubleAVX2, dropout: philoxAVX2.loops(0, 2, 1, 3),
		add: rowLoop(addAVX2).values, sub: rowLoop(subAVX2).values, mul: rowLoop(mulAVX2).values,
		div: rowLoop(divAVX2).values, addScaled: rowLoop(addScaledAVX2).values, scale: rowLoop(scaleAVX2).values, fill: rowLoop(fillAVX2).values,
		forward: valueFuncs([]rowLoop{
			Identity: copyRowsAVX2, ReLU: reluAVX2, LeakyReLU: leakyAVX2, ELU: eluAVX2, Sigmoid: sigmoidAVX2, LogSigmoid: logSigmoidAVX2,
			Tanh: tanhAVX2, Exp: expAVX2, Log: logAVX2, Sqrt: sqrtAVX2, Reciprocal: reciprocalAVX2, Square: squareAVX2,
			Abs: absAVX2, Scale: scaleAVX2, Offset: offsetAVX2,
		}),
		gradient: valueFuncs([]rowLoop{
			Identity: identityGradAVX2, ReLU: reluGradAVX2, LeakyReLU: leakyGradAVX2, ELU: eluGradAVX2, Sigmoid: sigmoidGradAVX2,
			LogSigmoid: logSigmoidGradAVX2, Tanh: tanhGradAVX2, Exp: mulAVX2, Log: logGradAVX2, Sqrt: sqrtGradAVX2,
			Reciprocal: reciprocalGradAVX2, Square: squareGradAVX2, Abs: absGradAVX2, Scale: scaleGradAVX2,
			Offset: identityGradAVX2,
		}),
	},
	cpu.AVX512: {
		loss: lossLoops{
			present: rowLoop(presentAVX512).values,
			value:   valueFuncs([]rowLoop{squaredErrorAVX512, absoluteErrorAVX512, logisticErrorAVX512}),
			slope:   valueFuncs([]rowLoop{squaredErrorSlopeAVX512, absoluteErrorSlopeAVX512, logisticErrorSlopeAVX512}),
		},
		step: stepLoops{sgdAVX512, sgdMomentumAVX512, sgdNesterovAVX512, adamAVX512},
		rows: rowsAVX512, sum: sumDoubleAVX512, dot: dotDoubleAVX512, dropout: philoxAVX512.loops(0, 4, 1, 5, 2, 6, 3, 7),
		add: rowLoop(addAVX512).values, sub: rowLoop(subAVX512).values, mul: rowLoop(mulAVX512).values,
		div: rowLoop(divAVX512).values, addScaled: rowLoop(addScaledAVX512).values, scale: rowLoop(scaleAVX512).values, fill: rowLoop(fillAVX512).values,
		forward: valueFuncs([]rowLoop{
			Identity: copyRowsAVX512, ReLU: reluAVX512, LeakyReLU: leakyAVX512, ELU: eluAVX512, Sigmoid: sigmoidAVX512,
			LogSigmoid: logSigmoidAVX512, Tanh: tanhAVX512, Exp: expAVX512, Log: logAVX512, Sqrt: sqrtAVX512,
			Reciprocal: reciprocalAVX512, Square: squareAVX512, Abs: absAVX512, Scale: scaleAVX512, Offset: offsetAVX512,
		}),
		gradient: valueFuncs([]rowLoop{
			Identity: identityGradAVX512, ReLU: reluGradAVX512, LeakyReLU: leakyGradAVX512, ELU: eluGradAVX512,
			Sigmoid: sigmoidGradAVX512, LogSigmoid: logSigmoidGradAVX512, Tanh: tanhGradAVX512, Exp: mulAVX512,
			Log: logGradAVX512, Sqrt: sqrtGradAVX512, Reciprocal: reciprocalGradAVX512, Square: squareGradAVX512,
			Abs: absGradAVX512, Scale: scaleGradAVX512, Offset: identityGradAVX512,
		}),
	},
}
