package kernel

// pass is a block of columns that a sum in vectors keeps in registers.
type pass struct {
	from    int // its first column
	vectors int
	tail    int // columns of its last vector
	cols    int

	// With several heads: the weights that the pass loads, and for each of its
	// columns, padded to whole vectors, which of them is its own.
	head, heads int
	lane        []uint32
}

// lastByte is the offset of a row's last byte in the pass.
func (p pass) lastByte() int { return 4*p.cols - 1 }

// The most vectors that one pass takes. Beyond eachPass there is one function
// for the widest pass alone, and columns in between are halved.
const eachPass = 8

// cutColumns cuts the columns of a sum into passes for the variant in use.
func (c *Ctx) cutColumns(heads int) {
	lanes := c.sparse().lanes
	if lanes == 0 {
		return
	}
	c.passes, c.lanes = c.passes[:0], c.lanes[:0]
	k := c.call.dst.Cols
	for from := 0; from < k; {
		var p pass
		if heads <= 1 {
			p = plainPass(from, k, lanes)
		} else {
			p = c.headPass(from, k, lanes, heads, eachPass)
		}
		c.passes = append(c.passes, p)
		from += p.cols
	}
	c.call.passes = c.passes
}

// plainPass takes as many of columns from to k as fit.
func plainPass(from, k, lanes int) pass {
	vectors := (k - from + lanes - 1) / lanes
	widest := sumWidest(lanes)
	switch {
	case vectors >= widest:
		vectors = widest
	case vectors > eachPass:
		vectors = (vectors + 1) / 2
	}
	return newPass(from, min(k, from+vectors*lanes), lanes)
}

func newPass(from, to, lanes int) pass {
	vectors := (to - from + lanes - 1) / lanes
	return pass{from: from, cols: to - from, vectors: vectors, tail: to - from - (vectors-1)*lanes}
}

// sumWidest is the vectors of the widest pass: half of the registers of AVX-512
// and of NEON, three quarters of AVX2's.
func sumWidest(lanes int) int {
	if lanes == 8 {
		return 12
	}
	return 16
}

// headPass takes as many columns as fit most vectors and have their weights in
// one. Where the weights of all heads fit one vector, it loads them all.
func (c *Ctx) headPass(from, k, lanes, heads, most int) pass {
	width := k / heads
	head := from / width
	to := min(k, from+most*lanes, (head+lanes)*width)
	p := newPass(from, to, lanes)
	p.head, p.heads = head, (to-1)/width+1-head
	if heads <= lanes {
		p.head, p.heads, head = 0, heads, 0
	}
	start := len(c.lanes)
	for j := range p.vectors * lanes {
		c.lanes = append(c.lanes, uint32(min(from+j, to-1)/width-head))
	}
	p.lane = c.lanes[start:]
	return p
}
