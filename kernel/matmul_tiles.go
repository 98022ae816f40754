//go:build amd64 && !noasm

package kernel

import (
	"unsafe"

	"github.com/weft-gnn/weft/tensor"
)

// tileFunc computes one tile, as the generated functions say.
type tileFunc func(flags, rows, cols, k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int, bias *float32, slope float32)

// The bits of a tile's flags. The generator has the same.
const (
	tileTransposed = 1 << iota // the left operand is
	tileAdd
	tileReLU
	tileLeakyReLU
)

// tiles multiplies by tiles of up to rows rows and one or two vectors of lanes values.
type tiles struct {
	panels
	narrow, wide tileFunc
	rows         int
}

func (t tiles) products() products {
	return products{
		panels:     t.panels,
		multiply:   t.multiply,
		multiplyTN: t.multiplyTN,
		bufferTN:   func(b int) int { return t.values(blockDepth, b) },
	}
}

// blockDepth is how many products a tile sums before it goes to memory: the
// panel of a right operand, of two vectors, then stays in the first-level cache
// from tile to tile. It is part of the result.
const blockDepth = 256

// blockRows is about how many rows go through all panels before the next ones
// do, so that their values stay in the second-level cache.
const blockRows = 112

// strip is a column of tiles: one panel of the right operand, and what its
// tiles have in common.
type strip struct {
	tile    tileFunc
	height  int // of its tiles at most
	flags   int
	cols, k int
	b       *float32
	ldb     int
	bias    *float32
	slope   float32
}

// run computes y of the left operand x, which is transposed where the flags say so.
func (s *strip) run(x, y tensor.Matrix) {
	tiles := (y.Rows + s.height - 1) / s.height
	for t := range tiles {
		i := t * y.Rows / tiles
		rows := (t+1)*y.Rows/tiles - i
		a := address(x, i, 0)
		if s.flags&tileTransposed != 0 {
			a = address(x, 0, i)
		}
		s.tile(s.flags, rows, s.cols, s.k, a, 4*x.Stride, s.b, s.ldb, address(y, i, 0), 4*y.Stride, s.bias, s.slope)
	}
}

// address returns the address of a value of m, or of nothing where m is empty.
func address(m tensor.Matrix, i, j int) *float32 {
	return unsafe.SliceData(m.Data[min(i*m.Stride+j, len(m.Data)):])
}

// strip returns the strip of rows p to p+k of the panel at column j, of b
// columns packed with a rows.
func (t tiles) strip(packed []float32, p, k, a, j, b int) strip {
	width := t.width(j, b)
	s := strip{tile: t.narrow, height: t.rows, cols: min(width, b-j), k: k, ldb: 4 * width}
	if width > t.lanes {
		s.tile = t.wide
	}
	if p > 0 {
		s.flags = tileAdd
	}
	s.b = unsafe.SliceData(packed[min(j*a+p*width, len(packed)):])
	return s
}

// multiply computes y = f(x·w + bias) of a packed w.
func (t tiles) multiply(x tensor.Matrix, packed []float32, y tensor.Matrix, e epilogue) {
	for lo := 0; lo < x.Rows; lo += blockRows {
		hi := min(lo+blockRows, x.Rows)
		t.multiplyBlock(rowsOf(x, lo, hi), packed, rowsOf(y, lo, hi), e)
	}
}

func (t tiles) multiplyBlock(x tensor.Matrix, packed []float32, y tensor.Matrix, e epilogue) {
	a, b := x.Cols, y.Cols
	for p := 0; p == 0 || p < a; p += blockDepth {
		depth := min(blockDepth, a-p)
		for j := 0; j < b; j += t.cols {
			s := t.strip(packed, p, depth, a, j, b)
			if p+depth == a {
				s.finish(e, j)
			}
			s.run(columns(x, p, p+depth), columns(y, j, j+s.cols))
		}
	}
	if e.fn.Kind != Identity && e.fn.Kind != ReLU && e.fn.Kind != LeakyReLU {
		for i := range y.Rows {
			e.fn.apply(y.Row(i), y.Row(i))
		}
	}
}

func (s *strip) finish(e epilogue, j int) {
	if e.bias.Rows != 0 {
		s.bias = address(e.bias, 0, j)
	}
	switch e.fn.Kind {
	case ReLU:
		s.flags |= tileReLU
	case LeakyReLU:
		s.flags |= tileLeakyReLU
		s.slope = e.fn.Param
	}
}

// multiplyTN computes w = xᵀ·g in blocks of rows, whose g it packs into buffer.
func (t tiles) multiplyTN(x, g, w tensor.Matrix, buffer []float32) {
	n, b := x.Rows, w.Cols
	for lo := 0; lo == 0 || lo < n; lo += blockDepth {
		hi := min(lo+blockDepth, n)
		packColumns(t.panels, buffer, rowsOf(g, lo, hi))
		for j := 0; j < b; j += t.cols {
			s := t.strip(buffer, 0, hi-lo, hi-lo, j, b)
			s.flags = tileTransposed
			if lo > 0 {
				s.flags |= tileAdd
			}
			s.run(rowsOf(x, lo, hi), columns(w, j, j+s.cols))
		}
	}
}
