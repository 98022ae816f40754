package kernel

import "github.com/weft-gnn/weft/tensor"

// sumEach sets each row of y to the sum of its positions.
func sumEach(c *call, ptr []int64, y tensor.Matrix, sum func(c *call, y []float32, lo, hi int64)) {
	for i := range y.Rows {
		row := y.Row(i)
		clear(row)
		sum(c, row, ptr[i], ptr[i+1])
	}
}

// Each sum below adds the rows that belong to positions lo to hi into y, in
// order, four at a time, so that y is loaded and stored once for four rows.

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
