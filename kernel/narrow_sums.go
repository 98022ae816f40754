package kernel

// The sums below are those of spmm_generic.go over rows in bfloat16: in float32,
// in the same order, one row at a time.

// sumNarrow adds x[other].
func sumNarrow(c *call, y []float32, lo, hi int64) {
	for _, o := range c.seg.other[lo:hi] {
		x := wordsOf(c.x, int(o))
		for j := range y {
			y[j] += bfloat16At(x, j)
		}
	}
}

// sumNarrowWeighted adds weight[edge]·x[other].
func sumNarrowWeighted(c *call, y []float32, lo, hi int64) {
	for p := lo; p < hi; p++ {
		x, w := wordsOf(c.x, int(c.seg.other[p])), c.y.Row(c.seg.edge(p))[0]
		for j := range y {
			y[j] += w * bfloat16At(x, j)
		}
	}
}
