package kernel

import (
	"math"

	"github.com/weft-gnn/weft/tensor"
)

// Narrow stores X in bfloat16: Y = X, each value rounded to the nearest that its
// upper 16 bits can hold, ties to even.
//
// Shapes: x is r×k in float32, y r×k in bfloat16.
// Contract: overwrites y, which does not overlap x; what is left of a row's last
// word is 0. Values beyond the largest finite one round to ±Inf, subnormal ones
// keep what fits, and a NaN stays one: quiet, with its sign and the upper bits of
// its payload.
// Cost: work 0, since storing is a move; bytes 6rk.
func Narrow(ctx *Ctx, x, y tensor.Matrix) {
	wantShape("kernel.Narrow: x", x, y.Rows, y.Cols)
	wantBFloat16("kernel.Narrow: y", y)
	n := ctx.byRow(ctx.values().rows.narrow, x, x, y, y.Cols, 0)
	ctx.Count.Add(0, 6*n*int64(y.Cols))
}

// Widen reads X, stored in bfloat16, exactly: Y = X.
//
// Shapes: x is r×k in bfloat16, y r×k in float32.
// Contract: overwrites y, which does not overlap x.
// Cost: work 0, bytes 6rk.
func Widen(ctx *Ctx, x, y tensor.Matrix) {
	wantShape("kernel.Widen: y", y, x.Rows, x.Cols)
	wantBFloat16("kernel.Widen: x", x)
	n := ctx.byRow(ctx.values().rows.widen, x, x, y, y.Cols, 0)
	ctx.Count.Add(0, 6*n*int64(y.Cols))
}

func wantBFloat16(what string, m tensor.Matrix) {
	if !m.BFloat16 {
		panic(tensor.ShapeError{Op: what, Got: m.String(), Want: "bfloat16"})
	}
}

// valueBytes is what a value of m takes.
func valueBytes(m tensor.Matrix) int64 {
	if m.BFloat16 {
		return 2
	}
	return 4
}

// toBFloat16 returns the bits of x in bfloat16.
func toBFloat16(x float32) uint16 {
	bits := math.Float32bits(x)
	if x != x {
		return uint16(bits>>16) | 1<<6
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

// bfloat16At returns value j of a row of words in bfloat16.
func bfloat16At(row []float32, j int) float32 {
	return math.Float32frombits(math.Float32bits(row[j/2]) >> (16 * (j & 1)) << 16)
}

// wordsOf returns the words of row i.
func wordsOf(m tensor.Matrix, i int) []float32 {
	lo := i * m.Stride
	return m.Data[lo : lo+m.Words()]
}

func narrowRows(dst, x, _ tensor.Matrix, lo, hi int, _ float32) {
	for i := lo; i < hi; i++ {
		y, row := wordsOf(dst, i), x.Row(i)
		for w := range y {
			bits := uint32(toBFloat16(row[2*w]))
			if 2*w+1 < len(row) {
				bits |= uint32(toBFloat16(row[2*w+1])) << 16
			}
			y[w] = math.Float32frombits(bits)
		}
	}
}

func widenRows(dst, x, _ tensor.Matrix, lo, hi int, _ float32) {
	for i := lo; i < hi; i++ {
		y, row := dst.Row(i), wordsOf(x, i)
		for j := range y {
			y[j] = bfloat16At(row, j)
		}
	}
}
