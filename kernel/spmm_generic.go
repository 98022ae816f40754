package kernel

// Each sum adds the rows that belong to positions lo to hi into y, in order,
// four at a time, so that y is loaded and stored once for four rows.

// sumNeighbours adds x[other].
func sumNeighbours(c *call, y []float32, lo, hi int64) {
	other := c.seg.other
	p := lo
	for ; p+4 <= hi; p += 4 {
		o := other[p : p+4 : p+4]
		add4(y, c.x.Row(int(o[0])), c.x.Row(int(o[1])), c.x.Row(int(o[2])), c.x.Row(int(o[3])))
	}
	for ; p < hi; p++ {
		accumulate(y, c.x.Row(int(other[p])))
	}
}

// sumEdges adds x[edge].
func sumEdges(c *call, y []float32, lo, hi int64) {
	s := c.seg
	p := lo
	for ; p+4 <= hi; p += 4 {
		add4(y, c.x.Row(s.edge(p)), c.x.Row(s.edge(p+1)), c.x.Row(s.edge(p+2)), c.x.Row(s.edge(p+3)))
	}
	for ; p < hi; p++ {
		accumulate(y, c.x.Row(s.edge(p)))
	}
}

// sumWeighted adds weight[edge, h]·x[other, h], head by head.
func sumWeighted(c *call, y []float32, lo, hi int64) {
	other, weight := c.seg.other, c.y
	width := len(y) / weight.Cols
	p := lo
	for ; p+4 <= hi; p += 4 {
		o := other[p : p+4 : p+4]
		x0, x1, x2, x3 := c.x.Row(int(o[0])), c.x.Row(int(o[1])), c.x.Row(int(o[2])), c.x.Row(int(o[3]))
		w0, w1, w2, w3 := weight.Row(c.seg.edge(p)), weight.Row(c.seg.edge(p+1)), weight.Row(c.seg.edge(p+2)), weight.Row(c.seg.edge(p+3))
		for h := range w0 {
			a, z := h*width, (h+1)*width
			axpy4(y[a:z], x0[a:z], x1[a:z], x2[a:z], x3[a:z], w0[h], w1[h], w2[h], w3[h])
		}
	}
	for ; p < hi; p++ {
		x, w := c.x.Row(int(other[p])), weight.Row(c.seg.edge(p))
		for h := range w {
			a, z := h*width, (h+1)*width
			axpy(y[a:z], x[a:z], w[h])
		}
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
