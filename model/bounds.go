package model

import "github.com/weft-gnn/weft/cost"

// Bounds are the asymptotic work and depth of one inference layer with all
// widths k, as printed in [PDG] (Besta and Hoefler, arXiv 2205.09702, Tables 6
// and 7, divided by L) and as weft must reach it after its passes. A zero Bound
// is one that the paper does not state.
type Bounds struct {
	Paper, Weft Bound
	// Message is what the paper states of one message alone, ψ on one edge
	// ([PDG] Table 5).
	Message Bound
}

// Bound is a work and a depth.
type Bound struct{ Work, Depth cost.Expr }

// Stated reports whether b is a bound, not the zero Bound.
func (b Bound) Stated() bool { return !b.Work.IsZero() }

// symbols of the bounds.
var (
	n, m, k, d = cost.Sym("n"), cost.Sym("m"), cost.Sym("k"), cost.Sym("d")
	depthK     = cost.Sym("K")
)

// mk + nk².
func edgeAndDense() cost.Expr { return cost.Add(cost.Mul(m, k), cost.Mul(n, k, k)) }

// log d + log k.
func logDepth() cost.Expr { return cost.Add(cost.Log2(d), cost.Log2(k)) }
