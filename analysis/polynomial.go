package analysis

import (
	"cmp"
	"maps"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
)

// Formula states what a model of L layers of one width costs: exact expressions
// in n, m, ℓ, m̂, k, H, L and, for layers that are MLPs, K. They hold for the
// program that the passes made at the sizes of the request, all edges of a stage
// being run through at once.
type Formula struct {
	Pre  Laws `json:"pre"`
	Step Laws `json:"step"`
	// Choices are what the passes chose by sizes.
	Choices []string `json:"choices"`
	// Rivals are the programs that other sizes make.
	Rivals []Rival `json:"rivals"`
}

// Rival is a program that the passes make at other sizes.
type Rival struct {
	Choices []string `json:"choices"`
	// Excess is what it costs more, by the price that passes go by, at the
	// request's K: operations and words moved in a step. Where it is negative the
	// rival runs, and the laws of the formula do not hold.
	Excess cost.Expr `json:"excess"`
}

// Laws are the laws of one stage.
type Laws struct {
	Work Law `json:"work"`
	// Depth takes d for the larger of d and d_out, and d̂ likewise: it is exact
	// where these are equal, as in undirected graphs, and an upper bound otherwise.
	Depth Law `json:"depth"`
	Bytes Law `json:"bytes"`
}

// Law is an expression in L, or of one L where From is 0.
type Law struct {
	Expr cost.Expr `json:"expr"`
	// From is the least number of layers from which on Expr holds; 0 where the
	// cost is not linear in L, and Expr is that of the request's layers alone.
	From int `json:"from_layers"`
}

// total adds the laws of both stages.
func (f Formula) total() Laws {
	add := func(a, b Law) Law {
		l := Law{Expr: cost.Add(a.Expr, b.Expr), From: max(a.From, b.From)}
		if a.From == 0 || b.From == 0 {
			l.From = 0
		}
		return l
	}
	return Laws{add(f.Pre.Work, f.Step.Work), add(f.Pre.Depth, f.Step.Depth), add(f.Pre.Bytes, f.Step.Bytes)}
}

// Polynomial derives the totals of r's model for any number of layers, all
// widths being the hidden one. Its programs of 3 and of 4 layers give the
// expressions, inner layers costing the same each; those of 5, 2 and 1 layers
// tell whether and from where on they hold. What depends on K is found from the
// request's K and the next, and checked at the one after.
//
// Errors: those of [Request.Validate] and of the declaration.
func Polynomial(r Request) (Formula, error) {
	s, err := r.study()
	if err != nil {
		return Formula{}, err
	}
	return s.polynomial()
}

func (r study) polynomial() (Formula, error) {
	f, err := r.laws()
	if err != nil {
		return f, err
	}
	if r.hasInnerDepth() {
		if err := r.inDepth(&f); err != nil {
			return f, err
		}
	}
	f.Rivals, err = r.rivals(f)
	return f, err
}

// The numbers of layers that a law is derived from, and then checked at.
var (
	derivedFrom = [2]int{3, 4}
	checkedAt   = [3]int{5, 2, 1}
)

// laws derives the laws in L, at the request's K.
func (r study) laws() (Formula, error) {
	at := map[int]stageCosts{} // by layers
	f := Formula{Choices: []string{}}
	for _, layers := range append(derivedFrom[:], checkedAt[:]...) {
		s, err := r.equalWidths(layers)
		if err != nil {
			return f, err
		}
		at[layers] = r.symmetricCosts(s.compiled)
		if layers == derivedFrom[0] {
			f.Choices = s.choices()
		}
	}
	var lawless []int
	laws := f.all()
	for i := range laws {
		var ok bool
		if *laws[i], ok = lawOf(func(layers int) cost.Expr { return at[layers][i] }); !ok {
			lawless = append(lawless, i)
		}
	}
	if len(lawless) == 0 {
		return f, nil
	}
	own, err := r.equalWidths(r.Options.Layers)
	if err != nil {
		return f, err
	}
	for _, i := range lawless {
		laws[i].Expr = r.symmetricCosts(own.compiled)[i]
	}
	return f, nil
}

// all lists the laws of both stages.
func (f *Formula) all() []*Law {
	return []*Law{&f.Pre.Work, &f.Pre.Depth, &f.Pre.Bytes, &f.Step.Work, &f.Step.Depth, &f.Step.Bytes}
}

// stageCosts are work, depth and bytes before the step and in it, in the order of
// Formula.all.
type stageCosts = [6]cost.Expr

// lawOf derives the law of a cost that is known at some numbers of layers, and
// reports whether there is one.
func lawOf(at func(layers int) cost.Expr) (Law, bool) {
	lo, hi := derivedFrom[0], derivedFrom[1]
	e, ok := cost.Line(cost.Sym(cost.Layers), int64(lo), at(lo), int64(hi), at(hi))
	holds := func(layers int) bool { return ok && put(e, cost.Layers, layers).Equal(at(layers)) }
	if !holds(checkedAt[0]) {
		return Law{}, false
	}
	from := lo
	for from > 1 && holds(from-1) {
		from--
	}
	return Law{Expr: e, From: from}, true
}

// put gives a symbol of e its value.
func put(e cost.Expr, symbol string, v int) cost.Expr {
	return e.Subst(map[string]cost.Expr{symbol: cost.Int(int64(v))})
}

