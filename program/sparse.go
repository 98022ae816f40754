package program

import (
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// SparseMatrix holds the entries of a matrix that are not zero: features such
// as bags of words. Block has a destination per row and a source per column,
// one edge per entry; Values has a row per entry.
type SparseMatrix struct {
	Block  *graph.Block
	Values tensor.Matrix
}

// SparseOf returns the entries of x that are not zero.
//
// Cost: one pass over x.
func SparseOf(x tensor.Matrix) SparseMatrix {
	b := &graph.Block{Dst: x.Rows, Src: x.Cols, Ptr: make([]int64, x.Rows+1)}
	var values []float32
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			if v != 0 {
				b.Col = append(b.Col, int32(j))
				values = append(values, v)
			}
		}
		b.Ptr[i+1] = int64(len(values))
	}
	return SparseMatrix{b, tensor.Of(len(values), 1, values)}
}

// Nonzeros counts the entries of x that are not zero.
func Nonzeros(x tensor.Matrix) int64 {
	n := int64(0)
	for i := range x.Rows {
		for _, v := range x.Row(i) {
			if v != 0 {
				n++
			}
		}
	}
	return n
}
