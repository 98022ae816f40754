//go:build (amd64 || arm64) && !noasm

package kernel

import (
	"unsafe"

	"github.com/weft-gnn/weft/tensor"
)

// sums holds, by their number of vectors or at wholeLine, the functions of one variant.
type sums struct {
	plain    []sumPlain
	ended    []sumEnded
	part     []sumPart
	inOrder  []sumInOrder
	weighted []sumOfWeighted
	heads    []sumOfHeads
}

type (
	sumInOrder func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy, tail int)
	sumPlain   func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy, tail int,
		other *int32, ahead, lastByte int)
	sumEnded func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy, tail int,
		other *int32, ahead, lastByte, row int, ends *int64)
	sumPart       func(rows int, from, to *int64, x *float32, ldx int, y *float32, ldy, tail int, other *int32)
	sumOfWeighted func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy, tail int,
		other *int32, ahead, lastByte int, pos *uint32, w *float32, ldw int)
	sumOfHeads func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy, tail int,
		other *int32, ahead, lastByte int, pos *uint32, w *float32, ldw, heads int, lane *uint32)
)

// neighbours sums the rows of x of each row's neighbours, edges those of its edges.
func (s *sums) neighbours(c *call, ptr []int64, y tensor.Matrix) {
	s.named(c, neighbourIndex(c.seg), ptr, y)
}

func (s *sums) edges(c *call, ptr []int64, y tensor.Matrix) {
	if c.seg.pos != nil {
		s.named(c, (*int32)(unsafe.Pointer(unsafe.SliceData(c.seg.pos))), ptr, y)
		return
	}
	if y.Rows == 0 {
		return
	}
	for _, p := range c.passes {
		x, ldx := place(c.x, 0, p.from)
		dst, ldy := place(y, 0, p.from)
		s.inOrder[p.vectors](y.Rows, &ptr[0], x, ldx, dst, ldy, p.tail)
	}
}

// named sums the rows of x that an index names.
func (s *sums) named(c *call, other *int32, ptr []int64, y tensor.Matrix) {
	c.rowsAhead(ptr, y, func(ptr *int64, y tensor.Matrix, ahead int) {
		for _, p := range c.passes {
			x, ldx := place(c.x, 0, p.from)
			dst, ldy := place(y, 0, p.from)
			s.plain[c.loop(p)](y.Rows, ptr, x, ldx, dst, ldy, p.tail, other, ahead, p.lastByte())
		}
	})
}

// neighboursEnded is neighbours with the call's ends.
func (s *sums) neighboursEnded(c *call, ptr []int64, y tensor.Matrix, first int) {
	if len(c.passes) == 0 {
		return
	}
	other := neighbourIndex(c.seg)
	c.seg.splitAhead(ptr, ahead(c.passes[0].cols), func(from, to, ahead int) {
		for i, p := range c.passes {
			x, ldx := place(c.x, 0, p.from)
			dst, ldy := place(y, int64(from), p.from)
			ends := (*int64)(unsafe.Pointer(&c.ends[i]))
			s.ended[c.loop(p)](to-from, &ptr[from], x, ldx, dst, ldy, p.tail, other, ahead, p.lastByte(), first+from, ends)
		}
	})
}

// parts adds the rows of x that positions from[i] to to[i] name to row i of y.
func (s *sums) parts(c *call, from, to []int64, y tensor.Matrix) {
	if y.Rows == 0 {
		return
	}
	for _, p := range c.passes {
		x, ldx := place(c.x, 0, p.from)
		dst, ldy := place(y, 0, p.from)
		s.part[p.vectors](y.Rows, &from[0], &to[0], x, ldx, dst, ldy, p.tail, neighbourIndex(c.seg))
	}
}

// weighed sums weighted rows of x.
func (s *sums) weighed(c *call, ptr []int64, y tensor.Matrix) {
	other, pos := neighbourIndex(c.seg), unsafe.SliceData(c.seg.pos)
	c.rowsAhead(ptr, y, func(ptr *int64, y tensor.Matrix, ahead int) {
		for _, p := range c.passes {
			x, ldx := place(c.x, 0, p.from)
			dst, ldy := place(y, 0, p.from)
			w, ldw := place(c.y, 0, p.head)
			if p.lane == nil {
				s.weighted[p.vectors](y.Rows, ptr, x, ldx, dst, ldy, p.tail, other, ahead, p.lastByte(), pos, w, ldw)
			} else {
				s.heads[p.vectors](y.Rows, ptr, x, ldx, dst, ldy, p.tail, other, ahead, p.lastByte(), pos, w, ldw, p.heads, &p.lane[0])
			}
		}
	})
}

// narrowSums holds, by their number of vectors, the sums of rows in bfloat16.
type narrowSums struct {
	plain    []sumPlain
	part     []sumPart
	weighted []sumOfWeighted
}

// loops returns the sums of neighbours, of parts of them, and of weighted ones.
func (s *narrowSums) loops() narrowLoops {
	return narrowLoops{
		neighbours: func(c *call, ptr []int64, y tensor.Matrix) {
			c.rowsAhead(ptr, y, func(ptr *int64, y tensor.Matrix, ahead int) {
				for _, p := range c.passes {
					x, ldx := place(c.x, 0, p.from/2)
					dst, ldy := place(y, 0, p.from)
					s.plain[p.vectors](y.Rows, ptr, x, ldx, dst, ldy, p.tail, neighbourIndex(c.seg), ahead, 2*p.cols-1)
				}
			})
		},
		part: func(c *call, from, to []int64, y tensor.Matrix) {
			for _, p := range c.passes {
				if y.Rows > 0 {
					x, ldx := place(c.x, 0, p.from/2)
					dst, ldy := place(y, 0, p.from)
					s.part[p.vectors](y.Rows, &from[0], &to[0], x, ldx, dst, ldy, p.tail, neighbourIndex(c.seg))
				}
			}
		},
		weighted: func(c *call, ptr []int64, y tensor.Matrix) {
			pos := unsafe.SliceData(c.seg.pos)
			w, ldw := place(c.y, 0, 0)
			c.rowsAhead(ptr, y, func(ptr *int64, y tensor.Matrix, ahead int) {
				for _, p := range c.passes {
					x, ldx := place(c.x, 0, p.from/2)
					dst, ldy := place(y, 0, p.from)
					s.weighted[p.vectors](y.Rows, ptr, x, ldx, dst, ldy, p.tail, neighbourIndex(c.seg), ahead, 2*p.cols-1, pos, w, ldw)
				}
			})
		},
	}
}

// wholeLine is, among the functions by their number of vectors, the place of the
// one for rows that fill a cache line each: it masks no lanes and asks for one line
// a row.
const wholeLine = 0

// loop returns which function sums a pass.
func (c *call) loop(p pass) int {
	if p.vectors != 1 || p.cols != lineValues {
		return p.vectors
	}
	if x, ldx := place(c.x, 0, p.from); (uintptr(unsafe.Pointer(x))|uintptr(ldx))%(4*lineValues) != 0 {
		return p.vectors
	}
	return wholeLine
}

func neighbourIndex(s segments) *int32 { return unsafe.SliceData(s.other) }

// place returns the address of a value and the bytes from its row to the next.
func place(m tensor.Matrix, row int64, col int) (*float32, int) {
	at := int(row)*m.Stride + col
	return unsafe.SliceData(m.Data[min(at, len(m.Data)):]), 4 * m.Stride
}
