package kernel

// scatterRows copies each row to the positions that it owns, from lo to hi.
func scatterRows(c *call, _, _, lo, hi int) {
	r := c.seg.rowOf(int64(lo))
	for p := lo; p < hi; p++ {
		r = c.seg.advance(r, p)
		copy(c.dst.Row(p), c.x.Row(r))
	}
}

func gatherRows(c *call, _, _, lo, hi int) {
	for p := lo; p < hi; p++ {
		copy(c.dst.Row(p), c.x.Row(int(c.seg.other[p])))
	}
}

func edgeAddRows(c *call, _, _, lo, hi int) {
	r := c.seg.rowOf(int64(lo))
	for p := lo; p < hi; p++ {
		r = c.seg.advance(r, p)
		addTo(c.dst.Row(p), c.x.Row(int(c.seg.other[p])), c.y.Row(r), 0)
	}
}

func edgeDotRows(c *call, _, _, lo, hi int) {
	r := c.seg.rowOf(int64(lo))
	for p := lo; p < hi; p++ {
		r = c.seg.advance(r, p)
		headDot(c.dst.Row(p), c.x.Row(int(c.seg.other[p])), c.y.Row(r))
	}
}
