//go:build amd64 && !noasm

package kernel

import (
	"github.com/weft-gnn/weft/internal/cpu"
	"github.com/weft-gnn/weft/tensor"
)

// attentionFuncs holds the functions of one variant; those over rows by their
// number of heads, as in [softmaxFuncs].
type attentionFuncs struct {
	lanes   int
	softmax [9]attendFold
	moments [9]attendFoldThree
	pull    [9]attendFoldPair
	gather  [9]attendGather
	weights func(n int, x, a, b *float32, slope float32)
	finish  [9]attendFinish
	sums    map[int][]attendSums // by the heads that they take at most, 0 standing for a vector
	philox  *philoxFuncs
	one     oneHead
}

type (
	attendFold func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy int,
		slope float32, result *float32, plane, ldr, heads int)
	attendFoldThree func(rows int, ptr *int64, x *float32, ldx int, a *float32, lda int, d *float32, ldd int,
		slope float32, result *float32, plane, ldr, heads int)
	attendFoldPair func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy int, result *float32, ldr, heads int)
	attendGather   func(p, hi int, z *float32, ldz, lastByte int, other *int32, ahead int, x *float32, ldx int,
		ptr *int64, y *float32, ldy int, slope float32, less, third *float32, full, tail int)
	attendFinish func(rows int, l *float32, ldl int, moment *float32, plane int, out *float32, ldout, heads int)
	attendSums   func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy, tail int, other *int32, ahead, lastByte int,
		w *float32, ldw, second, heads int, lane *uint32, t *float32, ldt int)
)

var attentionVariants = [...]attentionLoops{
	cpu.Generic: attentionGeneric,
	cpu.AVX2:    attentionAVX2.loops(),
	cpu.AVX512:  attendAVX512.loops(&attentionAVX512),
}

var attentionAVX2 = attentionFuncs{
	lanes:   8,
	softmax: [9]attendFold{0: attentionSoftmaxAVX2, 2: attentionSoftmaxAVX2x2, 4: attentionSoftmaxAVX2x4, 8: attentionSoftmaxAVX2x8},
	moments: [9]attendFoldThree{0: attentionMomentsAVX2, 2: attentionMomentsAVX2x2, 4: attentionMomentsAVX2x4, 8: attentionMomentsAVX2x8},
	pull:    [9]attendFoldPair{0: attentionPullAVX2, 2: attentionPullAVX2x2, 4: attentionPullAVX2x4, 8: attentionPullAVX2x8},
	gather:  [9]attendGather{0: attentionGatherAVX2, 8: attentionGatherAVX2x8},
	sums: map[int][]attendSums{
		8: {1: attentionSums8toAVX2x1, 2: attentionSums8toAVX2x2, 3: attentionSums8toAVX2x3, 4: attentionSums8toAVX2x4},
		0: {1: attentionSumsAVX2x1, 2: attentionSumsAVX2x2, 3: attentionSumsAVX2x3, 4: attentionSumsAVX2x4},
	},
	weights: attentionWeightsAVX2,
	finish:  [9]attendFinish{0: attentionFinishAVX2, 1: attentionFinishAVX2x1, 8: attentionFinishAVX2x8},
	philox:  &philoxAVX2,
	one:     oneHeadAVX2,
}

// attentionAVX512 is for one head, but for finish.
var attentionAVX512 = attentionFuncs{
	lanes:  16,
	finish: [9]attendFinish{0: attentionFinishAVX512, 1: attentionFinishAVX512x1, 8: attentionFinishAVX512x8},
	philox: &philoxAVX512,
	one:    oneHeadAVX512,
}

func (f *attentionFuncs) loops() attentionLoops {
	parts := &attentionParts{
		weigh: f.weighRows, moments: f.momentRows,
		gather: f.gatherEdges, weights: f.weightEdges, pull: f.pullRows, sums: f.sumRows,
	}
	one := f.oneLoops()
	return attentionLoops{
		lanes: f.lanes, pairs: len(f.sums[8]) - 1, sum: parts.sum, moments: parts.momentsOf, finish: f.finishRows,
		back: parts.back, draw: f.draw, mask: f.mask, one: &one,
	}
}

// oneLoops are for one head.
func (f *attentionFuncs) oneLoops() attentionLoops {
	o := &f.one
	return attentionLoops{
		lanes: f.lanes, pairs: len(o.back) - 1, sum: o.sumRows, moments: o.momentRows, finish: f.finishRows,
		back: o.backRows, draw: f.draw, mask: f.mask,
	}
}

// eachHeads calls run for as many heads as a function takes at once.
func (f *attentionFuncs) eachHeads(w *attender, run func(which, from, heads int)) {
	if h := w.heads; h < len(f.moments) && f.moments[h] != nil {
		run(h, 0, h)
		return
	}
	for h := 0; h < w.heads; h += f.lanes {
		run(0, h, min(f.lanes, w.heads-h))
	}
}

// exactly returns the number of the functions for rows of so many values: 0 of
// those for any.
func (f *attentionFuncs) exactly(heads int) int {
	if heads == 1 || heads == 8 {
		return heads
	}
	return 0
}

