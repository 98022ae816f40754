//go:build amd64 && !noasm

package kernel

import "github.com/weft-gnn/weft/tensor"

// narrowLoop goes through rows of at least one value, ld bytes apart.
type narrowLoop func(rows int, dst *float32, lddst int, x *float32, ldx, cols int)

func (f narrowLoop) run(dst, x, _ tensor.Matrix, lo, hi int, _ float32) {
	if lo == hi || x.Cols == 0 {
		return
	}
	d, ldd := place(dst, int64(lo), 0)
	px, ldx := place(x, int64(lo), 0)
	f(hi-lo, d, ldd, px, ldx, x.Cols)
}

var narrowAVX2 = narrowSums{
	plain: []sumPlain{1: narrowSumAVX2x1, 2: narrowSumAVX2x2, 3: narrowSumAVX2x3, 4: narrowSumAVX2x4, 5: narrowSumAVX2x5,
		6: narrowSumAVX2x6, 7: narrowSumAVX2x7, 8: narrowSumAVX2x8, 12: narrowSumAVX2x12},
	part: []sumPart{1: narrowSumPartAVX2x1, 2: narrowSumPartAVX2x2, 3: narrowSumPartAVX2x3, 4: narrowSumPartAVX2x4, 5: narrowSumPartAVX2x5,
		6: narrowSumPartAVX2x6, 7: narrowSumPartAVX2x7, 8: narrowSumPartAVX2x8, 12: narrowSumPartAVX2x12},
	weighted: []sumOfWeighted{1: narrowSumWeightedAVX2x1, 2: narrowSumWeightedAVX2x2, 3: narrowSumWeightedAVX2x3, 4: narrowSumWeightedAVX2x4,
		5: narrowSumWeightedAVX2x5, 6: narrowSumWeightedAVX2x6, 7: narrowSumWeightedAVX2x7, 8: narrowSumWeightedAVX2x8, 12: narrowSumWeightedAVX2x12},
}

var narrowAVX512 = narrowSums{
	plain: []sumPlain{1: narrowSumAVX512x1, 2: narrowSumAVX512x2, 3: narrowSumAVX512x3, 4: narrowSumAVX512x4, 5: narrowSumAVX512x5,
		6: narrowSumAVX512x6, 7: narrowSumAVX512x7, 8: narrowSumAVX512x8, 16: narrowSumAVX512x16},
	part: []sumPart{1: narrowSumPartAVX512x1, 2: narrowSumPartAVX512x2, 3: narrowSumPartAVX512x3, 4: narrowSumPartAVX512x4, 5: narrowSumPartAVX512x5,
		6: narrowSumPartAVX512x6, 7: narrowSumPartAVX512x7, 8: narrowSumPartAVX512x8, 16: narrowSumPartAVX512x16},
	weighted: []sumOfWeighted{1: narrowSumWeightedAVX512x1, 2: narrowSumWeightedAVX512x2, 3: narrowSumWeightedAVX512x3, 4: narrowSumWeightedAVX512x4,
		5: narrowSumWeightedAVX512x5, 6: narrowSumWeightedAVX512x6, 7: narrowSumWeightedAVX512x7, 8: narrowSumWeightedAVX512x8, 16: narrowSumWeightedAVX512x16},
}
