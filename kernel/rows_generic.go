package kernel

import (
	"math"
	"slices"

	"github.com/weft-gnn/weft/tensor"
)

var rowsGeneric = rowLoops{
	copy: copyEach, narrow: narrowRows, widen: widenRows,
	scale: scaleEach, normalize: normalizeEach, normalizeGrad: normalizeGradEach,
	softmax: softmaxEach, softmaxGrad: softmaxGradEach, shift: shiftEach, logSoftmaxGrad: logSoftmaxGradEach,
	softmaxOf: softmaxOf, sumExp: sumExp, argMax: argMaxOf, addAt: addAt,
	headDot: headDotEach, headSum: headSumEach, headScale: headScaleEach, headAdd: headAddEach,
	columnSum: sumColumns, headColumnSum: headColumnSum,
}

func copyEach(dst, x, _ tensor.Matrix, lo, hi int, _ float32) {
	for i := lo; i < hi; i++ {
		copy(dst.Row(i), x.Row(i))
	}
}

func addAt(dst, x tensor.Matrix, rows []int32) {
	for i, r := range rows {
		y := dst.Row(int(r))
		for j, v := range x.Row(i) {
			y[j] += v
		}
	}
}

func shiftEach(dst, x, y tensor.Matrix, lo, hi int, _ float32) {
	for i := lo; i < hi; i++ {
		offsetTo(dst.Row(i), x.Row(i), nil, -y.Row(i)[0])
	}
}

func scaleEach(dst, x, y tensor.Matrix, lo, hi int, _ float32) {
	for i := lo; i < hi; i++ {
		scaleTo(dst.Row(i), x.Row(i), nil, y.Row(i)[0])
	}
}

func normalizeEach(dst, x, _ tensor.Matrix, lo, hi int, eps float32) {
	for i := lo; i < hi; i++ {
		x := x.Row(i)
		scaleTo(dst.Row(i), x, nil, 1/max(sqrt(dot(x, x)), eps))
	}
}

func normalizeGradEach(dst, x, g tensor.Matrix, lo, hi int, eps float32) {
	for i := lo; i < hi; i++ {
		x, g, d := x.Row(i), g.Row(i), dst.Row(i)
		norm := sqrt(dot(x, x))
		s := 1 / max(norm, eps)
		along := s * s * dot(x, g)
		if norm <= eps {
			along = 0
		}
		for j, v := range g {
			d[j] = s * (v - along*x[j])
		}
	}
}

func softmaxEach(dst, x, _ tensor.Matrix, lo, hi int, _ float32) {
	for i := lo; i < hi; i++ {
		softmaxRow(dst.Row(i), x.Row(i), 1)
	}
}

func softmaxOf(dst, x tensor.Matrix, rows []int32, n int, s float32) {
	for _, r := range rows[:n] {
		softmaxRow(dst.Row(int(r)), x.Row(int(r)), s)
	}
}

// softmaxRow sets y to s·exp(x − max x)/Σ exp(x − max x).
func softmaxRow(y, x []float32, s float32) {
	top := maxOf(x)
	var sum float32
	for j, v := range x {
		v = exp(v - top)
		y[j] = v
		sum += v
	}
	scaleTo(y, y, nil, s/sum)
}

// maxOf returns the largest value that is a number, as maxColumn does.
func maxOf(x []float32) float32 {
	top := float32(math.Inf(-1))
	for _, v := range x {
		if v > top {
			top = v
		}
	}
	return top
}

func softmaxGradEach(dst, y, g tensor.Matrix, lo, hi int, _ float32) {
	for i := lo; i < hi; i++ {
		y, g, d := y.Row(i), g.Row(i), dst.Row(i)
		sum := dot(y, g)
		for j, v := range g {
			d[j] = y[j] * (v - sum)
		}
	}
}

func sumExp(top, sum []float32, x tensor.Matrix, rows []int32) {
	for i := range top {
		r := i
		if rows != nil {
			r = int(rows[i])
		}
		x := x.Row(r)
		top[i], sum[i] = maxOf(x), 0
		for _, v := range x {
			sum[i] += exp(v - top[i])
		}
	}
}

func argMaxOf(arg []int32, x tensor.Matrix, rows []int32) {
	for i, r := range rows {
		x := x.Row(int(r))
		arg[i] = int32(max(0, slices.Index(x, maxOf(x))))
	}
}

func logSoftmaxGradEach(dst, y, g tensor.Matrix, lo, hi int, _ float32) {
	for i := lo; i < hi; i++ {
		y, g, d := y.Row(i), g.Row(i), dst.Row(i)
		var sum float32
		for _, v := range g {
			sum += v
		}
		for j, v := range g {
			d[j] = v - exp(y[j])*sum
		}
	}
}
