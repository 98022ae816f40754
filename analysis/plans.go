package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/machine"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
)

// Plans are plans for one model on one data set, the fastest first. Its JSON form is
// what `weft plan --json` prints.
type Plans struct {
	Model   string        `json:"model"`
	Data    string        `json:"data"`
	Mode    Mode          `json:"mode"`
	Plans   []Ranked      `json:"plans"`
	Refused []Refused     `json:"refused"`
	Machine RankedMachine `json:"machine"`
}

// Ranked is a plan with what a step costs under it. Words, messages, supersteps and
// memory are those that the runtime counts, exactly; the time is a model's.
type Ranked struct {
	// Order is the plan's place, from 1.
	Order int `json:"rank_order"`
	// Plan is written as `--plan` reads it.
	Plan       string  `json:"plan"`
	Words      Extreme `json:"words"`
	Messages   Extreme `json:"messages"`
	Supersteps int64   `json:"supersteps"`
	// MemoryBytes is that of the rank that needs most.
	MemoryBytes int64 `json:"memory_bytes"`
	// TimeMS is that of the slowest rank, and Terms what it is made of.
	TimeMS float64 `json:"time_ms"`
	Terms  Terms   `json:"terms_ms"`
	// Why compares the first plan with the second, and each other with the first.
	Why string `json:"why"`
}

// Extreme is a count over ranks: of the one that has most, and of all.
type Extreme struct {
	Max   int64 `json:"max"`
	Total int64 `json:"total"`
}

// Refused is a plan that cannot run, and the reason.
type Refused struct {
	Plan string `json:"plan"`
	Why  string `json:"why"`
}

// RankedMachine is what ranks are supposed to run on.
type RankedMachine struct {
	Ranks   int `json:"ranks"`
	Threads int `json:"threads"` // of each rank
	// Cores are those that all ranks share; null where each has its own.
	Cores  *int    `json:"cores"`
	Link   string  `json:"link"`
	Alpha  float64 `json:"alpha_us"`
	Beta   float64 `json:"beta_ns_per_word"`
	GFlops float64 `json:"gflops"` // multiply-adds of a rank's threads
	// MemoryGBs is the rate at which a rank's threads read memory in order.
	MemoryGBs float64 `json:"memory_gb_per_s"`
}

// Cluster is what ranks run on and send over.
type Cluster struct {
	// Rates are those of one rank's threads.
	Rates *machine.Machine
	Link  machine.Link
	// Cores are those that all ranks share: where there are more threads than cores
	// they take turns. 0 says that each rank has its own.
	Cores int
}

// Compare ranks plans for the request, whose own plan counts nothing. own says who
// has what under a plan; progress, where set, is told of each before it is costed.
//
// The time of a rank is Σ max(W/F, bytes/B) over its operations, where the bytes are
// served by the caches of the machine as package machine's roofline has it, plus
// what it waits for messages·α + words·β while it has nothing to compute: where each
// rank has cores of its own an exchange goes on behind what the program lets run before
// it is awaited. The time of a plan is the slowest rank's.
// Equal times are ordered by words, messages, memory and name. Of plans that differ in
// where rows are exchanged alone, see [plan.Plan.Plain], and follow each other, those are
// left out that send no fewer words than one before and take no less memory, or are
// refused as that is.
// Cost: for each plan that of dividing the graph; programs are compiled once for
// each way to hold edges.
// Errors: a request without a graph; ctx's. A plan that cannot run is no error.
func Compare(ctx context.Context, r Request, plans []plan.Plan, own func(plan.Plan) (*plan.Owners, error), on Cluster, progress func(p plan.Plan, i int)) (*Plans, error) {
	r.Plan, r.Owners = nil, nil
	s, err := r.study()
	if err != nil {
		return nil, err
	}
	if r.Data.Graph == nil {
		return nil, errors.New("analysis: plans are compared on a graph, there is none")
	}
	c := comparison{study: s, on: on, own: own, fleets: map[string]*fleet{}, prices: map[*program.Program]pricing{}}
	all := &Plans{Model: r.Model.Name, Data: r.Data.Name, Mode: r.Mode, Plans: []Ranked{}, Refused: []Refused{}}
	for i, p := range plans {
		if progress != nil {
			progress(p, i)
		}
		ranked, err := c.cost(p)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, errAgain):
		case err != nil:
			all.Refused = append(all.Refused, Refused{p.String(), err.Error()})
		default:
			all.Plans = append(all.Plans, ranked)
		}
		all.Machine = on.described(p.Ranks())
	}
	rankPlans(all.Plans)
	return all, nil
}

