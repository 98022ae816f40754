package model

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/program"
)

var gin = Model{
	Name:       "gin",
	Title:      "graph isomorphism network",
	Formula:    "h'_v = MLP_K((1+ε) h_v + Σ_{u∈N(v)} h_u)",
	Source:     "Xu, Hu, Leskovec and Jegelka, arXiv 1810.00826",
	Layer:      GIN,
	Activation: kernel.Func{Kind: kernel.ReLU},
	Defaults:   Options{Layers: 2, Hidden: 64, Heads: 1, OutHeads: 1, Dropout: 0.5, Depth: 2, LearnEps: true},
	Recipes:    []Recipe{ginRecipe("cora"), ginRecipe("citeseer"), ginRecipe("pubmed")},
	Bounds:     Bounds{Paper: Bound{ginWork(), ginDepth()}, Weft: Bound{ginWork(), ginDepth()}, Message: Bound{cost.Int(1), cost.Int(1)}},
}

// mk + Knk² and log d + K log k.
func ginWork() cost.Expr  { return cost.Add(cost.Mul(m, k), cost.Mul(depthK, n, k, k)) }
func ginDepth() cost.Expr { return cost.Add(cost.Log2(d), cost.Mul(depthK, cost.Log2(k))) }

// GIN is one graph isomorphism layer: an MLP of l.Depth layers, ReLU between
// them, over (1+ε)h_v + Σ_{u∈N(v)} h_u. ε is learned from 0 where l.LearnEps is
// set (GIN-ε) and 0 otherwise; weight decay spares it, as it spares biases. Edge
// weights are ignored.
//
// Cost: work mk + Knk², depth log d + K log k for an MLP of K layers.
// Source: Xu et al., arXiv 1810.00826, Eq. 4.1. Differs: no batch normalisation
// in the MLP, whose running statistics full-batch training on one graph does
// not need.
func GIN(b *program.Builder, h program.Value, l Layer) program.Value {
	own := h
	if l.LearnEps {
		eps := b.Bias("eps", program.Cols(1)) // a number beside 1: decay spares it
		own = b.ScaleByOnePlus(h, eps)
	}
	x := b.AddValues(own, b.Sum(b.Scatter(h, program.Src, program.Edges), program.Dst))
	for i := range l.Depth {
		if i > 0 {
			x = b.ReLU(x)
		}
		w := b.Param(fmt.Sprintf("mlp%d.weight", i), b.Type(x).Cols, l.Out, program.Glorot)
		x = b.AddBias(b.MatMul(x, w), b.Bias(fmt.Sprintf("mlp%d.bias", i), l.Out))
	}
	return x
}

func ginRecipe(data string) Recipe {
	return Recipe{
		Data: data, Epochs: 200, Monitor: ValMetric, Patience: 100, LR: 0.005,
		Options: Options{Layers: 2, Hidden: 64, Heads: 1, OutHeads: 1, Dropout: 0.7, Depth: 1, LearnEps: true},
		Decay:   Decay{Lambda: 5e-4}, RowNormalize: true, Split: "public",
		Note: "the paper has no citation sets; MLP depth, rate and dropout chosen on validation accuracy",
	}
}
