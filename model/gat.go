package model

import (
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/program"
)

var gat = Model{
	Name:       "gat",
	Title:      "graph attention network",
	Formula:    "h'_v = ‖_h Σ_{u∈N̂(v)} α_vu Wh_u + b,  α_vu = softmax_u(LeakyReLU₀.₂(a₁·Wh_v + a₂·Wh_u))",
	Source:     "Veličković et al., arXiv 1710.10903",
	Layer:      GAT,
	Activation: kernel.Func{Kind: kernel.ELU, Param: 1},
	Defaults:   Options{Layers: 2, Hidden: 64, Heads: 8, OutHeads: 1, Dropout: 0.6, EdgeDropout: 0.6, Depth: 1},
	Recipes:    []Recipe{gatRecipe("cora", 1, 0.005, 5e-4), gatRecipe("citeseer", 1, 0.005, 5e-4), gatRecipe("pubmed", 8, 0.01, 1e-3)},
	Bounds:     Bounds{Paper: Bound{gatWork(), logDepth()}, Weft: Bound{edgeAndDense(), logDepth()}, Message: Bound{cost.Mul(d, k, k), logDepth()}},
}

// mdk² + nk²: [PDG] recomputes the softmax's denominator on every edge.
func gatWork() cost.Expr {
	return cost.Add(cost.Mul(m, d, k, k), cost.Mul(n, k, k))
}

// GAT is one graph attention layer of H heads: scores from a learned vector at
// each end, normalised over N̂(v), weigh the projected neighbours. Hidden
// layers put the heads side by side, the last one averages them. Edge weights
// are ignored.
//
// Cost: work mk + nk², depth log d + log k.
// Source: Veličković et al., arXiv 1710.10903, Eqs. 1 to 6.
func GAT(b *program.Builder, h program.Value, l Layer) program.Value {
	width := l.Out
	if l.Last {
		width = l.Out.Times(l.Heads)
	}
	z := b.Linear(h, width)
	e := b.AddValues( // a₁·z_v + a₂·z_u
		b.Scatter(b.HeadProject(z, headVector(b, "att_src", width, l), l.Heads), program.Src, program.LoopEdges),
		b.Scatter(b.HeadProject(z, headVector(b, "att_dst", width, l), l.Heads), program.Dst, program.LoopEdges))
	α := b.Dropout(b.EdgeSoftmax(b.LeakyReLU(e, 0.2)), l.EdgeDropout) // three rounds: max, sum, divide
	if l.MessageDropout {
		z = b.Dropout(z, l.Dropout)
	}
	sum := b.Sum(b.HeadScale(b.Scatter(z, program.Src, program.LoopEdges), α), program.Dst)
	if l.Last {
		sum = b.HeadMean(sum, l.Heads)
	}
	return b.AddBias(sum, b.Bias("bias", l.Out))
}

// headVector declares one vector per head, side by side in a row.
func headVector(b *program.Builder, name string, width program.Dim, l Layer) program.Value {
	f := program.Dim{N: width.N / l.Heads.N, Expr: cost.CeilDiv(width.Expr, l.Heads.Expr)}
	return b.HeadVector(name, width, f)
}

// gatRecipe is section 3.3: PubMed has eight output heads, twice the rate and
// twice the decay of the two smaller sets.
func gatRecipe(data string, outHeads int, rate, decay float64) Recipe {
	return Recipe{
		Data: data, Epochs: 1000, Patience: 100, Monitor: ValEither, LR: rate,
		Options: Options{Layers: 2, Hidden: 64, Heads: 8, OutHeads: outHeads, Dropout: 0.6, EdgeDropout: 0.6, MessageDropout: true, Depth: 1},
		Decay:   Decay{Lambda: decay}, RowNormalize: true, Split: "public",
		Note: "Veličković et al., section 3.3, and the authors' dropout of the projected rows",
	}
}
