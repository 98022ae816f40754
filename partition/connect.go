package partition

// connections say how heavy each vertex's edges to each part are, for the parts
// that it has any to.
type connections struct {
	ptr    []int64 // where the vertex's entries begin; it has at most min(P, degree)
	len    []int32 // how many it has
	part   []int32
	weight []int64
}

func newConnections(s *structure, part []int32, parts int) *connections {
	n := s.vertices()
	c := &connections{ptr: make([]int64, n+1), len: make([]int32, n)}
	for v := range int32(n) {
		c.ptr[v+1] = c.ptr[v] + min(s.degree(v), int64(parts))
	}
	c.part, c.weight = make([]int32, c.ptr[n]), make([]int64, c.ptr[n])
	for v := range int32(n) {
		for i := s.ptr[v]; i < s.ptr[v+1]; i++ {
			c.add(v, part[s.col[i]], s.weightOf(i))
		}
	}
	return c
}

// of returns the parts that v has edges to, and their weights.
func (c *connections) of(v int32) (part []int32, weight []int64) {
	lo := c.ptr[v]
	hi := lo + int64(c.len[v])
	return c.part[lo:hi], c.weight[lo:hi]
}

// to is the weight of v's edges to part p.
func (c *connections) to(v, p int32) int64 {
	part, weight := c.of(v)
	for i, q := range part {
		if q == p {
			return weight[i]
		}
	}
	return 0
}

func (c *connections) add(v, p int32, w int64) {
	part, weight := c.of(v)
	for i, q := range part {
		if q == p {
			weight[i] += w
			return
		}
	}
	at := c.ptr[v] + int64(c.len[v])
	c.part[at], c.weight[at] = p, w
	c.len[v]++
}

func (c *connections) remove(v, p int32, w int64) {
	part, weight := c.of(v)
	for i, q := range part {
		if q != p {
			continue
		}
		if weight[i] -= w; weight[i] == 0 {
			last := len(part) - 1
			part[i], weight[i] = part[last], weight[last]
			c.len[v]--
		}
		return
	}
}
