package dataset

import (
	"io"

	"github.com/weft-gnn/weft/tensor"
)

// WriteNPY writes a matrix as NumPy's .npy: little-endian float32, row-major.
func WriteNPY(w io.Writer, m tensor.Matrix) error {
	return writeNPY(w, []int{m.Rows, m.Cols}, matrixRows(m))
}

// WriteIDsNPY writes integers, such as [IDs.Int], as a one-dimensional .npy of
// little-endian int64.
func WriteIDsNPY(w io.Writer, ids []int64) error {
	return writeNPY(w, []int{len(ids)}, chunk(ids))
}
