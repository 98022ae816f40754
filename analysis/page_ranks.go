package analysis

import (
	"fmt"
	"strings"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/program"
)

// shown is an expression as it is printed: of several ranks, rank 0's, whose share
// of a sum over all ranks is the shortest to write.
func (rep *Report) shown(e cost.Expr) cost.Expr {
	if rep.Plan == nil {
		return e
	}
	first := map[string]cost.Expr{}
	for _, symbol := range program.Places() {
		first[symbol] = cost.Int(0)
	}
	return e.Subst(first)
}

// ofRank says whose an expression is.
func (rep *Report) ofRank() string {
	if rep.Plan == nil {
		return ""
	}
	return ", on rank 0 of P"
}

// writeRanks prints what the ranks of a plan have and what they send.
func (rep *Report) writeRanks(p *page) {
	if rep.Plan == nil {
		return
	}
	p.line("")
	p.line("On %d ranks: %s", rep.Ranks, *rep.Plan)
	p.entry(2, "rank has", nameColumn, rep.sharesText())
	t := table{head: []string{"", "layer", "operation", "words of all", "of a rank", "words that rank 0 sends"}, align: "lllrrl"}
	var when heading
	for _, o := range rep.Ops {
		if o.Words.Expr.IsZero() {
			continue
		}
		layer := ""
		if o.Layer != nil {
			layer = fmt.Sprint(*o.Layer)
		}
		phase := o.Phase.String()
		if o.Once {
			phase = stageName(true)
		}
		t.add("  "+when.next(phase), layer, o.Op, known(o.Words.Value), known(o.Words.Max), terms(rep.shown(o.Words.Expr).String()))
	}
	t.add("  step", "", "all of it", known(rep.Step.Words.Value), known(rep.Step.Words.Max), growth(rep.shown(rep.Step.Words.Expr)))
	t.write(p, 0)
	p.entry(2, "messages", nameColumn, rep.messagesText())
	p.entry(2, "bounds", nameColumn, rep.wordsText())
}

// sharesText says what the rank has that has most of it.
func (rep *Report) sharesText() string {
	var parts []string
	for _, s := range rep.Shares {
		if s.Max == nil {
			parts = append(parts, kept(s.Symbol+" "+s.Meaning))
		} else {
			parts = append(parts, kept(s.Symbol+" ≤ "+grouped(*s.Max)))
		}
	}
	return strings.Join(parts, ", ")
}

func (rep *Report) messagesText() string {
	m, s := rep.Step.Messages, rep.Step.Supersteps
	text := fmt.Sprintf("rank 0 sends %s", terms(rep.shown(m.Expr).String()))
	if m.Value != nil {
		text = fmt.Sprintf("%s in a step, a rank at most %s", grouped(*m.Value), grouped(*m.Max))
	}
	return fmt.Sprintf("%s; %v supersteps", text, s.Expr)
}

// wordsText relates what is sent to what the literature states.
func (rep *Report) wordsText() string {
	text := PaperTraffic
	if b := rep.Bound.Paper; b != nil && b.Supersteps != nil {
		text = fmt.Sprintf("supersteps: [PDG] %v = %d, weft %v. ", b.Supersteps.Expr, *b.Supersteps.Value, rep.Step.Supersteps.Expr) + text
	}
	return text
}

// known prints a count where it is known.
func known(v *int64) string {
	if v == nil {
		return ""
	}
	return grouped(*v)
}
