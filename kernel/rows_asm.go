//go:build amd64 && !noasm

package kernel

import (
	"unsafe"

	"github.com/weft-gnn/weft/tensor"
)

// rowLoop goes through n rows of at least one value, ld bytes apart, listLoop
// through the first n that are listed, or the first of all where list is nil.
type (
	rowLoop  func(n int, dst *float32, lddst int, x *float32, ldx int, y *float32, ldy, cols int, s float32)
	listLoop func(list *int32, listed, n int, dst *float32, lddst int, x *float32, ldx int, y *float32, ldy, cols int, s float32)
)

var rowsAVX2 = rowLoops{
	copy:           rowLoop(copyRowsAVX2).run,
	narrow:         narrowLoop(narrowRowsAVX2).run,
	widen:          narrowLoop(widenRowsAVX2).run,
	shift:          rowLoop(shiftRowsAVX2).run,
	scale:          rowLoop(scaleRowsAVX2).run,
	normalize:      rowLoop(normalizeAVX2).run,
	normalizeGrad:  rowLoop(normalizeGradAVX2).run,
	softmax:        listLoop(softmaxScaledAVX2).runAll,
	softmaxGrad:    rowLoop(softmaxGradEachAVX2).run,
	logSoftmaxGrad: rowLoop(logSoftmaxGradAVX2).run,
	softmaxOf:      listLoop(softmaxScaledAVX2).run,
	sumExp:         listLoop(sumExpAVX2).sums,
	argMax:         listLoop(argMaxAVX2).args,
	addAt:          listLoop(addRowsAtAVX2).addAt,
	headDot:        headDotsAVX2.dot,
	headSum:        headSumsAVX2.sum,
	headScale:      headWeightsAVX2.scale,
	headAdd:        headWeightsAVX2.addTo,
	columnSum:      columnSums(columnSumAVX2).run,
	headColumnSum:  headWeightsAVX2.sum,
}

var rowsAVX512 = rowLoops{
	copy:           rowLoop(copyRowsAVX512).run,
	narrow:         narrowLoop(narrowRowsAVX512).run,
	widen:          narrowLoop(widenRowsAVX512).run,
	shift:          rowLoop(shiftRowsAVX512).run,
	scale:          rowLoop(scaleRowsAVX512).run,
	normalize:      rowLoop(normalizeAVX512).run,
	normalizeGrad:  rowLoop(normalizeGradAVX512).run,
	softmax:        listLoop(softmaxScaledAVX512).runAll,
	softmaxGrad:    rowLoop(softmaxGradEachAVX512).run,
	logSoftmaxGrad: rowLoop(logSoftmaxGradAVX512).run,
	softmaxOf:      listLoop(softmaxScaledAVX512).run,
	sumExp:         listLoop(sumExpAVX512).sums,
	argMax:         listLoop(argMaxAVX512).args,
	addAt:          listLoop(addRowsAtAVX512).addAt,
	headDot:        headDotsAVX512.dot,
	headSum:        headSumsAVX512.sum,
	headScale:      headWeightsAVX512.scale,
	headAdd:        headWeightsAVX512.addTo,
	columnSum:      columnSums(columnSumAVX512).run,
	headColumnSum:  headWeightsAVX512.sum,
}

func (f rowLoop) run(dst, x, y tensor.Matrix, lo, hi int, s float32) {
	if lo == hi || x.Cols == 0 {
		return
	}
	d, ldd := place(dst, int64(lo), 0)
	px, ldx := place(x, int64(lo), 0)
	py, ldy := place(y, int64(lo), 0)
	f(hi-lo, d, ldd, px, ldx, py, ldy, x.Cols, s)
}

// values runs a function of values, for which rows that follow each other are one.
func (f rowLoop) values(dst, x, y tensor.Matrix, lo, hi int, s float32) {
	if lo == hi || dst.Cols == 0 {
		return
	}
	rows, cols := hi-lo, dst.Cols
	if dst.Contiguous() && x.Contiguous() && y.Contiguous() {
		rows, cols = 1, rows*cols
	}
	d, ldd := place(dst, int64(lo), 0)
	px, ldx := place(x, int64(lo), 0)
	py, ldy := place(y, int64(lo), 0)
	f(rows, d, ldd, px, ldx, py, ldy, cols, s)
}

// valueFuncs makes functions of matrices of functions of values.
func valueFuncs(loops []rowLoop) (all []rowFunc) {
	for _, f := range loops {
		all = append(all, f.values)
	}
	return all
}

func (f listLoop) run(dst, x tensor.Matrix, rows []int32, n int, s float32) {
	if n == 0 || x.Cols == 0 {
		return
	}
	d, ldd := place(dst, 0, 0)
	px, ldx := place(x, 0, 0)
	f(unsafe.SliceData(rows), len(rows), n, d, ldd, px, ldx, nil, 0, x.Cols, s)
}

// runAll takes rows lo to hi, and 1 for s.
func (f listLoop) runAll(dst, x, _ tensor.Matrix, lo, hi int, _ float32) {
	if lo == hi || x.Cols == 0 {
		return
	}
	d, ldd := place(dst, int64(lo), 0)
	px, ldx := place(x, int64(lo), 0)
	f(nil, 0, hi-lo, d, ldd, px, ldx, nil, 0, x.Cols, 1)
}

func (f listLoop) sums(top, sum []float32, x tensor.Matrix, rows []int32) {
	if len(top) == 0 || x.Cols == 0 {
		return
	}
	px, ldx := place(x, 0, 0)
	f(unsafe.SliceData(rows), len(rows), len(top), &top[0], 0, px, ldx, &sum[0], 0, x.Cols, 0)
}

func (f listLoop) args(arg []int32, x tensor.Matrix, rows []int32) {
	if len(rows) == 0 {
		return
	}
	px, ldx := place(x, 0, 0)
	f(unsafe.SliceData(rows), len(rows), len(rows), (*float32)(unsafe.Pointer(&arg[0])), 0, px, ldx, nil, 0, x.Cols, 0)
}

func (f listLoop) addAt(dst, x tensor.Matrix, rows []int32) {
	if len(rows) == 0 || x.Cols == 0 {
		return
	}
	d, ldd := place(dst, 0, 0)
	px, ldx := place(x, 0, 0)
	f(unsafe.SliceData(rows), len(rows), len(rows), d, ldd, px, ldx, nil, 0, x.Cols, 0)
}