// clearMoments sets the moments to those of rows without edges: their λ is 0.
func (w *attender) clearMoments() {
	for i := range moments {
		clear(w.plane(i))
	}
	fill(w.plane(sumMoment), nil, nil, 1)
}

func (f *attentionFuncs) weighRows(c *call, w *attender) {
	w.clearMoments()
	if w.edges == 0 {
		return
	}
	w.scores(c, c.attend.r, c.attend.l)
	ld, plane := 4*w.heads, 4*w.planeSize()
	f.eachHeads(w, func(which, h, heads int) {
		f.softmax[which](w.rows, &w.ptr[0], &w.score[h], ld, &w.weight[h], ld, w.slope, &w.moment[h], plane, ld, heads)
	})
}

func (f *attentionFuncs) momentRows(w *attender) {
	if w.edges == 0 {
		return
	}
	ld, plane := 4*w.heads, 4*w.planeSize()
	f.eachHeads(w, func(which, h, heads int) {
		f.moments[which](w.rows, &w.ptr[0], &w.score[h], ld, &w.weight[h], ld, &w.product[h], ld,
			w.slope, &w.plane(meanMoment)[h], plane, ld, heads)
	})
}

func (f *attentionFuncs) finishRows(w *attender, l, out tensor.Matrix) {
	if w.rows > 0 {
		from, ldl := place(l, 0, 0)
		to, ldout := place(out, 0, 0)
		f.finish[f.exactly(w.heads)](w.rows, from, ldl, &w.moment[0], 4*w.planeSize(), to, ldout, w.heads)
	}
}

func (f *attentionFuncs) gatherEdges(c *call, w *attender) {
	h, i := w.heads, f.exactly(w.heads)
	w.sub.x = c.attend.l
	from, ldx := place(c.attend.l, 0, 0)
	tail := h % f.lanes
	w.sub.piecesAhead(0, w.edges, func(lo, hi, ahead int) {
		r := w.sub.seg.rowOf(int64(lo))
		y, ldy := place(c.attend.r, int64(w.row+r), 0)
		f.gather[i](lo, hi, &w.score[lo*h], 4*h, 12*h-1, neighbourIndex(w.sub.seg), ahead, from, ldx, &w.ptr[r], y, ldy,
			w.slope, &w.weight[lo*h], &w.far[lo*h], 4*(h-tail), tail)
	})
}

func (f *attentionFuncs) weightEdges(w *attender) {
	if w.edges > 0 {
		f.weights(w.edges*w.heads, &w.score[0], &w.weight[0], &w.tilted[0], w.slope)
	}
}

func (f *attentionFuncs) pullRows(w *attender) {
	clear(w.plane(0))
	if w.edges == 0 {
		return
	}
	ld := 4 * w.heads
	f.eachHeads(w, func(which, h, heads int) {
		f.pull[which](w.rows, &w.ptr[0], &w.tilted[h], ld, &w.far[h], ld, &w.moment[h], ld, heads)
	})
}

// sumsOf returns the sums for some heads. Those for eight read beyond fewer.
func (f *attentionFuncs) sumsOf(heads int) []attendSums {
	if heads <= 8 {
		return f.sums[8]
	}
	return f.sums[0]
}

func (f *attentionFuncs) sumRows(c *call, w *attender, x, y, t tensor.Matrix) {
	if w.edges == 0 {
		for i := range w.rows {
			clear(y.Row(i))
			clear(t.Row(i))
		}
		return
	}
	w.sub.x = x
	second := 2 * len(w.pair) // bytes
	w.sub.rowsAhead(w.ptr, y, func(ptr *int64, y tensor.Matrix, ahead int) {
		rows := w.rows - y.Rows // those before
		if ptr == &w.ptr[0] {
			rows = 0
		}
		for _, p := range c.passes {
			from, ldx := place(x, 0, p.from)
			to, ldy := place(y, 0, p.from)
			other, ldt := place(t, int64(rows), p.from)
			weight := &w.pair[int(*ptr)*w.heads+p.head]
			f.sumsOf(w.heads)[p.vectors](y.Rows, ptr, from, ldx, to, ldy, p.tail, neighbourIndex(w.sub.seg), ahead, p.lastByte(),
				weight, 4*w.heads, second, p.heads, &p.lane[0], other, ldt)
		}
	})
}

// Masks of several heads lie in whole groups of four.

func (f *attentionFuncs) draw(w *attender, first int) {
	f.philox.draw(&w.dropout, w.words, w.heads, first, w.edges, nil, nil)
}

func (f *attentionFuncs) mask(w *attender, values []float32) {
	masks := tensor.Matrix{Rows: w.edges, Cols: w.heads, Stride: 4 * groups(w.heads), Data: asFloats(w.words)}
	if w.heads == 1 {
		masks.Stride = 1
	}
	y := w.ofEdges(values)
	f.philox.drop.values(y, y, masks, 0, w.edges, w.dropout.scale)
}
