package analysis

import (
	"fmt"
	"strings"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/model"
)

// Bounds are asymptotic work and depth of L layers, all widths k and one head:
// as [PDG] prints them, as weft must reach them after its passes, and as they
// follow from the program.
type Bounds struct {
	Paper   *Bound `json:"paper"` // null where the paper states none
	Weft    *Bound `json:"weft"`
	Derived Bound  `json:"derived"`
}

// Bound is a work and a depth, up to constants.
type Bound struct {
	Work  cost.Expr `json:"work"`
	Depth cost.Expr `json:"depth"`
	// Supersteps are the synchronisations of a forward pass or a training step on
	// many ranks: in the paper one per kernel, four a layer; null where it states
	// none, and for weft's bound; of what weft derives, those of the plan's ranks.
	Supersteps *Quantity `json:"supersteps"`
	// Words are what the plan's ranks send in a step; null for the others' bounds,
	// see [PaperTraffic].
	Words *Sent `json:"words"`
}

// Verdict compares the derived work and depth with both bounds.
type Verdict struct {
	Paper *Comparison `json:"paper"`
	Weft  *Comparison `json:"weft"`
	Text  string      `json:"text"`
}

// Comparison says how the derived costs grow relative to a bound's.
type Comparison struct {
	Work  Relation `json:"work"`
	Depth Relation `json:"depth"`
	// DepthButRows compares with the bound plus one log n: sums over all rows give
	// the gradients of weights and biases, which the bounds leave out. Null in
	// inference.
	DepthButRows *Relation `json:"depth_but_log_n"`
}

// Relation is a cost.Relation that JSON writes as a word.
type Relation cost.Relation

// String returns the word.
func (r Relation) String() string {
	return [...]string{cost.Same: "same", cost.Smaller: "smaller", cost.Larger: "larger", cost.Incomparable: "incomparable"}[r]
}

// MarshalText writes the word.
func (r Relation) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// compare derives the bounds of a formula and the verdict on them.
func (r Request) compare(f Formula, messages bool) (Bounds, Verdict) {
	laws := f.total()
	own := Bound{Work: r.comparable(laws.Work.Expr), Depth: r.comparable(laws.Depth.Expr)}
	b := Bounds{Derived: Bound{Work: own.Work.Leading(), Depth: own.Depth.Leading()}}
	var v Verdict
	b.Paper, v.Paper = r.against(r.Model.Bounds.Paper, own)
	b.Weft, v.Weft = r.against(r.Model.Bounds.Weft, own)
	if b.Paper != nil && messages {
		each := r.passesOverLayers() * paperKernels
		all := each * int64(r.Options.Layers)
		b.Paper.Supersteps = &Quantity{cost.Scale(each, cost.Sym(cost.Layers)), &all}
	}
	v.Text = r.sentence(v)
	return b, v
}

// paperKernels is the number of kernels of a layer in [PDG], Table 4, after each
// of which all ranks synchronise.
const paperKernels = 4

// PaperTraffic says what [PDG] states of words, and what of it is compared.
const PaperTraffic = "Table 4 sends O(1) words in the kernels of edges and vertices, and so does weft " +
	"where no columns are split; its words for Scatter and Aggregate have not been checked against the paper and are not compared"

// passesOverLayers is 1 forward, and 2 with backward, whose kernels are those of
// forward reversed.
func (r Request) passesOverLayers() int64 {
	if r.Mode == Training {
		return 2
	}
	return 1
}

// comparable returns e in the symbols of bounds: one head, degrees alike, and as
// many targets as there are vertices, that is no more than there can be.
func (r Request) comparable(e cost.Expr) cost.Expr {
	n, k := cost.Sym(cost.Vertices), cost.Sym(cost.Features)
	return e.Subst(symmetric).Subst(map[string]cost.Expr{
		cost.Heads: cost.Int(1), targets: n, present: cost.Mul(n, k),
	})
}

// against states a bound per layer for L layers and compares.
func (r Request) against(b model.Bound, own Bound) (*Bound, *Comparison) {
	if !b.Stated() {
		return nil, nil
	}
	l := cost.Sym(cost.Layers)
	of := func(e, own cost.Expr) cost.Expr {
		if !has(own, innerDepth) {
			e = e.Subst(map[string]cost.Expr{innerDepth: cost.Int(int64(r.Options.Depth))})
		}
		if !has(own, cost.Layers) {
			l = cost.Int(int64(r.Options.Layers))
		}
		return cost.Mul(l, e)
	}
	stated := Bound{Work: of(b.Work, own.Work), Depth: of(b.Depth, own.Depth)}
	c := &Comparison{
		Work:  Relation(cost.BoundWithin(own.Work, stated.Work)),
		Depth: Relation(cost.BoundWithin(own.Depth, stated.Depth)),
	}
	if r.Mode == Training {
		rows := Relation(cost.BoundWithin(own.Depth, cost.Add(stated.Depth, cost.Log2(cost.Sym(cost.Vertices)))))
		c.DepthButRows = &rows
	}
	return &stated, c
}

func has(e cost.Expr, symbol string) bool {
	for _, s := range e.Symbols() {
		if s == symbol {
			return true
		}
	}
	return false
}

// sentence says the verdict in words, cost by cost.
func (r Request) sentence(v Verdict) string {
	names, given := []string{"[PDG]'s", "weft's"}, []*Comparison{v.Paper, v.Weft}
	var work, depth []string
	rows := ""
	for i, c := range given {
		if c == nil {
			continue
		}
		relation := c.Depth
		if c.DepthButRows != nil && c.Depth == Relation(cost.Larger) && *c.DepthButRows != c.Depth {
			relation, rows = *c.DepthButRows, " but for one log n: gradients of weights and biases are sums over n rows"
		}
		work, depth = append(work, than[c.Work]+" "+names[i]), append(depth, than[relation]+" "+names[i])
	}
	if len(work) == 0 {
		return "no bound is stated for " + r.Model.Name
	}
	return fmt.Sprintf("the work is %s, the depth is %s%s", joined(work), joined(depth), rows)
}

// than compares in words.
var than = [...]string{
	cost.Same: "the same as", cost.Smaller: "less than", cost.Larger: "more than", cost.Incomparable: "incomparable with",
}

// joined joins comparisons with both bounds, saying what they share once.
func joined(parts []string) string {
	if len(parts) < 2 {
		return parts[0]
	}
	for _, t := range than {
		first, one := strings.CutPrefix(parts[0], t)
		second, two := strings.CutPrefix(parts[1], t)
		if one && two {
			return t + first + " and" + second
		}
	}
	return parts[0] + " and " + parts[1]
}
