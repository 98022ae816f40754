//go:build amd64 && !noasm

package kernel

import (
	"unsafe"

	"github.com/weft-gnn/weft/tensor"
)

// sums holds, by their number of vectors, the functions of one variant.
type sums struct {
	plain    []sumPlain
	part     []sumPart
	inOrder  []sumInOrder
	weighted []sumOfWeighted
	heads    []sumOfHeads
}

type (
	sumInOrder func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy, tail int)
	sumPlain   func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy, tail int,
		other *int32, ahead, lastByte int)
	sumPart       func(rows int, from, to *int64, x *float32, ldx int, y *float32, ldy, tail int, other *int32)
	sumOfWeighted func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy, tail int,
		other *int32, ahead, lastByte int, pos *uint32, w *float32, ldw int)
	sumOfHeads func(rows int, ptr *int64, x *float32, ldx int, y *float32, ldy, tail int,
		other *int32, ahead, lastByte int, pos *uint32, w *float32, ldw, heads int, lane *uint32)
)

var sumsAVX2 = sums{
	plain:    []sumPlain{1: sumAVX2x1, 2: sumAVX2x2, 3: sumAVX2x3, 4: sumAVX2x4, 5: sumAVX2x5, 6: sumAVX2x6, 7: sumAVX2x7, 8: sumAVX2x8, 12: sumAVX2x12},
	part:     []sumPart{1: sumPartAVX2x1, 2: sumPartAVX2x2, 3: sumPartAVX2x3, 4: sumPartAVX2x4, 5: sumPartAVX2x5, 6: sumPartAVX2x6, 7: sumPartAVX2x7, 8: sumPartAVX2x8, 12: sumPartAVX2x12},
	inOrder:  []sumInOrder{1: sumInOrderAVX2x1, 2: sumInOrderAVX2x2, 3: sumInOrderAVX2x3, 4: sumInOrderAVX2x4, 5: sumInOrderAVX2x5, 6: sumInOrderAVX2x6, 7: sumInOrderAVX2x7, 8: sumInOrderAVX2x8, 12: sumInOrderAVX2x12},
	weighted: []sumOfWeighted{1: sumWeightedAVX2x1, 2: sumWeightedAVX2x2, 3: sumWeightedAVX2x3, 4: sumWeightedAVX2x4, 5: sumWeightedAVX2x5, 6: sumWeightedAVX2x6, 7: sumWeightedAVX2x7, 8: sumWeightedAVX2x8, 12: sumWeightedAVX2x12},
	heads:    []sumOfHeads{1: sumHeadsAVX2x1, 2: sumHeadsAVX2x2, 3: sumHeadsAVX2x3, 4: sumHeadsAVX2x4, 5: sumHeadsAVX2x5, 6: sumHeadsAVX2x6, 7: sumHeadsAVX2x7, 8: sumHeadsAVX2x8},
}

var sumsAVX512 = sums{
	plain:    []sumPlain{1: sumAVX512x1, 2: sumAVX512x2, 3: sumAVX512x3, 4: sumAVX512x4, 5: sumAVX512x5, 6: sumAVX512x6, 7: sumAVX512x7, 8: sumAVX512x8, 16: sumAVX512x16},
	part:     []sumPart{1: sumPartAVX512x1, 2: sumPartAVX512x2, 3: sumPartAVX512x3, 4: sumPartAVX512x4, 5: sumPartAVX512x5, 6: sumPartAVX512x6, 7: sumPartAVX512x7, 8: sumPartAVX512x8, 16: sumPartAVX512x16},
	inOrder:  []sumInOrder{1: sumInOrderAVX512x1, 2: sumInOrderAVX512x2, 3: sumInOrderAVX512x3, 4: sumInOrderAVX512x4, 5: sumInOrderAVX512x5, 6: sumInOrderAVX512x6, 7: sumInOrderAVX512x7, 8: sumInOrderAVX512x8, 16: sumInOrderAVX512x16},
	weighted: []sumOfWeighted{1: sumWeightedAVX512x1, 2: sumWeightedAVX512x2, 3: sumWeightedAVX512x3, 4: sumWeightedAVX512x4, 5: sumWeightedAVX512x5, 6: sumWeightedAVX512x6, 7: sumWeightedAVX512x7, 8: sumWeightedAVX512x8, 16: sumWeightedAVX512x16},
	heads:    []sumOfHeads{1: sumHeadsAVX512x1, 2: sumHeadsAVX512x2, 3: sumHeadsAVX512x3, 4: sumHeadsAVX512x4, 5: sumHeadsAVX512x5, 6: sumHeadsAVX512x6, 7: sumHeadsAVX512x7, 8: sumHeadsAVX512x8},
}

// sumPasses sums the rows of x that other names.
func sumPasses(c *call, s *sums, other *int32, ptr []int64, y tensor.Matrix) {
	c.rowsAhead(ptr, y, func(ptr *int64, y tensor.Matrix, ahead int) {
		for _, p := range c.passes {
			x, ldx := place(c.x, 0, p.from)
			dst, ldy := place(y, 0, p.from)
			s.plain[p.vectors](y.Rows, ptr, x, ldx, dst, ldy, p.tail, other, ahead, p.lastByte())
		}
	})
}

// sumPartPasses adds the rows of x that positions from[i] to to[i] name to row i of y.
func sumPartPasses(c *call, s *sums, from, to []int64, y tensor.Matrix) {
	if y.Rows == 0 {
		return
	}
	for _, p := range c.passes {
		x, ldx := place(c.x, 0, p.from)
		dst, ldy := place(y, 0, p.from)
		s.part[p.vectors](y.Rows, &from[0], &to[0], x, ldx, dst, ldy, p.tail, neighbourIndex(c.seg))
	}
}

// sumEdgePasses sums the rows of x of each row's edges.
func sumEdgePasses(c *call, s *sums, ptr []int64, y tensor.Matrix) {
	if c.seg.pos != nil {
		sumPasses(c, s, (*int32)(unsafe.Pointer(unsafe.SliceData(c.seg.pos))), ptr, y)
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

func sumWeightedPasses(c *call, s *sums, ptr []int64, y tensor.Matrix) {
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

func neighbourIndex(s segments) *int32 { return unsafe.SliceData(s.other) }
