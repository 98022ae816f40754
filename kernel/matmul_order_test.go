//go:build (amd64 || arm64) && !noasm

package kernel

import (
	"math"
	"testing"

	"github.com/weft-gnn/weft/tensor"
)

// The variants in assembly, of all processors, have the bits of sums in ascending
// order that add each product in one rounding and restart at the ends of blocks.
func TestVariantsInAssemblyAgree(t *testing.T) {
	shapes := append(productShapes(), [3]int{3, 769, 9}, [3]int{7, 1543, 14})
	for _, p := range denseProducts {
		src := newSource(4)
		for _, s := range shapes {
			n, a, b := s[0], s[1], s[2]
			if n >= 2*tnRows {
				continue // a transposed product of several parts
			}
			x, w, y := p.operands(src, n, a, b)
			left, right, block := x, w, blockDepth
			switch p.name {
			case "NT":
				right = turned(w)
			case "TN":
				left, block = turned(x), blockRows
			}
			want := inBlocks(left, right, block)
			for _, isa := range variants()[1:] {
				contexts[0].using(isa, func(ctx *Ctx) { p.run(ctx, x, w, y) })
				if !y.Equal(want) {
					t.Errorf("%v: %s %v has other bits", isa, p.name, s)
				}
			}
		}
	}
}

func turned(m tensor.Matrix) tensor.Matrix {
	y := tensor.New(m.Cols, m.Rows)
	transpose(y, m)
	return y
}

// inBlocks computes x·w, summing block products at a time.
func inBlocks(x, w tensor.Matrix, block int) tensor.Matrix {
	y := tensor.New(x.Rows, w.Cols)
	for i := range y.Rows {
		for j := range y.Row(i) {
			for lo := 0; lo < x.Cols; lo += block {
				sum := float32(0)
				for p := lo; p < min(lo+block, x.Cols); p++ {
					sum = multiplyAddOnce(x.Row(i)[p], w.Row(p)[j], sum)
				}
				if lo > 0 {
					sum += y.Row(i)[j]
				}
				y.Row(i)[j] = sum
			}
		}
	}
	return y
}

// multiplyAddOnce computes x·y + z in one rounding to float32: the product is
// exact in float64, and so is the rounding of a sum whose last bit tells that it
// was rounded before (rounded to odd; Boldo and Melquiond, Emulation of a FMA and
// correctly rounded sums, 2008).
func multiplyAddOnce(x, y, z float32) float32 {
	a, b := float64(x)*float64(y), float64(z)
	sum := a + b
	rest := sum - a // and what the sum lost
	lost := (a - (sum - rest)) + (b - rest)
	if bits := math.Float64bits(sum); lost != 0 && bits&1 == 0 {
		if (lost > 0) == (sum > 0) {
			bits++
		} else {
			bits--
		}
		sum = math.Float64frombits(bits)
	}
	return float32(sum)
}
