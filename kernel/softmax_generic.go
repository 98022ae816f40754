package kernel

import (
	"math"

	"github.com/weft-gnn/weft/tensor"
)

// column is one column of consecutive rows: every step-th of values.
type column struct {
	values []float32
	step   int
}

// columnOf views column h of rows lo to hi, lo < hi.
func columnOf(m tensor.Matrix, lo, hi int64, h int) column {
	return column{m.Data[int(lo)*m.Stride+h : int(hi-1)*m.Stride+h+1], m.Stride}
}

// maxColumn returns the largest value that is a number. A NaN need not win: the
// sum of the exponentials is NaN as well, and everything is divided by it.
func maxColumn(x column) float32 {
	top := float32(math.Inf(-1))
	for i := 0; i < len(x.values); i += x.step {
		if v := x.values[i]; v > top {
			top = v
		}
	}
	return top
}

// expColumn sets y to exp(x − top) and returns its sum.
func expColumn(y, x column, top float32) (sum float32) {
	j := 0
	for i := 0; i < len(x.values); i += x.step {
		v := exp(x.values[i] - top)
		y.values[j] = v
		sum += v
		j += y.step
	}
	return sum
}

// divide divides y by sum.
func divide(y column, sum float32) {
	for i := 0; i < len(y.values); i += y.step {
		y.values[i] /= sum
	}
}

// dotColumn returns Σ y·g.
func dotColumn(y, g column) (sum float32) {
	j := 0
	for i := 0; i < len(y.values); i += y.step {
		sum += y.values[i] * g.values[j]
		j += g.step
	}
	return sum
}

// weighColumn sets d to y·(g − sum).
func weighColumn(d, y, g column, sum float32) {
	j, k := 0, 0
	for i := 0; i < len(y.values); i += y.step {
		d.values[k] = y.values[i] * (g.values[j] - sum)
		j += g.step
		k += d.step
	}
}
