package kernel

import (
	"math"

	"github.com/weft-gnn/weft/tensor"
)

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

func attentionWeigh(c *call, w *attender) {
	w.scores(c, c.attend.r, c.attend.l)
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

func attentionFinish(w *attender, l, out tensor.Matrix) {
	tops, sums, means, pushes, tilts := w.plane(topMoment), w.plane(sumMoment), w.plane(meanMoment), w.plane(pushMoment), w.plane(tiltMoment)
	h := w.heads
	for i := range w.rows {
		s, l := out.Row(i), l.Row(i)
		for j := range h {
			at := i*h + j
			// Rounded, where Go might fuse it: a row of one edge has no gradient.
			pull := float32(means[at] * tilts[at])
			s[j], s[h+j], s[2*h+j], s[3*h+j] = l[j], tops[at]+log(sums[at]), means[at], pushes[at]-pull
		}
	}
}

func attentionGather(c *call, w *attender) {
	h, own := w.heads, w.own(c.attend.r)
	for i := range w.rows {
		for p := w.ptr[i]; p < w.ptr[i+1]; p++ {
			far, at := c.attend.l.Row(int(w.sub.seg.other[p])), int(p)*h
			for j, r := range own.Row(i) {
				w.score[at+j] = far[j] + r
				w.weight[at+j] = w.leaky(w.score[at+j]) - far[h+j]
				w.far[at+j] = far[2*h+j]
			}
		}
	}
}

func attentionWeights(w *attender) {
	for i, s := range w.score {
		w.weight[i] = exp(w.weight[i])
		w.tilted[i] = w.weight[i] * w.slopeAt(s)
	}
}

func attentionPull(w *attender) {
	w.eachHead(func(from, end, at int) {
		var sum float32
		for i := from; i < end; i += w.heads {
			sum += w.tilted[i] * w.far[i]
		}
		w.moment[at] = sum
	})
}

func attentionSums(_ *call, w *attender, x, y, t tensor.Matrix) {
	h := w.heads
	width := x.Cols / h
	for i := range w.rows {
		y, t := y.Row(i), t.Row(i)
		clear(y)
		clear(t)
		for p := int(w.ptr[i]); p < int(w.ptr[i+1]); p++ {
			x := x.Row(int(w.sub.seg.other[p]))
			for j := range h {
				a, z := j*width, (j+1)*width
				axpy(y[a:z], x[a:z], w.weight[p*h+j])
				axpy(t[a:z], x[a:z], w.tilted[p*h+j])
			}
		}
	}
}

func attentionDraw(w *attender, first int) {
	d := &w.dropout
	for p := range w.edges {
		d.mask.Key.Fill(w.words[p*w.heads:(p+1)*w.heads], d.mask.Step, d.mask.Site, d.id(first+p))
	}
}

func attentionMask(w *attender, values []float32) {
	for i, word := range w.words[:len(values)] {
		values[i] = w.dropout.apply(word, values[i])
	}
}
