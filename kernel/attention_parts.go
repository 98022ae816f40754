package kernel

import "github.com/weft-gnn/weft/tensor"

// What the kernels of attention do with a block, and how the chunks of a row
// combine.

// attendSum is [Attend]. A chunk leaves its sum, its tops and its sums of
// exponentials.
func attendSum(c *call, w *attender, out tensor.Matrix) {
	o := &c.attend
	k := o.z.Cols
	o.loops.sum(c, w, out.Columns(0, k))
	if !w.part {
		c.follow(w.worker, c.dst.Between(w.row, w.row+w.rows), w.row)
		return
	}
	slot := out.Row(0)[k:]
	copy(slot, w.plane(topMoment))
	copy(slot[w.heads:], w.plane(sumMoment))
}

func attendSumCombine(c *call, first, end int) {
	w := &c.attend.workers[0]
	k, h := c.dst.Cols, w.heads
	row := c.chunks[first].row
	w.rows = 1
	sum := c.shares(first, end, k)
	y := c.dst.Row(row)
	clear(y)
	width := k / h
	for i := first; i < end; i++ {
		slot := c.attendSlot(i)
		for j, share := range slot[k+h:] {
			axpy(y[j*width:(j+1)*width], slot[j*width:(j+1)*width], share/sum[j])
		}
	}
	c.follow(0, c.dst.Between(row, row+1), row)
}

// shares multiplies the sums of exponentials of a row's chunks by what their
// tops make them of the row's, and returns the row's; its top is beside it, in
// the first worker's moments. In the slots, tops lie at an offset, followed by
// the sums.
func (c *call) shares(first, end, offset int) []float32 {
	w := &c.attend.workers[0]
	h, top, sum := w.heads, w.plane(topMoment), w.plane(sumMoment)
	copy(top, c.attendSlot(first)[offset:])
	for i := first + 1; i < end; i++ {
		maxTo(top, c.attendSlot(i)[offset:offset+h])
	}
	clear(sum)
	for i := first; i < end; i++ {
		slot := c.attendSlot(i)[offset:]
		for j := range h {
			slot[h+j] *= exp(slot[j] - top[j])
			sum[j] += slot[h+j]
		}
	}
	return sum
}

// attendMoments is [AttendGradDst]. A chunk leaves its moments.
func attendMoments(c *call, w *attender, out tensor.Matrix) {
	o := &c.attend
	o.loops.moments(c, w)
	if w.part {
		for i := range moments {
			copy(out.Row(0)[i*w.heads:], w.plane(i))
		}
		return
	}
	o.loops.finish(w, w.own(o.l), out)
}

func attendMomentsCombine(c *call, first, end int) {
	w := &c.attend.workers[0]
	w.row, w.rows = c.chunks[first].row, 1
	h, sum := w.heads, c.shares(first, end, 0)
	for m := meanMoment; m < moments; m++ {
		clear(w.plane(m))
	}
	for i := first; i < end; i++ {
		slot := c.attendSlot(i)
		for j := range h {
			share := slot[sumMoment*h+j] / sum[j]
			for m := meanMoment; m < moments; m++ {
				w.plane(m)[j] += share * slot[m*h+j]
			}
		}
	}
	c.attend.loops.finish(w, w.own(c.attend.l), w.own(c.dst))
}

// attendBack is [AttendGradSrc]. A chunk leaves a row of its own sums. No product
// of rows is needed per edge: with tilted α·σ′,
//
//	Σ_v tilted·(mask·⟨z_u, g_v⟩ − t_v) = ⟨z_u, Σ_v tilted·mask·g_v⟩ − Σ_v tilted·t_v
func attendBack(c *call, w *attender, out tensor.Matrix) {
	o := &c.attend
	k, h := o.z.Cols, w.heads
	o.loops.back(c, w, out.Columns(0, k), out.Columns(k, k+h))
	if !w.part {
		c.follow(w.worker, out, w.row)
	}
}

func attendBackCombine(c *call, first, end int) {
	row := c.chunks[first].row
	d := c.dst.Row(row)
	clear(d)
	for i := first; i < end; i++ {
		accumulate(d, c.attendSlot(i))
	}
	c.follow(0, c.dst.Between(row, row+1), row)
}

