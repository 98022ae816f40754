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
	Messages  float64 `json:"messages"` // messages·α, and
	Words     float64 `json:"words"`    // words·β, less what is
	Hidden    float64 `json:"hidden"`   // behind computing
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
	sent        program.Traffic // of collectives
}

func pricingOf(p *program.Program) pricing {
	out := pricing{p: p, traffic: p.Traffic(program.Step)}
	sent := p.Traffics()
	for i, c := range p.Costs() {
		if n := p.Nodes[i]; n.Stage == program.Step && !isLeaf(n.Op) {
			out.ops = append(out.ops, pricedOp{program.Value(i), c.Work, c.Bytes, sent[i]})
		}
	}
	return out
}

// rankCosts are the costs of a step on one rank.
type rankCosts struct {
	words, messages, supersteps int64
	Terms
}

// on evaluates the costs on a rank: one of so many.
func (c pricing) on(k rank, where Cluster, ranks int) (n rankCosts, err error) {
	var errs [3]error
	n.words, errs[0] = c.traffic.Words.Eval(k.env)
	n.messages, errs[1] = c.traffic.Messages.Eval(k.env)
	n.supersteps, errs[2] = c.traffic.Supersteps.Eval(k.env)
	if err := cmp.Or(errs[:]...); err != nil {
		return n, fmt.Errorf("analysis: %w", err)
	}
	roof := where.Rates.Over(k.extent)
	s := schedule{Cluster: where, flights: map[int]flight{}}
	for _, o := range c.ops {
		work, err1 := o.work.Eval(k.env)
		bytes, err2 := o.bytes.Eval(k.env)
		if err := cmp.Or(err1, err2); err != nil {
			return n, fmt.Errorf("analysis: %w", err)
		}
		s.compute(where.turns(ranks) * where.Rates.Bound(roof.Traffic(c.p, o.value, work, bytes)).Seconds)
		if err := s.exchange(c.p.Nodes[o.value].Op, o.sent, k.env); err != nil {
			return n, fmt.Errorf("analysis: %w", err)
		}
	}
	n.Terms = s.terms()
	return n, nil
}

// schedule is a rank that runs the operations of a step one after the other, with
// exchanges under way meanwhile. They take turns on the link.
type schedule struct {
	Cluster
	now, free float64        // when the rank, and the link, have done what was asked of them
	flights   map[int]flight // exchanges under way
	Terms                    // in seconds
}

// flight is an exchange: when it ends, and what it takes.
type flight struct{ ends, messages, words float64 }

func (s *schedule) compute(seconds float64) {
	s.now += seconds
	s.Computing += seconds
}

// exchange lets an operation send what it sends. Where ranks share cores, these move
// the words too, and hide nothing.
func (s *schedule) exchange(op program.Op, sent program.Traffic, env cost.Env) error {
	if a, ok := op.(program.Await); ok {
		s.await(s.flights[a.Number])
		return nil
	}
	if _, ok := op.(program.Collective); !ok {
		return nil
	}
	messages, err1 := sent.Messages.Eval(env)
	words, err2 := sent.Words.Eval(env)
	f := flight{messages: s.Link.Seconds(messages, 0), words: s.Link.Seconds(0, words)}
	s.free = max(s.free, s.now) + f.all()
	f.ends = s.free
	if b, ok := op.(program.Begin); ok && s.Cores == 0 {
		s.flights[b.Number] = f
	} else {
		s.await(f)
	}
	return cmp.Or(err1, err2)
}

func (f flight) all() float64 { return f.messages + f.words }

// await waits for an exchange. What the rank waits for is split as what it takes.
func (s *schedule) await(f flight) {
	share := 0.0
	if f.all() > 0 {
		share = max(0, f.ends-s.now) / f.all()
	}
	s.now = max(s.now, f.ends)
	s.Messages += share * f.messages
	s.Words += share * f.words
	s.Hidden += max(0, 1-share) * f.all()
}

// terms are in milliseconds.
func (s *schedule) terms() Terms {
	return Terms{1e3 * s.Computing, 1e3 * s.Messages, 1e3 * s.Words, 1e3 * s.Hidden}
}
