package kernel

// The loops of func.go. Forward functions ignore their third operand; gradients
// read x or y in a, and the gradient of the result in g.

func reluTo(dst, x, _ []float32, _ float32) {
	x = x[:len(dst)]
	for i, v := range x {
		if v < 0 { // so written, NaN passes
			v = 0
		}
		dst[i] = v
	}
}

func reluGrad(dst, y, g []float32, _ float32) {
	y, g = y[:len(dst)], g[:len(dst)]
	for i, v := range g {
		if y[i] <= 0 {
			v = 0
		}
		dst[i] = v
	}
}

func leakyTo(dst, x, _ []float32, slope float32) {
	x = x[:len(dst)]
	for i, v := range x {
		if v <= 0 {
			v *= slope
		}
		dst[i] = v
	}
}

func leakyGrad(dst, x, g []float32, slope float32) {
	x, g = x[:len(dst)], g[:len(dst)]
	for i, v := range g {
		if x[i] <= 0 {
			v *= slope
		}
		dst[i] = v
	}
}

func eluTo(dst, x, _ []float32, alpha float32) {
	x = x[:len(dst)]
	for i, v := range x {
		if v < 0 {
			v = alpha * expm1(v)
		}
		dst[i] = v
	}
}

// eluGrad uses αeˣ = y + α where x < 0, which is where y < 0 for α > 0.
func eluGrad(dst, y, g []float32, alpha float32) {
	y, g = y[:len(dst)], g[:len(dst)]
	for i, v := range g {
		if y[i] < 0 {
			v *= y[i] + alpha
		}
		dst[i] = v
	}
}

func sigmoidTo(dst, x, _ []float32, _ float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = sigmoid(v)
	}
}

func sigmoidGrad(dst, y, g []float32, _ float32) {
	y, g = y[:len(dst)], g[:len(dst)]
	for i, v := range y {
		dst[i] = g[i] * v * (1 - v)
	}
}

func logSigmoidTo(dst, x, _ []float32, _ float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = logSigmoid(v)
	}
}

// logSigmoidGrad uses 1 − σ(x) = 1 − eʸ.
func logSigmoidGrad(dst, y, g []float32, _ float32) {
	y, g = y[:len(dst)], g[:len(dst)]
	for i, v := range y {
		dst[i] = -g[i] * expm1(v)
	}
}

func tanhTo(dst, x, _ []float32, _ float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = tanh(v)
	}
}

func tanhGrad(dst, y, g []float32, _ float32) {
	y, g = y[:len(dst)], g[:len(dst)]
	for i, v := range y {
		dst[i] = g[i] * (1 - v*v)
	}
}

func expTo(dst, x, _ []float32, _ float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = exp(v)
	}
}

func logTo(dst, x, _ []float32, _ float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = log(v)
	}
}

func logGrad(dst, x, g []float32, _ float32) { divTo(dst, g, x, 0) }

func sqrtTo(dst, x, _ []float32, _ float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = sqrt(v)
	}
}

func sqrtGrad(dst, y, g []float32, _ float32) {
	y, g = y[:len(dst)], g[:len(dst)]
	for i, v := range y {
		dst[i] = g[i] / (2 * v)
	}
}

func reciprocalTo(dst, x, _ []float32, _ float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = 1 / v
	}
}

func reciprocalGrad(dst, y, g []float32, _ float32) {
	y, g = y[:len(dst)], g[:len(dst)]
	for i, v := range y {
		dst[i] = -g[i] * (v * v)
	}
}

func squareTo(dst, x, _ []float32, _ float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = v * v
	}
}

func squareGrad(dst, x, g []float32, _ float32) {
	x, g = x[:len(dst)], g[:len(dst)]
	for i, v := range x {
		dst[i] = 2 * v * g[i]
	}
}

func absTo(dst, x, _ []float32, _ float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = abs(v)
	}
}

func absGrad(dst, x, g []float32, _ float32) {
	x, g = x[:len(dst)], g[:len(dst)]
	for i, v := range x {
		switch {
		case v > 0:
			dst[i] = g[i]
		case v < 0:
			dst[i] = -g[i]
		default:
			dst[i] = v * g[i] // 0, or NaN where x is
		}
	}
}

func scaleGrad(dst, _, g []float32, alpha float32) { scaleTo(dst, g, g, alpha) }

func offsetTo(dst, x, _ []float32, alpha float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = v + alpha
	}
}

func identityGrad(dst, _, g []float32, _ float32) { copy(dst, g) }