func (on Cluster) described(ranks int) RankedMachine {
	m := RankedMachine{
		Ranks: ranks, Threads: on.Rates.Threads, Link: on.Link.Name, Alpha: on.Link.AlphaUS, Beta: on.Link.BetaNS,
		GFlops: on.Rates.FMA / 1e9, MemoryGBs: on.Rates.Levels[len(on.Rates.Levels)-1].Read / 1e9,
	}
	if on.Cores > 0 {
		m.Cores = &on.Cores
	}
	return m
}

// turns is how many times longer a rank computes because others have its cores.
func (on Cluster) turns(ranks int) float64 {
	if on.Cores == 0 {
		return 1
	}
	return max(1, float64(ranks*on.Rates.Threads)/float64(on.Cores))
}

// comparison costs plans. Programs are the same wherever edges are held alike.
type comparison struct {
	study
	on     Cluster
	own    func(plan.Plan) (*plan.Owners, error)
	fleets map[string]*fleet
	prices map[*program.Program]pricing
	alike  alike
}

// alike is what is known of the plans that differ in where rows are exchanged alone, and
// follow each other.
type alike struct {
	plain   string
	runs    []string // programs
	listed  []Ranked
	owners  *plan.Owners
	refused bool
}

// errAgain says that a plan comes to what one before it did.
var errAgain = errors.New("nothing that the plan before does not do")

// fleet returns the programs that the ranks of a plan run.
func (c *comparison) fleet(p plan.Plan) *fleet {
	key := fmt.Sprintf("%+v", *p.Distribution(0))
	if c.fleets[key] == nil {
		s := c.study
		s.Plan = &p
		c.fleets[key] = s.fleet(model.NamedWidths(s.Data.Features, s.Data.Classes, s.Options))
	}
	return c.fleets[key]
}

// price returns the costs of a program's step.
func (c *comparison) price(p *program.Program) pricing {
	have, ok := c.prices[p]
	if !ok {
		have = pricingOf(p)
		c.prices[p] = have
	}
	return have
}

// cost says what a step costs under a plan.
func (c *comparison) cost(p plan.Plan) (out Ranked, err error) {
	if plain := p.Plain().String(); plain != c.alike.plain {
		c.alike = alike{plain: plain}
	}
	out.Plan = p.String()
	f, known := c.fleet(p), &c.alike
	first, err := f.of(0) // before the graph is divided
	switch {
	case known.refused, err == nil && slices.Contains(known.runs, first.compiled.String()):
		return out, errAgain
	case err == nil && known.owners == nil:
		known.owners, err = c.own(p)
	}
	if known.refused = err != nil; err != nil {
		return out, err
	}
	known.runs = append(known.runs, first.compiled.String())
	err = f.each(known.owners, func(k rank) error {
		n, err := c.price(k.compiled).on(k, c.on, p.Ranks())
		out.add(n, k.memory().RankBytes)
		return err
	})
	if err == nil && slices.ContainsFunc(known.listed, out.noBetterThan) {
		err = errAgain
	}
	known.listed = append(known.listed, out)
	return out, err
}

// noBetterThan reports whether another plan spares words and memory as much as this does.
func (a *Ranked) noBetterThan(other Ranked) bool {
	return other.Words.Total <= a.Words.Total && other.MemoryBytes <= a.MemoryBytes
}

// add takes in what one rank costs.
func (a *Ranked) add(n rankCosts, memory int64) {
	a.Words = Extreme{max(a.Words.Max, n.words), a.Words.Total + n.words}
	a.Messages = Extreme{max(a.Messages.Max, n.messages), a.Messages.Total + n.messages}
	a.Supersteps, a.MemoryBytes = max(a.Supersteps, n.supersteps), max(a.MemoryBytes, memory)
	if t := n.sum(); t > a.TimeMS {
		a.TimeMS, a.Terms = t, n.Terms
	}
}

// rankPlans puts the fastest first and says why.
func rankPlans(plans []Ranked) {
	slices.SortFunc(plans, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(a.TimeMS, b.TimeMS), cmp.Compare(a.Words.Max, b.Words.Max), cmp.Compare(a.Words.Total, b.Words.Total),
			cmp.Compare(a.Messages.Max, b.Messages.Max), cmp.Compare(a.MemoryBytes, b.MemoryBytes), cmp.Compare(a.Plan, b.Plan))
	})
	for i := range plans {
		plans[i].Order = i + 1
		switch {
		case i > 0:
			plans[i].Why = plans[i].behind(plans[0])
		case len(plans) > 1:
			plans[i].Why = plans[i].before(plans[1])
		default:
			plans[i].Why = "it is the only plan that can run"
		}
	}
}