// attendSlot is where chunk i leaves its part.
func (c *call) attendSlot(i int) []float32 {
	return c.scratch[i*c.attend.slot : (i+1)*c.attend.slot]
}

// eachCut combines the chunks of each row that is cut.
func (c *call) eachCut(combine func(c *call, first, end int)) {
	for i := 0; i < len(c.chunks); {
		j := i + 1
		for j < len(c.chunks) && c.chunks[j].row == c.chunks[i].row {
			j++
		}
		combine(c, i, j)
		i = j
	}
}

// attentionLoops are what is done with a block in one variant of instructions.
type attentionLoops struct {
	lanes, pairs int // values of a vector, and vectors of two sums at once
	// sum sets y to the sums of rows, and the first two moments.
	sum func(c *call, w *attender, y tensor.Matrix)
	// moments sets all moments.
	moments func(c *call, w *attender)
	// finish writes l, λ, t and ∂l.
	finish func(w *attender, l, out tensor.Matrix)
	// back sets dz and dr to the gradients at the sources.
	back func(c *call, w *attender, dz, dr tensor.Matrix)
	// draw draws the masks of the rows of dropout from first on, which are the
	// edges, and mask applies them to values of edges.
	draw func(w *attender, first int)
	mask func(w *attender, values []float32)
	// one are those for one head, where they are others.
	one *attentionLoops
}

// attentionParts do the same in a loop each over the scores of a block.
type attentionParts struct {
	// weigh sets score to the sums of both ends, which may be rectified, weight to α,
	// and the first two moments.
	weigh func(c *call, w *attender)
	// moments sets the others.
	moments func(w *attender)
	// gather sets score, weight to ln α, and far to t.
	gather func(c *call, w *attender)
	// weights sets weight to α and tilted to α·σ′.
	weights func(w *attender)
	// pull sets the first moments to Σ tilted·far.
	pull func(w *attender)
	// sums sums the rows of x at the other end by weight and by tilted.
	sums func(c *call, w *attender, x, y, t tensor.Matrix)
}

func (p *attentionParts) sum(c *call, w *attender, y tensor.Matrix) {
	p.weigh(c, w)
	w.draw(c)
	w.mask(c, w.weight)
	w.sum(c, c.attend.z, y)
}

func (p *attentionParts) momentsOf(c *call, w *attender) {
	o := &c.attend
	p.weigh(c, w)
	w.multiply(c, o.z, o.g)
	p.moments(w)
}

func (p *attentionParts) back(c *call, w *attender, dz, dr tensor.Matrix) {
	p.gather(c, w)
	p.weights(w)
	p.pull(w)
	w.draw(c)
	w.mask(c, w.weight)
	w.mask(c, w.tilted)
	p.sums(c, w, c.attend.g, dz, w.others(c))
	w.products(c, dr)
}

// others is room for the rows of g summed by tilted.
func (w *attender) others(c *call) tensor.Matrix {
	k := c.attend.width
	return tensor.Of(w.rows, k, w.sums[:w.rows*k])
}

// products sets dr to the products of the own rows of z with the others, less the
// first moments.
func (w *attender) products(c *call, dr tensor.Matrix) {
	o := &c.attend
	o.values.rows.headDot(dr, w.own(o.z), w.others(c), 0, w.rows, 0)
	o.values.sub(dr, dr, tensor.Of(w.rows, w.heads, w.plane(0)), 0, w.rows, 0)
}

var attentionGenericParts = attentionParts{
	weigh: attentionWeigh, moments: attentionMoments,
	gather: attentionGather, weights: attentionWeights, pull: attentionPull, sums: attentionSums,
}

var attentionGeneric = attentionLoops{
	sum: attentionGenericParts.sum, moments: attentionGenericParts.momentsOf, finish: attentionFinish,
	back: attentionGenericParts.back, draw: attentionDraw, mask: attentionMask,
}

// attention returns the loops that a context uses for some heads.
func (c *Ctx) attention(heads int) *attentionLoops {
	loops := &attentionVariants[c.variant()]
	if heads == 1 && loops.one != nil {
		return loops.one
	}
	return loops
}
