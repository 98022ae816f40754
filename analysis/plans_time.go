package analysis

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/program"
)

// Terms are what the time of a step is made of, in milliseconds.
type Terms struct {
	Computing float64 `json:"computing"`
	Messages  float64 `json:"messages"` // messages·α
	Words     float64 `json:"words"`    // words·β
}

func (t Terms) sum() float64 { return t.Computing + t.Messages + t.Words }

// excess is a term by which one plan is slower than another, with the verb that goes
// with it.
type excess struct {
	takes      string
	slow, fast float64
}

// over returns the term that exceeds another plan's most.
func (t Terms) over(o Terms) excess {
	all := []excess{{"computing takes", t.Computing, o.Computing}, {"messages take", t.Messages, o.Messages}, {"words take", t.Words, o.Words}}
	return slices.MaxFunc(all, func(a, b excess) int { return cmp.Compare(a.slow-a.fast, b.slow-b.fast) })
}

// pricing is what the operations of a step cost, as expressions.
type pricing struct {
	p       *program.Program
	ops     []pricedOp
	traffic program.Traffic
}

type pricedOp struct {
	value       program.Value
	work, bytes cost.Expr
}

func pricingOf(p *program.Program) pricing {
	out := pricing{p: p, traffic: p.Traffic(program.Step)}
	for i, c := range p.Costs() {
		if n := p.Nodes[i]; n.Stage == program.Step && !isLeaf(n.Op) {
			out.ops = append(out.ops, pricedOp{program.Value(i), c.Work, c.Bytes})
		}
	}
	return out
}

// rankCosts are the costs of a step on one rank.
type rankCosts struct {
	words, messages, supersteps int64
	Terms
}

// on evaluates the costs on a rank.
func (c pricing) on(k rank, where Cluster) (n rankCosts, err error) {
	var errs [3]error
	n.words, errs[0] = c.traffic.Words.Eval(k.env)
	n.messages, errs[1] = c.traffic.Messages.Eval(k.env)
	n.supersteps, errs[2] = c.traffic.Supersteps.Eval(k.env)
	if err := cmp.Or(errs[:]...); err != nil {
		return n, fmt.Errorf("analysis: %w", err)
	}
	roof := where.Rates.Over(k.extent)
	seconds := 0.0
	for _, o := range c.ops {
		work, err1 := o.work.Eval(k.env)
		bytes, err2 := o.bytes.Eval(k.env)
		if err := cmp.Or(err1, err2); err != nil {
			return n, fmt.Errorf("analysis: %w", err)
		}
		seconds += where.Rates.Bound(roof.Traffic(c.p, o.value, work, bytes)).Seconds
	}
	n.Terms = Terms{1e3 * seconds, 1e3 * where.Link.Seconds(n.messages, 0), 1e3 * where.Link.Seconds(0, n.words)}
	return n, nil
}
