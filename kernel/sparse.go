package kernel

import (
	"github.com/weft-gnn/weft/tensor"
)

// sparseLoops are the loops of the sparse kernels in one variant of
// instructions. Within a variant results have the same bits for any number of
// threads. Variants differ from each other where they round: those in assembly
// multiply and add in one rounding.
type sparseLoops struct {
	sumNeighbours, sumEdges, sumWeighted sumFunc
	sumPart                              partFunc // nil where ranges gain nothing
	sumEnded                             endedSum // of neighbours; nil without vectors
	narrow                               narrowLoops
	edgeAdd, scatter, gather, edgeDot    edgeLoop
	softmax                              softmaxLoops
	lanes                                int // values of a vector; 0 without vectors
}

// softmaxLoops are the loops of EdgeSoftmax and EdgeSoftmaxGrad: over rows that
// are not cut, and over the chunks of those that are, in the order they run.
type softmaxLoops struct {
	rows                            func(c *call, lo, hi int)
	chunkMax, chunkExp, chunkDivide func(c *call, slot int, k chunk)
	gradRows                        func(c *call, lo, hi int)
	chunkSum, chunkWeigh            func(c *call, slot int, k chunk)
}

// sumFunc sets row i of y to the sum over positions ptr[i] to ptr[i+1].
type sumFunc func(c *call, ptr []int64, y tensor.Matrix)

// narrowLoops are the sums of rows that are stored in bfloat16.
type narrowLoops struct {
	neighbours, weighted sumFunc
	part                 partFunc
}

// partFunc adds to row i of y the sum over positions from[i] to to[i].
type partFunc func(c *call, from, to []int64, y tensor.Matrix)

// edgeLoop goes through edges lo to hi in destination order, as the body of a call.
type edgeLoop func(c *call, worker, piece, lo, hi int)

var sparseGeneric = sparseLoops{
	sumNeighbours: func(c *call, ptr []int64, y tensor.Matrix) { sumEach(c, ptr, y, sumNeighbours) },
	sumEdges:      func(c *call, ptr []int64, y tensor.Matrix) { sumEach(c, ptr, y, sumEdges) },
	sumWeighted:   func(c *call, ptr []int64, y tensor.Matrix) { sumEach(c, ptr, y, sumWeighted) },
	narrow: narrowLoops{
		neighbours: func(c *call, ptr []int64, y tensor.Matrix) { sumEach(c, ptr, y, sumNarrow) },
		weighted:   func(c *call, ptr []int64, y tensor.Matrix) { sumEach(c, ptr, y, sumNarrowWeighted) },
	},
	edgeAdd: edgeAddRows, scatter: scatterRows, gather: gatherRows, edgeDot: edgeDotRows,
	softmax: softmaxLoops{
		rows: softmaxRows, chunkMax: softmaxChunkMax, chunkExp: softmaxChunkExp, chunkDivide: softmaxChunkDivide,
		gradRows: softmaxGradRows, chunkSum: softmaxChunkSum, chunkWeigh: softmaxChunkWeigh,
	},
}

// sparse returns the loops that a context uses.
func (c *Ctx) sparse() *sparseLoops { return &sparseVariants[c.variant()] }
