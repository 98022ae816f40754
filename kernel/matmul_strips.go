//go:build (amd64 || arm64) && !noasm

package kernel

import (
	"unsafe"

	"github.com/weft-gnn/weft/tensor"
)

// stripFunc computes a strip, as the generated functions say.
type stripFunc func(flags, tiles, rows, cols, k int, a *float32, lda int, b *float32, ldb, ahead int, c *float32, ldc int, bias *float32, slope float32, later *float32, ldlater int)

// transposeFunc packs squares, as the generated functions say.
type transposeFunc func(squares int, a *float32, lda int, dst *float32, ldd int)

// The bits of a strip's flags. The generator has the same.
const (
	stripTransposed = 1 << iota // the left operand is
	stripAhead                  // ask for the part of it that is needed next
	stripAdd                    // to what c holds
	stripReLU
	stripLeakyReLU
)

// Sums restart where a block of the inner index ends. The rows of a left
// operand are read in order, so that they want long blocks, in which the result
// is loaded and stored rarely; those of a transposed one lie a row apart, and
// the lines that tiles share stay in cache for short ones. Both are part of the
// result.
const (
	blockDepth = 768
	blockRows  = 256
)

// strips multiplies by strips of tiles of up to height rows and one or two vectors.
type strips struct {
	panels
	height       int
	narrow, wide stripFunc
	square       transposeFunc
	// aliased is a row length in values at multiples of which the rows of a
	// panel push each other out of the caches, so that it is better packed.
	aliased int
	// masked says that the loops read no column of a right operand that it lacks.
	masked bool
	// turned is the number of panels from which a transposed left operand is
	// better packed: a tile of few rows uses little of each line it reads of it.
	turned int
}

func (t strips) products() products {
	return products{
		panels:     t.panels,
		inPlace:    func(w tensor.Matrix) bool { return w.Stride%t.aliased != 0 },
		multiply:   t.multiply,
		multiplyTN: t.multiplyTN,
		transpose:  t.transpose,
		bufferTN:   blockRows*t.cols + tnTile*turnedStride,
		rowsTN:     blockRows,
	}
}

// strip is a column of tiles: one panel of the right operand, and what its
// tiles have in common.
type strip struct {
	flags, cols, k int
	b              *float32
	ldb            int // values
	ahead          int // values from b to what is needed after it; 0 for nothing
	later          asked
	bias           *float32
	slope          float32
}

// multiply computes y = f(x·w + bias).
func (t strips) multiply(x tensor.Matrix, w right, y tensor.Matrix, e epilogue) {
	a, b := x.Cols, y.Cols
	for p := 0; p == 0 || p < a; p += blockDepth {
		k := min(blockDepth, a-p)
		xs := x.Columns(p, p+k)
		for j := 0; j < b; j += t.cols {
			s := t.panel(w, p, j, a, b)
			s.k = k
			if j == 0 && x.Stride == k {
				s.flags |= stripAhead
			}
			if p > 0 {
				s.flags |= stripAdd
			}
			if p+k == a {
				s.finish(e, j)
				s.later = t.ask(e.tail, j, b, s.k)
			}
			t.run(&s, xs, y.Columns(j, j+s.cols))
		}
	}
	if !inRegisters(e.fn.Kind) {
		e.values.apply(e.fn, y)
	}
}

// panel starts the strip of the panel at column j of an a×b operand, from its row p on.
func (t strips) panel(w right, p, j, a, b int) strip {
	s := strip{cols: min(t.cols, b-j)}
	next := 0 // from a panel to the next
	if j < w.from {
		s.b, s.ldb, next = address(w.matrix, p, j), w.matrix.Stride, t.cols
	} else {
		s.ldb, next = t.width(j, b), t.cols*a
		at := (j-w.from)*a + p*s.ldb
		s.b = unsafe.SliceData(w.packed[min(at, len(w.packed)):])
	}
	if j+2*t.cols <= b {
		s.ahead = next
	}
	return s
}

// asked is what a strip asks for beside its operands, some values per step over k.
type asked struct {
	data []float32
	each int
}

// ask returns the share of the panel at column j, of b, in what the tail reads after
// the product. Asked for in one burst it would hold up the product, and not asked
// for, the tail.
func (t strips) ask(tail operandRows, j, b, k int) asked {
	wide := (b + t.cols - t.lanes - 1) / t.cols // the panels that ask
	panel, n := j/t.cols, tail.n
	if n == 0 || k == 0 || panel >= wide {
		return asked{}
	}
	i := panel * n / wide
	first, end := (i*wide+n-1)/n, ((i+1)*wide+n-1)/n
	m := tail.of[i]
	data := m.Data[:min(len(m.Data), m.Rows*m.Stride)]
	lo, hi := len(data)*(panel-first)/(end-first), len(data)*(panel-first+1)/(end-first)
	tiles := (m.Rows + t.height - 1) / t.height
	return asked{data[lo:hi], min(t.cols, (hi-lo+tiles*k-1)/(tiles*k))}
}

// next returns what is asked for some steps later.
func (a asked) next(steps int) asked {
	return asked{a.data[min(steps*a.each, len(a.data)):], a.each}
}

// inRegisters reports whether strips apply a function.
func inRegisters(f FuncKind) bool { return f == Identity || f == ReLU || f == LeakyReLU }