// lines interpolates the totals between the numbers of layers that laws are
// derived from.
func (r study) lines() (lines stageCosts, err error) {
	lo, err1 := r.equalWidths(derivedFrom[0])
	hi, err2 := r.equalWidths(derivedFrom[1])
	if err := cmp.Or(err1, err2); err != nil {
		return lines, err
	}
	a, b := r.symmetricCosts(lo.compiled), r.symmetricCosts(hi.compiled)
	for i := range lines {
		lines[i], _ = cost.Line(cost.Sym(cost.Layers), int64(derivedFrom[0]), a[i], int64(derivedFrom[1]), b[i])
	}
	return lines, nil
}

// innerDepth is the number of layers of an MLP inside a layer.
const innerDepth = "K"

// hasInnerDepth reports whether the model's program depends on K.
func (r Request) hasInnerDepth() bool {
	text := func(depth int) string {
		r.Options.Depth = depth
		p, err := r.declare(model.EqualWidths(r.Options))
		if err != nil {
			return err.Error()
		}
		return p.String()
	}
	return text(2) != text(3)
}

// inDepth makes laws at the request's K laws in K, where the next K lead there
// and the one after agrees.
func (r study) inDepth(f *Formula) error {
	own := r.Options.Depth
	r.Options.Depth = own + 1
	next, err := r.lines()
	if err != nil {
		return err
	}
	r.Options.Depth = own + 2
	after, err := r.equalWidths(derivedFrom[0])
	if err != nil {
		return err
	}
	check := r.symmetricCosts(after.compiled)
	for i, law := range f.all() {
		e, ok := cost.Line(cost.Sym(innerDepth), int64(own), law.Expr, int64(own+1), next[i])
		if ok && law.From > 0 && put(put(e, innerDepth, own+2), cost.Layers, derivedFrom[0]).Equal(check[i]) {
			law.Expr = e
		}
	}
	return nil
}

// elsewhere are the mean degrees and the multiples of k at which rivals are
// looked for: what passes weigh is m·k against n·k².
var elsewhere = []struct {
	degree int64
	widths int
}{{1, 1}, {16, 1}, {1024, 1}, {1, 16}, {16, 16}, {1, 256}}

// rivals finds the programs that the passes make elsewhere.
func (r study) rivals(f Formula) ([]Rival, error) {
	out := []Rival{}
	own, err := r.equalWidths(rivalLayers)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{own.compiled.String(): true}
	for _, at := range elsewhere {
		other := r
		other.sizes = r.supposed(at.degree)
		other.Options.Hidden *= at.widths
		s, err := other.equalWidths(rivalLayers)
		if err != nil {
			return nil, err
		}
		if text := s.compiled.String(); seen[text] {
			continue
		} else {
			seen[text] = true
		}
		lines, err := other.lines()
		if err != nil {
			return nil, err
		}
		excess := put(cost.Sub(r.price(lines), r.price(f.expressions())), innerDepth, r.Options.Depth)
		if !excess.IsZero() { // otherwise the same work, elsewhere: no memory to do it once
			out = append(out, Rival{Choices: s.choices(), Excess: excess})
		}
	}
	return out, nil
}

// rivalLayers is the number of layers by which programs are told apart.
const rivalLayers = 2

// price is the passes' measure of a step: operations and words moved, those of
// what runs once being spread over the steps.
func (r study) price(e stageCosts) cost.Expr {
	of := func(work, bytes cost.Expr, per int64) cost.Expr {
		return cost.Add(cost.Mul(cost.Rat(1, per), work), cost.Mul(cost.Rat(1, 4*per), bytes))
	}
	return cost.Add(of(e[0], e[2], r.Steps), of(e[3], e[5], 1))
}

// expressions lists the laws' expressions.
func (f *Formula) expressions() (e stageCosts) {
	for i, law := range f.all() {
		e[i] = law.Expr
	}
	return e
}

// equalWidths compiles the model with so many layers of one width. Stages of
// edges run at once: what memory there is decides about chunks, not a law.
func (r study) equalWidths(layers int) (subject, error) {
	r.Options.Layers = layers
	r.Skip = with(maps.Clone(r.Skip), "chunk")
	r.Data.Features, r.Data.Classes = r.Options.Hidden, r.Options.Hidden
	sizes := maps.Clone(r.sizes)
	delete(sizes, nonzeros) // an input of k columns is another one, and dense
	return r.compile(model.EqualWidths(r.Options), sizes)
}

// symmetricCosts returns the totals of each stage with degrees in and out equal.
func (r Request) symmetricCosts(p *program.Program) (out stageCosts) {
	spent := spendingOf(p)
	for i, stage := range []program.Stage{program.Pre, program.Step} {
		c := sum(p, spent, func(i int) bool { return p.Nodes[i].Stage == stage })
		for j, e := range []cost.Expr{c.Work, c.Depth.Subst(symmetric), c.Bytes} {
			out[3*i+j] = r.heads(e)
		}
	}
	return out
}

// symmetric takes the larger of both degrees for either.
var symmetric = map[string]cost.Expr{
	cost.OutDegree:    cost.Sym(cost.Degree),
	cost.OutWithLoops: cost.Sym(cost.DegreeWithLoops),
}
