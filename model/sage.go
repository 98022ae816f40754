package model

import (
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/program"
)

var sage = Model{
	Name:       "sage",
	Title:      "GraphSAGE with the mean aggregator",
	Formula:    "h'_v = W₁h_v + W₂ (1/d_v) Σ_{u∈N(v)} h_u + b",
	Source:     "Hamilton, Ying and Leskovec, arXiv 1706.02216",
	Layer:      SAGE,
	Activation: kernel.Func{Kind: kernel.ReLU},
	Defaults:   Options{Layers: 2, Hidden: 64, Heads: 1, OutHeads: 1, Dropout: 0.5, Depth: 1},
	Recipes:    []Recipe{sageRecipe("cora"), sageRecipe("citeseer"), sageRecipe("pubmed")},
	Bounds:     Bounds{Paper: Bound{edgeAndDense(), logDepth()}, Weft: Bound{edgeAndDense(), logDepth()}, Message: Bound{cost.Int(1), cost.Int(1)}},
}

// SAGE is one GraphSAGE layer with the mean aggregator,
// h'_v = W₁h_v + W₂·mean_{u∈N(v)} h_u + b; the mean over no neighbours is 0.
// With l.Normalize rows are scaled to length one. Edge weights are ignored.
//
// Cost: work mk + nk², depth log d + log k.
// Source: Hamilton et al., arXiv 1706.02216, Algorithm 1 and section 3.3.
// Differs: [PDG] prints the variant with one W over N̂(v).
func SAGE(b *program.Builder, h program.Value, l Layer) program.Value {
	mean := b.Mean(b.Scatter(h, program.Src, program.Edges)) // ⊕ over N(v)
	own := b.LinearNamed("weight_self", h, l.Out)
	sum := b.AddValues(own, b.LinearNamed("weight_neigh", mean, l.Out))
	out := b.AddBias(sum, b.Bias("bias", l.Out))
	if l.Normalize {
		out = b.L2Normalize(out)
	}
	return out
}

func sageRecipe(data string) Recipe {
	return Recipe{
		Data: data, Epochs: 200, Monitor: ValMetric, Patience: 100, LR: 0.01,
		Options: Options{Layers: 2, Hidden: 64, Heads: 1, OutHeads: 1, Dropout: 0.5, Depth: 1},
		Decay:   Decay{Lambda: 5e-4}, RowNormalize: true, Split: "public",
		Note: "the paper has no citation sets; chosen on validation accuracy",
	}
}
