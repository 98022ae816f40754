package kernel

import (
	"math"

	"github.com/weft-gnn/weft/tensor"
)

// softmaxRows normalises rows lo to hi.
func softmaxRows(c *call, lo, hi int) {
	for r := lo; r < hi; r++ {
		from, to := c.seg.ptr[r], c.seg.ptr[r+1]
		if from == to {
			continue
		}
		for h := range c.dst.Cols {
			x, y := columnOf(c.x, from, to, h), columnOf(c.dst, from, to, h)
			divide(y, expColumn(y, x, maxColumn(x)))
		}
	}
}

func softmaxChunkMax(c *call, slot int, k chunk) {
	for h := range c.dst.Cols {
		c.slot(slot)[h] = maxColumn(columnOf(c.x, k.span[0], k.span[1], h))
	}
}

func softmaxChunkExp(c *call, slot int, k chunk) {
	for h, top := range c.slot(slot) {
		c.slot(slot)[h] = expColumn(columnOf(c.dst, k.span[0], k.span[1], h), columnOf(c.x, k.span[0], k.span[1], h), top)
	}
}

func softmaxChunkDivide(c *call, slot int, k chunk) {
	for h, sum := range c.slot(slot) {
		divide(columnOf(c.dst, k.span[0], k.span[1], h), sum)
	}
}

// softmaxGradRows computes the gradients of rows lo to hi.
func softmaxGradRows(c *call, lo, hi int) {
	for r := lo; r < hi; r++ {
		from, to := c.seg.ptr[r], c.seg.ptr[r+1]
		if from == to {
			continue
		}
		for h := range c.dst.Cols {
			y, g := columnOf(c.x, from, to, h), columnOf(c.y, from, to, h)
			weighColumn(columnOf(c.dst, from, to, h), y, g, dotColumn(y, g))
		}
	}
}

func softmaxChunkSum(c *call, slot int, k chunk) {
	for h := range c.dst.Cols {
		c.slot(slot)[h] = dotColumn(columnOf(c.x, k.span[0], k.span[1], h), columnOf(c.y, k.span[0], k.span[1], h))
	}
}

func softmaxChunkWeigh(c *call, slot int, k chunk) {
	for h, sum := range c.slot(slot) {
		weighColumn(columnOf(c.dst, k.span[0], k.span[1], h), columnOf(c.x, k.span[0], k.span[1], h), columnOf(c.y, k.span[0], k.span[1], h), sum)
	}
}

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
