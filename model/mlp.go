package model

import (
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/program"
)

var mlp = Model{
	Name:       "mlp",
	Title:      "multi-layer perceptron: every vertex for itself, the baseline",
	Formula:    "h'_v = W h_v + b",
	Source:     "Rumelhart, Hinton and Williams, Nature 323 (1986)",
	Layer:      MLP,
	Activation: kernel.Func{Kind: kernel.ReLU},
	Defaults:   Options{Layers: 2, Hidden: 64, Heads: 1, OutHeads: 1, Dropout: 0.5, Depth: 1},
	Recipes:    []Recipe{mlpRecipe("cora"), mlpRecipe("citeseer"), mlpRecipe("pubmed")},
	Bounds:     Bounds{Weft: Bound{Work: cost.Mul(n, k, k), Depth: cost.Log2(k)}},
}

// MLP is one layer of a multi-layer perceptron, h'_v = W h_v + b. It reads no
// edges, so that what a graph adds to its features shows beside it.
//
// Cost: work nk², depth log k.
func MLP(b *program.Builder, h program.Value, l Layer) program.Value {
	return b.Affine(h, l.Out)
}

// mlpRecipe is that of gcn: the row "MLP, XΘ" of Kipf and Welling's Table 3
// differs from theirs by the propagation alone.
func mlpRecipe(data string) Recipe {
	r := gcnRecipe(data)
	r.Note = "Kipf and Welling, section 6.2, Table 3, XΘ: the settings of gcn"
	return r
}
