package model

import (
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/program"
)

var gcn = Model{
	Name:       "gcn",
	Title:      "graph convolutional network",
	Formula:    "h'_v = W Σ_{u∈N̂(v)} h_u/√(d̂_u d̂_v) + b        H' = ÂHW + b",
	Source:     "Kipf and Welling, arXiv 1609.02907",
	Layer:      GCN,
	Activation: kernel.Func{Kind: kernel.ReLU},
	Defaults:   Options{Layers: 2, Hidden: 16, Heads: 1, OutHeads: 1, Dropout: 0.5, Depth: 1},
	Recipes:    []Recipe{gcnRecipe("cora"), gcnRecipe("citeseer"), gcnRecipe("pubmed")},
	Bounds:     Bounds{Paper: Bound{edgeAndDense(), logDepth()}, Weft: Bound{edgeAndDense(), logDepth()}, Message: Bound{k, cost.Int(1)}},
}

// GCN is one layer of the graph convolution H' = ÂHW + b, with
// Â = D̂^−½(A+I)D̂^−½; edge weights, where the graph has them, take the place of
// the ones in A.
//
// Cost: work mk + nk², depth log d + log k.
// Source: Kipf and Welling, arXiv 1609.02907, Eq. 2.
func GCN(b *program.Builder, h program.Value, l Layer) program.Value {
	c := b.EdgeCoef(program.SymNorm, program.LoopEdges)
	m := b.HeadScale(b.Scatter(h, program.Src, program.LoopEdges), c) // ψ: c_vu h_u
	return b.Affine(b.Sum(m, program.Dst), l.Out)                     // ⊕ over N̂(v), φ: W(·) + b
}

func gcnRecipe(data string) Recipe {
	return Recipe{
		Data: data, Epochs: 200, Patience: 10, Monitor: ValLoss, LR: 0.01,
		Options: Options{Layers: 2, Hidden: 16, Heads: 1, OutHeads: 1, Dropout: 0.5, Depth: 1},
		Decay:   Decay{Lambda: 5e-4, FirstLayer: true}, RowNormalize: true, Split: "public",
		Note: "Kipf and Welling, section 5.2",
	}
}
