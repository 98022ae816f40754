//go:build amd64 && !noasm

package kernel

import (
	"unsafe"

	"github.com/weft-gnn/weft/internal/cpu"
	"github.com/weft-gnn/weft/tensor"
)

var sparseVariants = [...]sparseLoops{
	cpu.Generic: sparseGeneric,
	cpu.AVX2: {
		sumNeighbours: func(c *call, ptr []int64, y tensor.Matrix) { sumPasses(c, &sumsAVX2, neighbourIndex(c.seg), ptr, y) },
		sumEdges:      func(c *call, ptr []int64, y tensor.Matrix) { sumEdgePasses(c, &sumsAVX2, ptr, y) },
		sumPart:       func(c *call, from, to []int64, y tensor.Matrix) { sumPartPasses(c, &sumsAVX2, from, to, y) },
		sumWeighted:   func(c *call, ptr []int64, y tensor.Matrix) { sumWeightedPasses(c, &sumsAVX2, ptr, y) },
		narrow:        narrowAVX2.loops(),
		edgeAdd:       edgesAVX2.addRows,
		scatter:       edgesAVX2.scatterRows,
		gather:        edgesAVX2.gatherRows,
		edgeDot:       edgesAVX2.dotRows,
		softmax:       softmaxAVX2.loops(),
		lanes:         8,
	},
	cpu.AVX512: {
		sumNeighbours: func(c *call, ptr []int64, y tensor.Matrix) { sumPasses(c, &sumsAVX512, neighbourIndex(c.seg), ptr, y) },
		sumEdges:      func(c *call, ptr []int64, y tensor.Matrix) { sumEdgePasses(c, &sumsAVX512, ptr, y) },
		sumPart:       func(c *call, from, to []int64, y tensor.Matrix) { sumPartPasses(c, &sumsAVX512, from, to, y) },
		sumWeighted:   func(c *call, ptr []int64, y tensor.Matrix) { sumWeightedPasses(c, &sumsAVX512, ptr, y) },
		narrow:        narrowAVX512.loops(),
		edgeAdd:       edgesAVX512.addRows,
		scatter:       edgesAVX512.scatterRows,
		gather:        edgesAVX512.gatherRows,
		edgeDot:       edgesAVX512.dotRows,
		softmax:       softmaxAVX512.loops(),
		lanes:         16,
	},
}

// place returns the address of a value and the bytes from its row to the next.
func place(m tensor.Matrix, row int64, col int) (*float32, int) {
	at := int(row)*m.Stride + col
	return unsafe.SliceData(m.Data[min(at, len(m.Data)):]), 4 * m.Stride
}
