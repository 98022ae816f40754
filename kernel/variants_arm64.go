//go:build !noasm

package kernel

import "github.com/weft-gnn/weft/internal/cpu"

// NEON has loops of its own where most of the time is spent: products, and sums
// over edges. All others are the portable ones.

var productVariants = [...]products{
	cpu.Generic: productsGeneric,
	cpu.NEON: strips{
		panels: panels{8, 4}, height: 8,
		narrow: stripNEONx4, wide: stripNEONx8, square: transposeNEON,
		aliased: 512, turned: 16,
	}.products(),
}

var fmaLoops = [...]fmaLoop{
	cpu.Generic: fmaLoopGeneric,
	cpu.NEON:    {fmaNEON, 2 * 24 * 4},
}

var sparseVariants = [...]sparseLoops{
	cpu.Generic: sparseGeneric,
	cpu.NEON: {
		sumNeighbours: sumsNEON.neighbours,
		sumEdges:      sumsNEON.edges,
		sumPart:       sumsNEON.parts,
		sumWeighted:   sumsNEON.weighed,
		narrow:        narrowNEON.loops(),
		edgeAdd:       sparseGeneric.edgeAdd,
		scatter:       sparseGeneric.scatter,
		gather:        sparseGeneric.gather,
		edgeDot:       sparseGeneric.edgeDot,
		softmax:       sparseGeneric.softmax,
		lanes:         4,
	},
}

var sumsNEON = sums{
	plain:    []sumPlain{1: sumNEONx1, 2: sumNEONx2, 3: sumNEONx3, 4: sumNEONx4, 5: sumNEONx5, 6: sumNEONx6, 7: sumNEONx7, 8: sumNEONx8, 16: sumNEONx16},
	part:     []sumPart{1: sumPartNEONx1, 2: sumPartNEONx2, 3: sumPartNEONx3, 4: sumPartNEONx4, 5: sumPartNEONx5, 6: sumPartNEONx6, 7: sumPartNEONx7, 8: sumPartNEONx8, 16: sumPartNEONx16},
	inOrder:  []sumInOrder{1: sumInOrderNEONx1, 2: sumInOrderNEONx2, 3: sumInOrderNEONx3, 4: sumInOrderNEONx4, 5: sumInOrderNEONx5, 6: sumInOrderNEONx6, 7: sumInOrderNEONx7, 8: sumInOrderNEONx8, 16: sumInOrderNEONx16},
	weighted: []sumOfWeighted{1: sumWeightedNEONx1, 2: sumWeightedNEONx2, 3: sumWeightedNEONx3, 4: sumWeightedNEONx4, 5: sumWeightedNEONx5, 6: sumWeightedNEONx6, 7: sumWeightedNEONx7, 8: sumWeightedNEONx8, 16: sumWeightedNEONx16},
	heads:    []sumOfHeads{1: sumHeadsNEONx1, 2: sumHeadsNEONx2, 3: sumHeadsNEONx3, 4: sumHeadsNEONx4, 5: sumHeadsNEONx5, 6: sumHeadsNEONx6, 7: sumHeadsNEONx7, 8: sumHeadsNEONx8},
}

var narrowNEON = narrowSums{
	plain: []sumPlain{1: narrowSumNEONx1, 2: narrowSumNEONx2, 3: narrowSumNEONx3, 4: narrowSumNEONx4, 5: narrowSumNEONx5,
		6: narrowSumNEONx6, 7: narrowSumNEONx7, 8: narrowSumNEONx8, 16: narrowSumNEONx16},
	part: []sumPart{1: narrowSumPartNEONx1, 2: narrowSumPartNEONx2, 3: narrowSumPartNEONx3, 4: narrowSumPartNEONx4, 5: narrowSumPartNEONx5,
		6: narrowSumPartNEONx6, 7: narrowSumPartNEONx7, 8: narrowSumPartNEONx8, 16: narrowSumPartNEONx16},
	weighted: []sumOfWeighted{1: narrowSumWeightedNEONx1, 2: narrowSumWeightedNEONx2, 3: narrowSumWeightedNEONx3, 4: narrowSumWeightedNEONx4,
		5: narrowSumWeightedNEONx5, 6: narrowSumWeightedNEONx6, 7: narrowSumWeightedNEONx7, 8: narrowSumWeightedNEONx8, 16: narrowSumWeightedNEONx16},
}

var (
	attentionVariants = [...]attentionLoops{cpu.Generic: attentionGeneric, cpu.NEON: attentionGeneric}
	valueVariants     = [...]valueLoops{cpu.Generic: valuesGeneric, cpu.NEON: valuesGeneric}
	memoryLoopsOf     = [...]memoryLoops{cpu.Generic: memoryLoopsGeneric, cpu.NEON: memoryLoopsGeneric}
)
