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
	pull    [9]attendFoldFour
	weights func(n int, x, top, a *float32, slope float32)
	finish  func(n int, top, sum, mean, push, tilt *float32)
	philox  *philoxFuncs
}

type (
	attendFold func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy int,
		slope float32, result *float32, plane, ldr, heads int)
	attendFoldThree func(rows int, ptr *int64, x *float32, ldx int, a *float32, lda int, d *float32, ldd int,
		slope float32, result *float32, plane, ldr, heads int)
	attendFoldFour func(rows int, ptr *int64, x *float32, ldx int, a *float32, lda int, d *float32, ldd int, t *float32, ldt int,
		slope float32, result *float32, ldr, heads int)
)

var attentionVariants = [...]attentionLoops{
	cpu.Generic: attentionGeneric,
	cpu.AVX2:    attentionAVX2.loops(),
	cpu.AVX512:  attentionAVX512.loops(),
}

var attentionAVX2 = attentionFuncs{
	lanes:   8,
	softmax: [9]attendFold{0: attentionSoftmaxAVX2, 1: attentionSoftmaxAVX2x1, 2: attentionSoftmaxAVX2x2, 4: attentionSoftmaxAVX2x4, 8: attentionSoftmaxAVX2x8},
	moments: [9]attendFoldThree{0: attentionMomentsAVX2, 1: attentionMomentsAVX2x1, 2: attentionMomentsAVX2x2, 4: attentionMomentsAVX2x4, 8: attentionMomentsAVX2x8},
	pull:    [9]attendFoldFour{0: attentionPullAVX2, 1: attentionPullAVX2x1, 2: attentionPullAVX2x2, 4: attentionPullAVX2x4, 8: attentionPullAVX2x8},
	weights: attentionWeightsAVX2,
	finish:  attentionFinishAVX2,
	philox:  &philoxAVX2,
}

var attentionAVX512 = attentionFuncs{
	lanes:   16,
	softmax: [9]attendFold{0: attentionSoftmaxAVX512, 1: attentionSoftmaxAVX512x1, 2: attentionSoftmaxAVX512x2, 4: attentionSoftmaxAVX512x4, 8: attentionSoftmaxAVX512x8},
	moments: [9]attendFoldThree{0: attentionMomentsAVX512, 1: attentionMomentsAVX512x1, 2: attentionMomentsAVX512x2, 4: attentionMomentsAVX512x4, 8: attentionMomentsAVX512x8},
	pull:    [9]attendFoldFour{0: attentionPullAVX512, 1: attentionPullAVX512x1, 2: attentionPullAVX512x2, 4: attentionPullAVX512x4, 8: attentionPullAVX512x8},
	weights: attentionWeightsAVX512,
	finish:  attentionFinishAVX512,
	philox:  &philoxAVX512,
}

func (f *attentionFuncs) loops() attentionLoops {
	return attentionLoops{
		softmax: f.softmaxRows, moments: f.momentRows, finish: f.finishRows, weights: f.weightEdges, pull: f.pullRows,
		draw: f.draw, mask: f.mask,
	}
}

// eachHeads calls run for as many heads as a function takes at once.
func (f *attentionFuncs) eachHeads(w *attender, run func(which, from, heads int)) {
	if h := w.heads; h < len(f.softmax) && f.softmax[h] != nil {
		run(h, 0, h)
		return
	}
	for h := 0; h < w.heads; h += f.lanes {
		run(0, h, min(f.lanes, w.heads-h))
	}
}

func (f *attentionFuncs) softmaxRows(w *attender) {
	clear(w.plane(topMoment))
	fill(w.plane(sumMoment), nil, nil, 1) // of rows without edges, whose λ is then 0
	if w.edges == 0 {
		return
	}
	ld, plane := 4*w.heads, 4*w.planeSize()
	f.eachHeads(w, func(which, h, heads int) {
		f.softmax[which](w.rows, &w.ptr[0], &w.score[h], ld, &w.weight[h], ld, w.slope, &w.moment[h], plane, ld, heads)
	})
}

func (f *attentionFuncs) momentRows(w *attender) {
	for i := meanMoment; i < moments; i++ {
		clear(w.plane(i))
	}
	if w.edges == 0 {
		return
	}
	ld, plane := 4*w.heads, 4*w.planeSize()
	f.eachHeads(w, func(which, h, heads int) {
		f.moments[which](w.rows, &w.ptr[0], &w.score[h], ld, &w.weight[h], ld, &w.product[h], ld,
			w.slope, &w.plane(meanMoment)[h], plane, ld, heads)
	})
}

func (f *attentionFuncs) finishRows(w *attender) {
	n := w.rows * w.heads
	if n > 0 {
		f.finish(n, &w.plane(topMoment)[0], &w.plane(sumMoment)[0], &w.plane(meanMoment)[0], &w.plane(pushMoment)[0], &w.plane(tiltMoment)[0])
	}
}

func (f *attentionFuncs) weightEdges(w *attender) {
	if w.edges > 0 {
		f.weights(w.edges*w.heads, &w.score[0], &w.far[0], &w.weight[0], w.slope)
	}
}

func (f *attentionFuncs) pullRows(w *attender, d tensor.Matrix) {
	for i := range w.rows {
		if w.ptr[i] == w.ptr[i+1] {
			clear(d.Row(i))
		}
	}
	if w.edges == 0 {
		return
	}
	ld := 4 * w.heads
	f.eachHeads(w, func(which, h, heads int) {
		result, ldr := place(d, 0, h)
		f.pull[which](w.rows, &w.ptr[0], &w.score[h], ld, &w.weight[h], ld, &w.product[h], ld, &w.far[h], ld,
			w.slope, result, ldr, heads)
	})
}

// Masks of several heads lie in whole groups of four.

func (f *attentionFuncs) draw(w *attender) {
	f.philox.draw(&w.dropout, w.words, w.heads, 0, w.edges)
}

func (f *attentionFuncs) mask(w *attender, values []float32) {
	masks := tensor.Matrix{Rows: w.edges, Cols: w.heads, Stride: 4 * groups(w.heads), Data: asFloats(w.words)}
	if w.heads == 1 {
		masks.Stride = 1
	}
	y := w.ofEdges(values)
	if masks.Contiguous() {
		f.philox.drop.over(y, y, masks, 0, w.edges, w.dropout.scale)
	} else {
		f.philox.apart.run(y, y, masks, 0, w.edges, w.dropout.scale)
	}
}
