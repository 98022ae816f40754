// Package tensor holds dense float32 matrices and the arenas they are drawn from.
//
// Everything that weft computes is a matrix with one row per vertex, edge or
// graph, row-major. Matrices are views: copying one copies three words.
package tensor

import (
	"fmt"
	"math"
)

// Matrix is a row-major view of Rows × Cols values; row i is
// Data[i*Stride : i*Stride+Cols]. The zero Matrix is empty.
//
// Values may be stored in bfloat16, the upper half of a float32: two to a word of
// Data, the lower one first, Words to a row. Kernels that read or write such a
// matrix say so; its rows are no slices of numbers.
type Matrix struct {
	Rows, Cols int
	Stride     int // in words of Data, at least Words; equal where the matrix is contiguous
	Data       []float32
	BFloat16   bool
}

// New returns a zeroed contiguous rows × cols matrix on the Go heap.
func New(rows, cols int) Matrix {
	return Matrix{Rows: rows, Cols: cols, Stride: cols, Data: make([]float32, rows*cols)}
}

// Of views data as a contiguous rows × cols matrix. It panics with a
// [ShapeError] when len(data) is not rows·cols.
func Of(rows, cols int, data []float32) Matrix {
	if len(data) != rows*cols {
		panic(ShapeError{Op: "tensor.Of", Got: fmt.Sprint(len(data), " values"), Want: fmt.Sprintf("%d×%d", rows, cols)})
	}
	return Matrix{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// AsBFloat16 views the words of m as rows of cols values in bfloat16. It panics
// with a [ShapeError] when these do not fill its words.
func (m Matrix) AsBFloat16(cols int) Matrix {
	v := m
	v.Cols, v.BFloat16 = cols, true
	if m.BFloat16 || v.Words() != m.Cols {
		panic(ShapeError{Op: "tensor.AsBFloat16", Got: m.String(), Want: fmt.Sprintf("%d words a row for %d values", v.Words(), cols)})
	}
	return v
}

// AsWords views a matrix in bfloat16 as one of its words, and any other as it is.
func (m Matrix) AsWords() Matrix {
	m.Cols, m.BFloat16 = m.Words(), false
	return m
}

// Words returns how many words of Data the values of a row take.
func (m Matrix) Words() int {
	if m.BFloat16 {
		return (m.Cols + 1) / 2
	}
	return m.Cols
}

// Row returns row i, aliasing the matrix, which is one of float32.
func (m Matrix) Row(i int) []float32 {
	if m.BFloat16 {
		panic("tensor: a row in bfloat16 is no slice of float32")
	}
	o := i * m.Stride
	return m.Data[o : o+m.Cols : o+m.Cols]
}

// Between returns rows lo to hi, which share memory with m.
func (m Matrix) Between(lo, hi int) Matrix {
	v := Matrix{Rows: hi - lo, Cols: m.Cols, Stride: m.Stride, BFloat16: m.BFloat16}
	if hi > lo {
		v.Data = m.Data[lo*m.Stride : (hi-1)*m.Stride+m.Words()]
	}
	return v
}

// Columns returns columns lo to hi of a matrix of float32, which share memory with m.
func (m Matrix) Columns(lo, hi int) Matrix {
	v := Matrix{Rows: m.Rows, Cols: hi - lo, Stride: m.Stride}
	if m.Rows > 0 {
		v.Data = m.Data[lo : (m.Rows-1)*m.Stride+hi]
	}
	return v
}

// Contiguous reports whether rows follow each other without padding.
func (m Matrix) Contiguous() bool { return m.Stride == m.Words() || m.Rows <= 1 }

// Flat returns the values of a contiguous matrix as one slice, aliasing it. It panics
// with a [ShapeError] where rows lie apart.
func (m Matrix) Flat() []float32 {
	if !m.Contiguous() {
		panic(ShapeError{Op: "tensor.Flat", Got: fmt.Sprintf("%v with rows %d words apart", m, m.Stride), Want: "rows without padding"})
	}
	return m.Data[: m.Rows*m.Cols : m.Rows*m.Cols]
}

func (m Matrix) String() string {
	if m.BFloat16 {
		return fmt.Sprintf("%d×%d in bfloat16", m.Rows, m.Cols)
	}
	return fmt.Sprintf("%d×%d", m.Rows, m.Cols)
}

// ShapeError is the one error that misused shapes raise, as a panic inside
// kernels and as a returned error from public entries.
type ShapeError struct {
	Op, Got, Want string
}

func (e ShapeError) Error() string {
	return fmt.Sprintf("%s: got %s, want %s", e.Op, e.Got, e.Want)
}

// Clone returns a contiguous copy on the Go heap.
func (m Matrix) Clone() Matrix {
	c := New(m.Rows, m.Cols)
	for i := range m.Rows {
		copy(c.Row(i), m.Row(i))
	}
	return c
}

// Equal reports whether two matrices have the same shape and the same bits:
// NaN equals itself, 0 and −0 differ. Strides may differ.
func (m Matrix) Equal(o Matrix) bool {
	if m.Rows != o.Rows || m.Cols != o.Cols {
		return false
	}
	for i := range m.Rows {
		p, q := m.Row(i), o.Row(i)
		for j := range p {
			if math.Float32bits(p[j]) != math.Float32bits(q[j]) {
				return false
			}
		}
	}
	return true
}

// NonFinite returns the place of the first value, row by row, that is NaN or
// infinite; found is false where there is none.
func (m Matrix) NonFinite() (row, col int, found bool) {
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			if v-v != 0 { // 0 for every finite number
				return i, j, true
			}
		}
	}
	return 0, 0, false
}
