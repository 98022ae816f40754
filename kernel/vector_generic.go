package kernel

// Loops over one row. Operands other than the first are as long as it.

func addTo(dst, x, y []float32, _ float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

func subTo(dst, x, y []float32, _ float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] - y[i]
	}
}

func mulTo(dst, x, y []float32, _ float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

func divTo(dst, x, y []float32, _ float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / y[i]
	}
}

func scaleTo(dst, x, _ []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = s * x[i]
	}
}

func addScaledTo(dst, x, y []float32, s float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + s*y[i]
	}
}

func copyTo(dst, x, _ []float32, _ float32) { copy(dst, x) }

func fill(dst, _, _ []float32, v float32) {
	for i := range dst {
		dst[i] = v
	}
}

// accumulate computes y += x.
func accumulate(y, x []float32) {
	x = x[:len(y)]
	for i := range y {
		y[i] += x[i]
	}
}

// add4 computes y = (((y + x0) + x1) + x2) + x3.
func add4(y, x0, x1, x2, x3 []float32) {
	x0, x1, x2, x3 = x0[:len(y)], x1[:len(y)], x2[:len(y)], x3[:len(y)]
	for i, v := range y {
		y[i] = v + x0[i] + x1[i] + x2[i] + x3[i]
	}
}

// axpy4 computes y = (((y + w0·x0) + w1·x1) + w2·x2) + w3·x3.
func axpy4(y, x0, x1, x2, x3 []float32, w0, w1, w2, w3 float32) {
	x0, x1, x2, x3 = x0[:len(y)], x1[:len(y)], x2[:len(y)], x3[:len(y)]
	for i, v := range y {
		y[i] = v + w0*x0[i] + w1*x1[i] + w2*x2[i] + w3*x3[i]
	}
}

// axpy computes y += w·x.
func axpy(y, x []float32, w float32) {
	x = x[:len(y)]
	for i := range y {
		y[i] += w * x[i]
	}
}

// dot returns Σ x·y in four interleaved sums, which are added pairwise.
func dot(x, y []float32) float32 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(x); i += 4 {
		u, v := x[i:i+4:i+4], y[i:i+4:i+4]
		s0 += u[0] * v[0]
		s1 += u[1] * v[1]
		s2 += u[2] * v[2]
		s3 += u[3] * v[3]
	}
	for ; i < len(x); i++ {
		s0 += x[i] * y[i]
	}
	return (s0 + s2) + (s1 + s3)
}
