package kernel

var lossesGeneric = lossLoops{
	present: eachRow(presentTo),
	value:   eachRows([]zipFunc{SquaredError: squaredError, AbsoluteError: absoluteError, LogisticError: logisticError}),
	slope:   eachRows([]zipFunc{SquaredError: squaredErrorSlope, AbsoluteError: absoluteErrorSlope, LogisticError: logisticErrorSlope}),
}

func presentTo(dst, x, _ []float32, _ float32) {
	for i, v := range x[:len(dst)] {
		dst[i] = 0
		if v == v {
			dst[i] = 1
		}
	}
}

// labelled sets dst to f of each value and its target, and 0 where that is NaN.
func labelled(dst, x, target []float32, f func(x, t float32) float32) {
	for i, t := range target[:len(dst)] {
		loss := float32(0) // dst may be x
		if t == t {
			loss = f(x[i], t)
		}
		dst[i] = loss
	}
}

func squaredError(dst, x, target []float32, _ float32) {
	labelled(dst, x, target, func(x, t float32) float32 { return (x - t) * (x - t) })
}

func squaredErrorSlope(dst, x, target []float32, share float32) {
	labelled(dst, x, target, func(x, t float32) float32 { return share * (2 * (x - t)) })
}

func absoluteError(dst, x, target []float32, _ float32) {
	labelled(dst, x, target, func(x, t float32) float32 { return abs(x - t) })
}

// absoluteErrorSlope is 0 where x is the target, and NaN where x is.
func absoluteErrorSlope(dst, x, target []float32, share float32) {
	labelled(dst, x, target, func(x, t float32) float32 {
		switch d := x - t; {
		case d > 0:
			return share
		case d < 0:
			return -share
		default:
			return share * d
		}
	})
}

// logisticError uses max(x, 0) − x·t + ln(1 + e^−|x|), which cannot overflow.
func logisticError(dst, x, target []float32, _ float32) {
	labelled(dst, x, target, func(x, t float32) float32 { return max(x, 0) - x*t + log1p(exp(-abs(x))) })
}

func logisticErrorSlope(dst, x, target []float32, share float32) {
	labelled(dst, x, target, func(x, t float32) float32 { return share * (sigmoid(x) - t) })
}
