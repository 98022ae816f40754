// Package ref holds slow and obvious float64 versions of what weft computes,
// as oracles for tests. Each uses another algorithm than the code it checks:
// graphs are dense incidence matrices, softmax is a sum of ratios, winners are
// found by sorting.
package ref

import (
	"fmt"
	"math"

	"github.com/weft-gnn/weft/tensor"
)

// Matrix is a dense matrix; row i is V[i*Cols : (i+1)*Cols].
type Matrix struct {
	Rows, Cols int
	V          []float64
}

// New returns a zero matrix.
func New(rows, cols int) Matrix {
	return Matrix{Rows: rows, Cols: cols, V: make([]float64, rows*cols)}
}

// Of converts a matrix.
func Of(m tensor.Matrix) Matrix {
	d := New(m.Rows, m.Cols)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			d.Set(i, j, float64(v))
		}
	}
	return d
}

// Full returns a matrix whose values are all v.
func Full(rows, cols int, v float64) Matrix {
	return New(rows, cols).Map(func(float64) float64 { return v })
}

// At returns the value in row i and column j.
func (m Matrix) At(i, j int) float64 { return m.V[i*m.Cols+j] }

// Set sets the value in row i and column j.
func (m Matrix) Set(i, j int, v float64) { m.V[i*m.Cols+j] = v }

// Row returns row i, aliasing the matrix.
func (m Matrix) Row(i int) []float64 { return m.V[i*m.Cols : (i+1)*m.Cols] }

// Map returns f of every value.
func (m Matrix) Map(f func(float64) float64) Matrix {
	d := New(m.Rows, m.Cols)
	for i, v := range m.V {
		d.V[i] = f(v)
	}
	return d
}

// Zip returns f of every pair of values of two matrices of one shape.
func (m Matrix) Zip(n Matrix, f func(a, b float64) float64) Matrix {
	m.mustMatch(n, m.Rows == n.Rows && m.Cols == n.Cols)
	d := New(m.Rows, m.Cols)
	for i, v := range m.V {
		d.V[i] = f(v, n.V[i])
	}
	return d
}

// Add returns m + n.
func (m Matrix) Add(n Matrix) Matrix {
	return m.Zip(n, func(a, b float64) float64 { return a + b })
}

// Had returns the product value by value, m ⊙ n.
func (m Matrix) Had(n Matrix) Matrix {
	return m.Zip(n, func(a, b float64) float64 { return a * b })
}

// Scale returns s·m.
func (m Matrix) Scale(s float64) Matrix {
	return m.Map(func(v float64) float64 { return s * v })
}

// T returns the transpose.
func (m Matrix) T() Matrix {
	d := New(m.Cols, m.Rows)
	for i := range m.Rows {
		for j := range m.Cols {
			d.Set(j, i, m.At(i, j))
		}
	}
	return d
}

// Mul returns m·n as a sum of outer products, skipping the zeros of m, so that
// products with incidence matrices stay affordable.
func (m Matrix) Mul(n Matrix) Matrix {
	m.mustMatch(n, m.Cols == n.Rows)
	d := New(m.Rows, n.Cols)
	for p := range m.Cols {
		for i := range m.Rows {
			if v := m.At(i, p); v != 0 {
				for j, w := range n.Row(p) {
					d.V[i*d.Cols+j] += v * w
				}
			}
		}
	}
	return d
}

// Columns returns columns lo to hi.
func (m Matrix) Columns(lo, hi int) Matrix {
	d := New(m.Rows, hi-lo)
	for i := range m.Rows {
		copy(d.Row(i), m.Row(i)[lo:hi])
	}
	return d
}

// Beside returns m and n side by side.
func (m Matrix) Beside(n Matrix) Matrix {
	m.mustMatch(n, m.Rows == n.Rows)
	d := New(m.Rows, m.Cols+n.Cols)
	for i := range m.Rows {
		copy(d.Row(i), m.Row(i))
		copy(d.Row(i)[m.Cols:], n.Row(i))
	}
	return d
}

// Heads returns the H×k matrix of ones and zeros that sums the columns of each
// of H heads of k columns: x·Headsᵀ sums them, s·Heads spreads them.
func Heads(heads, k int) Matrix {
	d := New(heads, k)
	for j := range k {
		d.Set(j/(k/heads), j, 1)
	}
	return d
}

// Sum returns the sum of all values.
func (m Matrix) Sum() (s float64) {
	for _, v := range m.V {
		s += v
	}
	return s
}

// Dot returns Σ m ⊙ n.
func (m Matrix) Dot(n Matrix) float64 { return m.Had(n).Sum() }

// MaxAbs returns the largest magnitude, 0 of nothing.
func (m Matrix) MaxAbs() (top float64) {
	for _, v := range m.V {
		top = math.Max(top, math.Abs(v))
	}
	return top
}

func (m Matrix) mustMatch(n Matrix, ok bool) {
	if !ok {
		panic(fmt.Sprintf("ref: %d×%d and %d×%d", m.Rows, m.Cols, n.Rows, n.Cols))
	}
}
