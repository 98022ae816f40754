package kernel

import (
	"fmt"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// wantShape panics unless m is rows × cols in float32. What names the kernel and
// operand.
func wantShape(what string, m tensor.Matrix, rows, cols int) {
	if m.Rows != rows || m.Cols != cols || m.BFloat16 {
		panic(tensor.ShapeError{Op: what, Got: m.String(), Want: fmt.Sprintf("%d×%d", rows, cols)})
	}
}

// wantStored is wantShape for what may be stored in bfloat16.
func wantStored(what string, m tensor.Matrix, rows, cols int) {
	m.BFloat16 = false
	wantShape(what, m, rows, cols)
}

// wantLen panics unless got is want.
func wantLen(what string, got, want int) {
	if got != want {
		panic(tensor.ShapeError{Op: what, Got: fmt.Sprint(got, " entries"), Want: fmt.Sprint(want)})
	}
}

// wantHeads panics unless heads is at least 1 and divides cols.
func wantHeads(what string, cols, heads int) {
	if heads < 1 || cols%heads != 0 {
		panic(tensor.ShapeError{Op: what, Got: fmt.Sprintf("%d columns, %d heads", cols, heads), Want: "heads that divide the columns"})
	}
}

// vertices returns how many vertices of a block an end ranges over.
func vertices(b *graph.Block, end End) int {
	if end == Src {
		return b.Src
	}
	return b.Dst
}

// block returns rows i to i+n of m as one slice; n is above 1 only where the
// rows follow each other.
func block(m tensor.Matrix, i, n int) []float32 {
	lo := i * m.Stride
	hi := lo + (n-1)*m.Stride + m.Cols
	return m.Data[lo:hi:hi]
}
