package analysis

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/program"
)

// Page says how much of a report WriteText prints.
type Page struct {
	// Ops lists every operation besides the sums by layer.
	Ops bool
}

// nameColumn is where the texts beside names begin.
const nameColumn = 13

// WriteText prints the report for reading, at most 100 columns wide as far as
// its expressions allow.
func (rep *Report) WriteText(w io.Writer, o Page) error {
	p := &page{w: w}
	rep.writeHead(p)
	rep.writeCosts(p)
	rep.writeRanks(p)
	if o.Ops {
		rep.writeOps(p)
	}
	rep.writeExact(p)
	rep.writeBounds(p)
	rep.writePasses(p)
	rep.writeConditions(p)
	return p.err
}

func (rep *Report) writeHead(p *page) {
	subject := map[Mode]string{Inference: "one forward pass", Training: "one training step"}[rep.Mode]
	if rep.Data != nil && *rep.Data != "" {
		subject += " on " + *rep.Data
	}
	p.line("%s: %s, %s", rep.Model, rep.Title, subject)
	p.line("%s", rep.Equation)
	p.line("%s", rep.Source)
	p.line("")
	p.entry(0, "class", nameColumn, rep.classText())
	p.entry(0, "runs as", nameColumn, rep.formulationText())
	rep.writeParts(p)
	p.entry(0, "sizes", nameColumn, rep.sizesText())
	if g := rep.Graph; g != nil && rep.Class != NoGNN {
		p.entry(0, "A", nameColumn, fmt.Sprintf("density %s; in-degrees: mean %s, median %d, p99 %d, largest %s, CV %s",
			percent(g.Density), significant(g.In.Mean, false), g.In.P50, g.In.P99, grouped(int64(g.In.Max)), significant(g.In.CV, false)))
		p.entry(0, "", nameColumn, g.Imbalance)
	}
	if x := rep.inputText(); x != "" {
		p.entry(0, "X", nameColumn, x)
	}
}

func (rep *Report) classText() string {
	text := rep.Class.String() + ", " + rep.Class.Formula()
	switch {
	case rep.Class == NoGNN:
		return "not a GNN, " + rep.Class.Formula() + ": it reads no edges"
	case rep.Precomputable && len(rep.Coefficients) > 0:
		return text + ": the graph fixes c (" + strings.Join(rep.Coefficients, ", ") + "), so it is computed once"
	case rep.Precomputable:
		return text + ": c = 1"
	}
	return text + ": learned, computed on every edge in every step"
}

func (rep *Report) formulationText() string {
	kind := map[int]string{1: "linear in A"}[rep.Degree]
	if kind == "" {
		kind = fmt.Sprintf("polynomial of degree %d in A", rep.Degree)
	}
	switch rep.Formulation {
	case Global:
		return "global, " + kind + ": messages are products over A's pattern, none is stored"
	case Local:
		return "local, " + kind + ": every message is a row of its own"
	}
	return "products of dense matrices alone"
}

// writeParts prints what one message and one vertex cost.
func (rep *Report) writeParts(p *page) {
	if rep.Class == NoGNN {
		return
	}
	m := rep.Parts.Message
	text := fmt.Sprintf("ψ: work %v, depth %v", m.Work, m.Depth)
	if b := rep.Parts.Paper; b != nil {
		text += fmt.Sprintf("   ([PDG] Table 5: %v, %v)", b.Work, b.Depth)
	}
	p.entry(0, "per edge", nameColumn, text)
	a, u := rep.Parts.Aggregate, rep.Parts.Update
	p.entry(0, "", nameColumn, fmt.Sprintf("⊕: work %v, depth %v", a.Work, a.Depth))
	p.entry(0, "per vertex", nameColumn, fmt.Sprintf("φ: work %v, depth %v", u.Work, u.Depth))
}

func (rep *Report) sizesText() string {
	var parts []string
	for _, s := range rep.Symbols {
		if s.Value != nil {
			parts = append(parts, kept(s.Name+" = "+grouped(*s.Value)))
		} else {
			parts = append(parts, kept(s.Name+" "+s.Meaning))
		}
	}
	return strings.Join(parts, ", ")
}