// finish adds the epilogue of the columns from j on.
func (s *strip) finish(e epilogue, j int) {
	if e.bias.Rows != 0 {
		s.bias = address(e.bias, 0, j)
	}
	switch e.fn.Kind {
	case ReLU:
		s.flags |= stripReLU
	case LeakyReLU:
		s.flags |= stripLeakyReLU
		s.slope = e.fn.Param
	}
}

// turnedStride is the row length of a transposed operand as it is packed, a
// little more than a power of two.
const turnedStride = blockRows + 16

// multiplyTN computes w = xᵀ·g in blocks of rows. It reads both operands where
// they are, or packs a block of x, if that pays, and a last panel of g that no
// whole vectors hold.
func (t strips) multiplyTN(x, g slab, w tensor.Matrix, buffer []float32) {
	n, turned := x.matrix.Rows, w.Cols >= t.turned*t.cols
	panel, xt := buffer[:blockRows*t.cols], buffer[blockRows*t.cols:]
	for lo := 0; lo == 0 || lo < n; lo += blockRows {
		hi := min(lo+blockRows, n)
		s := strip{k: hi - lo}
		if lo > 0 {
			s.flags |= stripAdd
		}
		xs := x.rows(lo, hi)
		if turned {
			t.turn(xt, turnedStride, xs)
			xs = tensor.Matrix{Rows: w.Rows, Cols: s.k, Stride: turnedStride, Data: xt}
		} else {
			s.flags |= stripTransposed
		}
		t.multiplyBlock(s, xs, g.rows(lo, hi), w, panel)
	}
}

// multiplyBlock multiplies one block of rows as s begins.
func (t strips) multiplyBlock(s strip, x, g, w tensor.Matrix, panel []float32) {
	b := w.Cols
	for j := 0; j < b; j += t.cols {
		s := s
		s.cols = min(t.cols, b-j)
		if j == 0 && s.flags&stripTransposed != 0 {
			s.flags |= stripAhead
		}
		if j >= t.ragged(b) && !t.masked {
			s.b, s.ldb = unsafe.SliceData(panel), t.width(j, b)
			packColumns(panel, s.ldb, g.Columns(j, b))
		} else {
			s.b, s.ldb, s.ahead = address(g, 0, j), g.Stride, t.cols
			if j+2*t.cols > b { // on to the next block
				s.ahead = s.k*s.ldb - j
			}
		}
		t.run(&s, x, w.Columns(j, j+s.cols))
	}
}

// Rows that are multiples of 4 KiB apart share one set of the first-level cache,
// of 8 or 12 lines: a tile reads no more of them at once.
const (
	setStride = 1024 // values
	setRows   = 8
)

// run computes y, of the left operand x, in tiles of about equal height.
func (t strips) run(s *strip, x, y tensor.Matrix) {
	most := t.height
	if x.Stride%setStride == 0 && s.flags&stripTransposed == 0 {
		most = min(most, setRows)
	}
	tiles := (y.Rows + most - 1) / most
	if tiles == 0 {
		return
	}
	height, taller := y.Rows/tiles, y.Rows%tiles
	t.runTiles(s, x, y, 0, taller, height+1)
	t.runTiles(s, x, y, taller*(height+1), tiles-taller, height)
}

// runTiles computes some tiles of one height from row i of y on.
func (t strips) runTiles(s *strip, x, y tensor.Matrix, i, tiles, height int) {
	if tiles == 0 {
		return
	}
	run := t.narrow
	if s.cols > t.lanes {
		run = t.wide
	}
	a := address(x, i, 0)
	if s.flags&stripTransposed != 0 {
		a = address(x, 0, i)
	}
	later := s.b
	if len(s.later.data) > 0 {
		later = &s.later.data[0]
	}
	run(s.flags, tiles, height, s.cols, s.k, a, 4*x.Stride, s.b, 4*s.ldb, 4*s.ahead, address(y, i, 0), 4*y.Stride, s.bias, s.slope,
		later, 4*s.later.each)
	s.later = s.later.next(tiles * s.k)
}

// address returns the address of a value of m, or of nothing where m is empty.
func address(m tensor.Matrix, i, j int) *float32 {
	return unsafe.SliceData(m.Data[min(i*m.Stride+j, len(m.Data)):])
}

// transpose packs the transpose of w as one panel.
func (t strips) transpose(panel []float32, width int, w tensor.Matrix) {
	if w.Rows < width {
		clear(panel[:width*w.Cols])
	}
	t.turn(panel, width, w)
}

// turn writes each row of w as a column of rows width values apart: in squares,
// and value by value what is left over beside and below them.
func (t strips) turn(dst []float32, width int, w tensor.Matrix) {
	if w.Cols == 0 {
		return
	}
	rows, cols := w.Rows/t.lanes*t.lanes, w.Cols/t.lanes*t.lanes
	if cols > 0 {
		for i := 0; i < rows; i += t.lanes {
			t.square(cols/t.lanes, address(w, i, 0), 4*w.Stride, &dst[i], 4*width)
		}
	}
	scatter(dst[cols*width:], width, w.Between(0, rows).Columns(cols, w.Cols))
	if rows < w.Rows {
		scatter(dst[rows:], width, w.Between(rows, w.Rows))
	}
}
