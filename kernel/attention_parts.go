package kernel

import (
	"math"

	"github.com/weft-gnn/weft/tensor"
)

// What the kernels of attention do with a block, and how the chunks of a row
// combine.

// attendSum is [Attend]. A chunk leaves its sum, its tops and its sums of
// exponentials.
func attendSum(c *call, w *attender, out tensor.Matrix) {
	o := &c.attend
	w.scores(c, o.r, o.l)
	o.loops.softmax(w)
	w.draw(c)
	w.mask(c, w.weight)
	k := o.z.Cols
	w.sum(c, o.z, columns(out, 0, k))
	if !w.part {
		c.follow(w.row, w.row+w.rows)
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
	c.follow(row, row+1)
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
	w.scores(c, o.r, o.l)
	o.loops.softmax(w)
	w.multiply(c, o.z, o.g)
	o.loops.moments(w)
	if w.part {
		for i := range moments {
			copy(out.Row(0)[i*w.heads:], w.plane(i))
		}
		return
	}
	w.finish(c, out)
}

// finish writes what follows from the moments of the block's rows.
func (w *attender) finish(c *call, out tensor.Matrix) {
	c.attend.loops.finish(w)
	logSum, mean, pull, h := w.plane(topMoment), w.plane(meanMoment), w.plane(pushMoment), w.heads
	for i := range w.rows {
		s, l := out.Row(i), c.attend.l.Row(w.row+i)
		for j := range h {
			s[j], s[h+j], s[2*h+j], s[3*h+j] = l[j], logSum[i*h+j], mean[i*h+j], pull[i*h+j]
		}
	}
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
	w.finish(c, rowsOf(c.dst, w.row, w.row+1))
}

// attendBack is [AttendGradSrc]. A chunk leaves a row of its own sums.
func attendBack(c *call, w *attender, out tensor.Matrix) {
	o := &c.attend
	k, h := o.z.Cols, w.heads
	w.scores(c, columns(o.l, 0, h), o.r)
	w.gather(c, columns(o.l, h, 2*h))
	o.loops.weights(w)
	w.gather(c, columns(o.l, 2*h, 3*h))
	w.multiply(c, o.g, o.z)
	o.loops.pull(w, columns(out, k, k+h))
	w.mask(c, w.weight)
	w.sum(c, o.g, columns(out, 0, k))
}

func attendBackCombine(c *call, first, end int) {
	d := c.dst.Row(c.chunks[first].row)
	clear(d)
	for i := first; i < end; i++ {
		accumulate(d, c.attendSlot(i))
	}
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

// The loops over the scores of a block, in one variant of instructions.
type attentionLoops struct {
	// softmax sets weight to α, and the first two moments.
	softmax func(w *attender)
	// moments sets the others.
	moments func(w *attender)
	// finish replaces the tops by λ and the pushes by ∂l.
	finish func(w *attender)
	// weights sets weight to α, where far is λ.
	weights func(w *attender)
	// pull sets d to ∂r, where far is t.
	pull func(w *attender, d tensor.Matrix)
	// draw draws the masks of edges, and mask applies them to values of edges.
	draw func(w *attender)
	mask func(w *attender, values []float32)
}

var attentionGeneric = attentionLoops{
	softmax: attentionSoftmax, moments: attentionMoments, finish: attentionFinish, weights: attentionWeights, pull: attentionPull,
	draw: attentionDraw, mask: attentionMask,
}

// attention returns the loops that a context uses.
func (c *Ctx) attention() *attentionLoops { return &attentionVariants[c.variant()] }

// leaky is the rectifier of scores.
func (w *attender) leaky(s float32) float32 {
	if s <= 0 {
		s *= w.slope
	}
	return s
}

// slopeAt is its derivative.
func (w *attender) slopeAt(s float32) float32 {
	if s <= 0 {
		return w.slope
	}
	return 1
}

// eachHead visits the scores of one row and head: values from, from + heads,
// up to end, and the place of its moments in their planes.
func (w *attender) eachHead(visit func(from, end, at int)) {
	for r := range w.rows {
		for h := range w.heads {
			visit(int(w.ptr[r])*w.heads+h, int(w.ptr[r+1])*w.heads, r*w.heads+h)
		}
	}
}

func attentionSoftmax(w *attender) {
	tops, sums := w.plane(topMoment), w.plane(sumMoment)
	w.eachHead(func(from, end, at int) {
		if from >= end {
			tops[at], sums[at] = 0, 1
			return
		}
		top, sum := float32(math.Inf(-1)), float32(0)
		for i := from; i < end; i += w.heads {
			if a := w.leaky(w.score[i]); a > top {
				top = a
			}
		}
		for i := from; i < end; i += w.heads {
			w.weight[i] = exp(w.leaky(w.score[i]) - top)
			sum += w.weight[i]
		}
		for i := from; i < end; i += w.heads {
			w.weight[i] /= sum
		}
		tops[at], sums[at] = top, sum
	})
}

func attentionMoments(w *attender) {
	means, pushes, tilts := w.plane(meanMoment), w.plane(pushMoment), w.plane(tiltMoment)
	w.eachHead(func(from, end, at int) {
		var mean, push, tilt float32
		for i := from; i < end; i += w.heads {
			α, d := w.weight[i], w.product[i]
			tilted := α * w.slopeAt(w.score[i])
			mean += α * d
			push += tilted * d
			tilt += tilted
		}
		means[at], pushes[at], tilts[at] = mean, push, tilt
	})
}

func attentionFinish(w *attender) {
	tops, sums, means, pushes, tilts := w.plane(topMoment), w.plane(sumMoment), w.plane(meanMoment), w.plane(pushMoment), w.plane(tiltMoment)
	for i, sum := range sums {
		tops[i] += log(sum)
		pushes[i] -= means[i] * tilts[i]
	}
}

func attentionWeights(w *attender) {
	for i, s := range w.score {
		w.weight[i] = exp(w.leaky(s) - w.far[i])
	}
}

func attentionPull(w *attender, d tensor.Matrix) {
	w.eachHead(func(from, end, at int) {
		var sum float32
		for i := from; i < end; i += w.heads {
			sum += w.weight[i] * (w.product[i] - w.far[i]) * w.slopeAt(w.score[i])
		}
		d.Row(at / w.heads)[at%w.heads] = sum
	})
}

func attentionDraw(w *attender) {
	d := &w.dropout
	for p := range w.edges {
		d.mask.Key.Fill(w.words[p*w.heads:(p+1)*w.heads], d.mask.Step, d.mask.Site, d.id(p))
	}
}

func attentionMask(w *attender, values []float32) {
	for i, word := range w.words[:len(values)] {
		values[i] = w.dropout.apply(word, values[i])
	}
}
