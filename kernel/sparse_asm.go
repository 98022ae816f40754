//go:build amd64 && !noasm

package kernel

import (
	"github.com/weft-gnn/weft/internal/cpu"
	"github.com/weft-gnn/weft/tensor"
)

var sparseVariants = [...]sparseLoops{
	cpu.Generic: sparseGeneric,
	cpu.AVX2: {
		sumNeighbours: func(c *call, ptr []int64, y tensor.Matrix) { sumPasses(c, &sumsAVX2, neighbourIndex(c.seg), ptr, y) },
		sumEdges:      func(c *call, ptr []int64, y tensor.Matrix) { sumPasses(c, &sumsAVX2, edgeIndex(c.seg), ptr, y) },
		sumWeighted:   func(c *call, ptr []int64, y tensor.Matrix) { sumWeightedPasses(c, &sumsAVX2, ptr, y) },
		lanes:         8,
	},
	cpu.AVX512: {
		sumNeighbours: func(c *call, ptr []int64, y tensor.Matrix) { sumPasses(c, &sumsAVX512, neighbourIndex(c.seg), ptr, y) },
		sumEdges:      func(c *call, ptr []int64, y tensor.Matrix) { sumPasses(c, &sumsAVX512, edgeIndex(c.seg), ptr, y) },
		sumWeighted:   func(c *call, ptr []int64, y tensor.Matrix) { sumWeightedPasses(c, &sumsAVX512, ptr, y) },
		lanes:         16,
	},
}
