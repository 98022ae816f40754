//go:build amd64 && !noasm

package kernel

import "github.com/weft-gnn/weft/internal/cpu"

var sparseVariants = [...]sparseLoops{
	cpu.Generic: sparseGeneric,
	cpu.AVX2: {
		sumNeighbours: sumsAVX2.neighbours,
		sumEnded:      sumsAVX2.neighboursEnded,
		sumEdges:      sumsAVX2.edges,
		sumPart:       sumsAVX2.parts,
		sumWeighted:   sumsAVX2.weighed,
		narrow:        narrowAVX2.loops(),
		edgeAdd:       edgesAVX2.addRows,
		scatter:       edgesAVX2.scatterRows,
		gather:        edgesAVX2.gatherRows,
		edgeDot:       edgesAVX2.dotRows,
		softmax:       softmaxAVX2.loops(),
		lanes:         8,
	},
	cpu.AVX512: {
		sumNeighbours: sumsAVX512.neighbours,
		sumEnded:      sumsAVX512.neighboursEnded,
		sumEdges:      sumsAVX512.edges,
		sumPart:       sumsAVX512.parts,
		sumWeighted:   sumsAVX512.weighed,
		narrow:        narrowAVX512.loops(),
		edgeAdd:       edgesAVX512.addRows,
		scatter:       edgesAVX512.scatterRows,
		gather:        edgesAVX512.gatherRows,
		edgeDot:       edgesAVX512.dotRows,
		softmax:       softmaxAVX512.loops(),
		lanes:         16,
	},
}

var sumsAVX2 = sums{
	plain:    []sumPlain{1: sumAVX2x1, 2: sumAVX2x2, 3: sumAVX2x3, 4: sumAVX2x4, 5: sumAVX2x5, 6: sumAVX2x6, 7: sumAVX2x7, 8: sumAVX2x8, 12: sumAVX2x12},
	ended:    []sumEnded{1: sumEndedAVX2x1, 2: sumEndedAVX2x2, 3: sumEndedAVX2x3, 4: sumEndedAVX2x4, 5: sumEndedAVX2x5, 6: sumEndedAVX2x6, 7: sumEndedAVX2x7, 8: sumEndedAVX2x8},
	part:     []sumPart{1: sumPartAVX2x1, 2: sumPartAVX2x2, 3: sumPartAVX2x3, 4: sumPartAVX2x4, 5: sumPartAVX2x5, 6: sumPartAVX2x6, 7: sumPartAVX2x7, 8: sumPartAVX2x8, 12: sumPartAVX2x12},
	inOrder:  []sumInOrder{1: sumInOrderAVX2x1, 2: sumInOrderAVX2x2, 3: sumInOrderAVX2x3, 4: sumInOrderAVX2x4, 5: sumInOrderAVX2x5, 6: sumInOrderAVX2x6, 7: sumInOrderAVX2x7, 8: sumInOrderAVX2x8, 12: sumInOrderAVX2x12},
	weighted: []sumOfWeighted{1: sumWeightedAVX2x1, 2: sumWeightedAVX2x2, 3: sumWeightedAVX2x3, 4: sumWeightedAVX2x4, 5: sumWeightedAVX2x5, 6: sumWeightedAVX2x6, 7: sumWeightedAVX2x7, 8: sumWeightedAVX2x8, 12: sumWeightedAVX2x12},
	heads:    []sumOfHeads{1: sumHeadsAVX2x1, 2: sumHeadsAVX2x2, 3: sumHeadsAVX2x3, 4: sumHeadsAVX2x4, 5: sumHeadsAVX2x5, 6: sumHeadsAVX2x6, 7: sumHeadsAVX2x7, 8: sumHeadsAVX2x8},
}

var sumsAVX512 = sums{
	plain:    []sumPlain{wholeLine: sumLineAVX512, 1: sumAVX512x1, 2: sumAVX512x2, 3: sumAVX512x3, 4: sumAVX512x4, 5: sumAVX512x5, 6: sumAVX512x6, 7: sumAVX512x7, 8: sumAVX512x8, 16: sumAVX512x16},
	ended:    []sumEnded{wholeLine: sumEndedLineAVX512, 1: sumEndedAVX512x1, 2: sumEndedAVX512x2, 3: sumEndedAVX512x3, 4: sumEndedAVX512x4, 5: sumEndedAVX512x5, 6: sumEndedAVX512x6, 7: sumEndedAVX512x7, 8: sumEndedAVX512x8},
	part:     []sumPart{1: sumPartAVX512x1, 2: sumPartAVX512x2, 3: sumPartAVX512x3, 4: sumPartAVX512x4, 5: sumPartAVX512x5, 6: sumPartAVX512x6, 7: sumPartAVX512x7, 8: sumPartAVX512x8, 16: sumPartAVX512x16},
	inOrder:  []sumInOrder{1: sumInOrderAVX512x1, 2: sumInOrderAVX512x2, 3: sumInOrderAVX512x3, 4: sumInOrderAVX512x4, 5: sumInOrderAVX512x5, 6: sumInOrderAVX512x6, 7: sumInOrderAVX512x7, 8: sumInOrderAVX512x8, 16: sumInOrderAVX512x16},
	weighted: []sumOfWeighted{1: sumWeightedAVX512x1, 2: sumWeightedAVX512x2, 3: sumWeightedAVX512x3, 4: sumWeightedAVX512x4, 5: sumWeightedAVX512x5, 6: sumWeightedAVX512x6, 7: sumWeightedAVX512x7, 8: sumWeightedAVX512x8, 16: sumWeightedAVX512x16},
	heads:    []sumOfHeads{1: sumHeadsAVX512x1, 2: sumHeadsAVX512x2, 3: sumHeadsAVX512x3, 4: sumHeadsAVX512x4, 5: sumHeadsAVX512x5, 6: sumHeadsAVX512x6, 7: sumHeadsAVX512x7, 8: sumHeadsAVX512x8},
}