// inputText says how dense the features are, where that was counted.
func (rep *Report) inputText() string {
	nnz, ok := rep.Symbols.Value(nonzeros)
	if !ok {
		return ""
	}
	sparse := slices.ContainsFunc(rep.Tensors, func(t Tensor) bool { return t.Name == program.SparseEntries })
	n, _ := rep.Symbols.Value(cost.Vertices)
	k, _ := rep.Symbols.Value(cost.FeaturesIn)
	how := map[bool]string{true: "kept as its entries", false: "kept dense, which costs less"}[sparse]
	return fmt.Sprintf("density %s, %s", percent(share(nnz, n, k)), how)
}

// writeExact prints the expressions of the program and of any number of layers.
func (rep *Report) writeExact(p *page) {
	p.line("")
	p.line("Exactly, for one step%s", rep.ofRank())
	p.entry(2, "W =", 6, terms(rep.shown(rep.Step.Work.Expr).String()))
	p.entry(2, "D =", 6, terms(rep.shown(rep.Step.Depth.Expr).String()))
	p.entry(2, "B =", 6, terms(rep.shown(rep.Step.Bytes.Expr).String()))
	if m := rep.Memory; m != nil {
		text := fmt.Sprintf("%s: arena %s, input %s, graph %s",
			bytesText(m.RankBytes), bytesText(m.ArenaBytes), bytesText(m.InputBytes), bytesText(m.GraphBytes))
		if rep.Plan != nil {
			text += fmt.Sprintf("; each the most of a rank, all ranks hold %s", bytesText(m.TotalBytes))
		}
		p.entry(0, "memory", nameColumn, text)
	}
	p.line("")
	p.line("For L layers of width k and dense X, what runs once included%s", map[bool]string{true: ", on one rank"}[rep.Plan != nil])
	t := rep.Formula.total()
	for _, l := range []struct {
		name string
		law  Law
	}{{"W =", t.Work}, {"D =", t.Depth}, {"B =", t.Bytes}} {
		text := terms(l.law.Expr.String())
		if l.law.From > 1 {
			text += kept(fmt.Sprintf("   (L ≥ %d)", l.law.From))
		} else if l.law.From == 0 {
			text += kept("   (for this L alone)")
		}
		p.entry(2, l.name, 6, text)
	}
}

// writeBounds prints the three lines that matter, and the verdict.
func (rep *Report) writeBounds(p *page) {
	p.line("")
	p.line("Bounds for L layers, all widths k, one head")
	t := table{head: []string{"", "work", "depth", "supersteps"}, align: "llll"}
	row := func(name string, b *Bound, supersteps string) {
		if b == nil {
			t.add(name, "states none", "", "")
			return
		}
		t.add(name, b.Work.BigO(), b.Depth.BigO(), supersteps)
	}
	paper := ""
	if b := rep.Bound.Paper; b != nil && b.Supersteps != nil {
		paper = b.Supersteps.Expr.String()
	}
	row("paper says", rep.Bound.Paper, paper)
	row("weft needs", rep.Bound.Weft, "")
	counted := "0 on one rank"
	if s := rep.Bound.Derived.Supersteps; s != nil {
		counted = s.Expr.String()
	}
	row("weft counts", &rep.Bound.Derived, counted)
	t.write(p, 2)
	p.entry(2, "verdict", 2+nameColumn, rep.Verdict.Text)
}

func (rep *Report) writeConditions(p *page) {
	if len(rep.Conditions) == 0 && len(rep.Formula.Choices) == 0 && len(rep.Formula.Rivals) == 0 {
		return
	}
	p.line("")
	p.line("These numbers rest on")
	for _, c := range rep.Conditions {
		p.entry(2, "-", 4, c)
	}
	for _, c := range rep.Formula.Choices {
		p.entry(2, "-", 4, "for L layers of width k: "+c)
	}
	for _, r := range rep.Formula.Rivals {
		elsewhere := "all layers run as declared"
		if len(r.Choices) > 0 {
			elsewhere = strings.Join(r.Choices, "; ")
		}
		p.entry(2, "-", 4, fmt.Sprintf("for L layers of width k: this holds where 0 < %s; elsewhere %s", terms(r.Excess.String()), elsewhere))
	}
}
