//go:build amd64 && !noasm

package kernel

import (
	"unsafe"

	"github.com/weft-gnn/weft/tensor"
)

type (
	// headSum and headProducts go through n rows of heads of at least one value.
	headSum      func(n int, dst *float32, lddst int, x *float32, ldx, cols, heads int)
	headProducts func(n int, dst *float32, lddst int, x *float32, ldx int, y *float32, ldy, cols, heads int)
	// headSquares goes through n rows of eight heads of eight values.
	headSquares func(n int, dst *float32, lddst int, x *float32, ldx int, y *float32, ldy int)
	headRows    func(n int, dst *float32, lddst int, x *float32, ldx int, y *float32, ldy, cols int, s float32, heads int, lane *uint32)
	columnSums  func(n int, dst *float32, x *float32, ldx, cols int)
)

// headDots multiplies heads of up to a vector's half in narrow vectors, and eight of
// eight columns together.
type headDots struct {
	half         int
	narrow, wide headProducts
	square       headSquares
}

var (
	headDotsAVX2   = headDots{0, headDotAVX2, headDotAVX2, headDotSquareAVX2}
	headDotsAVX512 = headDots{8, headDotAVX2, headDotAVX512, headDotSquareAVX512}
)

func (f headDots) dot(dst, x, y tensor.Matrix, lo, hi int, _ float32) {
	if lo == hi || dst.Cols == 0 {
		return
	}
	d, ldd := place(dst, int64(lo), 0)
	px, ldx := place(x, int64(lo), 0)
	py, ldy := place(y, int64(lo), 0)
	width, run := x.Cols/dst.Cols, f.wide
	if width == 8 && dst.Cols == 8 {
		f.square(hi-lo, d, ldd, px, ldx, py, ldy)
		return
	}
	if width <= f.half {
		run = f.narrow
	}
	run(hi-lo, d, ldd, px, ldx, py, ldy, width, dst.Cols)
}

// headSums adds up heads of up to a vector's half in narrow vectors: in wide ones
// most loads would cross a line.
type headSums struct {
	half         int
	narrow, wide headSum
}

var (
	headSumsAVX2   = headSums{0, headSumAVX2, headSumAVX2}
	headSumsAVX512 = headSums{8, headSumAVX2, headSumAVX512}
)

func (f headSums) sum(dst, x, _ tensor.Matrix, lo, hi int, _ float32) {
	if lo == hi || dst.Cols == 0 {
		return
	}
	if x.Cols == 0 {
		for i := lo; i < hi; i++ {
			clear(dst.Row(i))
		}
		return
	}
	d, ldd := place(dst, int64(lo), 0)
	px, ldx := place(x, int64(lo), 0)
	run := f.wide
	if dst.Cols <= f.half {
		run = f.narrow
	}
	run(hi-lo, d, ldd, px, ldx, dst.Cols, x.Cols/dst.Cols)
}

func (f columnSums) run(dst []float32, x tensor.Matrix, lo, hi int) {
	if lo == hi || x.Cols == 0 {
		clear(dst)
		return
	}
	px, ldx := place(x, int64(lo), 0)
	f(hi-lo, &dst[0], px, ldx, x.Cols)
}

// headWeights weighs rows by a value for each head, of which a vector holds as
// many as there are lanes.
type headWeights struct {
	lanes     int
	one       rowLoop // of one head
	each, add headRows
	sums      func(n int, dst *float32, x *float32, ldx, cols int, y *float32, ldy, heads int, lane *uint32)
}

var (
	headWeightsAVX2   = headWeights{8, scaleRowsAVX2, headScaleAVX2, headAddAVX2, headColumnSumAVX2}
	headWeightsAVX512 = headWeights{16, scaleRowsAVX512, headScaleAVX512, headAddAVX512, headColumnSumAVX512}
)

func (f headWeights) scale(dst, x, y tensor.Matrix, lo, hi int, lane []uint32) {
	if y.Cols <= 1 {
		f.one.run(dst, x, y, lo, hi, 0)
		return
	}
	f.run(f.each, dst, x, y, lo, hi, lane)
}

func (f headWeights) addTo(dst, x, y tensor.Matrix, lo, hi int, lane []uint32) {
	f.run(f.add, dst, x, y, lo, hi, lane)
}

func (f headWeights) run(loop headRows, dst, x, y tensor.Matrix, lo, hi int, lane []uint32) {
	if lo == hi || x.Cols == 0 {
		return
	}
	width := x.Cols / y.Cols
	for h := 0; h < y.Cols; h += f.lanes {
		heads := min(f.lanes, y.Cols-h)
		d, ldd := place(dst, int64(lo), h*width)
		px, ldx := place(x, int64(lo), h*width)
		py, ldy := place(y, int64(lo), h)
		loop(hi-lo, d, ldd, px, ldx, py, ldy, heads*width, 0, heads, unsafe.SliceData(lane))
	}
}

func (f headWeights) sum(dst []float32, x, y tensor.Matrix, lo, hi int, lane []uint32) {
	clear(dst)
	if lo == hi || x.Cols == 0 {
		return
	}
	width := x.Cols / y.Cols
	for h := 0; h < y.Cols; h += f.lanes {
		heads := min(f.lanes, y.Cols-h)
		px, ldx := place(x, int64(lo), h*width)
		py, ldy := place(y, int64(lo), h)
		f.sums(hi-lo, &dst[h*width], px, ldx, heads*width, py, ldy, heads, unsafe.SliceData(lane))
	}
}
