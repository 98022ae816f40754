package analysis

import (
	"fmt"

	"github.com/weft-gnn/weft/model"
)

// Report is what there is to say about a model, on a graph where one is given.
// Its JSON form is what `weft analyze --json` prints; every cost is an object
// {expr, value}, the value null without data.
type Report struct {
	Model string `json:"model"`
	// Title, Equation and Source are the declaration's.
	Title    string  `json:"title"`
	Equation string  `json:"equation"`
	Source   string  `json:"source"`
	Data     *string `json:"data"`
	Mode     Mode    `json:"mode"`
	// Plan is null where one rank runs everything.
	Plan  *string `json:"plan"`
	Ranks int     `json:"ranks"`
	// Formulation is how messages run in the program below.
	Formulation Formulation `json:"formulation"`
	Character
	Symbols Symbols     `json:"symbols"`
	Shares  []Share     `json:"shares"` // what ranks have of the sizes; null without a plan
	Graph   *GraphFacts `json:"graph"`  // null without data
	Tensors []Tensor    `json:"tensors"`
	Ops     []Op        `json:"ops"`
	Groups  []Group     `json:"groups"`
	Stages
	Memory *Memory `json:"memory"` // null without data
	// Parts are ψ, ⊕ and φ alone.
	Parts Parts `json:"parts"`
	// Formula holds for any number of layers of one width, here "polynomial".
	Formula Formula    `json:"polynomial"`
	Bound   Bounds     `json:"bound"`
	Verdict Verdict    `json:"verdict"`
	Passes  []PassCost `json:"passes"`
	// Steps is over how many steps what runs once is spread.
	Steps int64 `json:"steps"`
	// Conditions say what the numbers rest on: what was supposed where the
	// request was silent, and what the passes chose by sizes.
	Conditions []string `json:"conditions"`
}

// Analyze compiles the requested model and says what it costs.
//
// Cost: that of compiling the program about ten times, and programs of up to five
// layers about thirty times; O(n + m + n·k_in) for the data. Nothing is executed.
// Errors: those of [Request.Validate], of the declaration, and of a graph that
// lacks a coefficient the model uses.
func Analyze(r Request) (*Report, error) {
	if err := r.validatePlan(); err != nil {
		return nil, err
	}
	study, err := r.study()
	if err != nil {
		return nil, err
	}
	return study.report()
}

func (r study) report() (*Report, error) {
	widths := model.NamedWidths(r.Data.Features, r.Data.Classes, r.Options)
	whole := r // what one rank runs: sizes, bounds and passes are of it
	whole.Plan, whole.Owners = nil, nil
	s, err := whole.compile(widths, r.sizes)
	if err != nil {
		return nil, err
	}
	rep := &Report{
		Model: r.Model.Name, Title: r.Model.Title, Equation: r.Model.Formula, Source: r.Model.Source, Mode: r.Mode, Ranks: 1,
		Formulation: formulationOf(s.compiled), Character: characterise(s.declared), Steps: r.Steps,
	}
	var a at
	if g := r.Data.Graph; g != nil {
		if err := s.compiled.Check(r.extent(s.compiled)); err != nil {
			return nil, fmt.Errorf("analysis: %w", err)
		}
		a.env, rep.Graph, rep.Data = s.facts.Env, factsOf(g), &r.Data.Name
	}
	rep.Symbols = symbols(s, r.Request, a)
	if err := rep.fill(whole, s, a); err != nil {
		return nil, err
	}
	if rep.Conditions, err = whole.conditions(s); err != nil {
		return nil, err
	}
	if r.Plan != nil {
		return rep, rep.spread(r, widths, a)
	}
	if r.Data.Graph != nil {
		if rep.Memory, err = r.memory(s); err != nil {
			return nil, err
		}
	}
	return rep, rep.costs(s, a)
}

// fill adds what is the same on any number of ranks.
func (rep *Report) fill(r study, s subject, a at) (err error) {
	if rep.Tensors, err = a.tensors(s.compiled); err != nil {
		return err
	}
	if rep.Parts, err = r.parts(); err != nil {
		return err
	}
	if rep.Formula, err = r.polynomial(); err != nil {
		return err
	}
	rep.Bound, rep.Verdict = r.compare(rep.Formula, rep.Class != NoGNN)
	rep.Passes, err = r.savings(a, s)
	return err
}

// spread adds what the plan's ranks cost.
func (rep *Report) spread(r study, widths model.Widths, a at) error {
	f := r.fleet(widths)
	first, err := f.of(0)
	if err != nil {
		return err
	}
	text := r.Plan.String()
	rep.Plan, rep.Ranks, rep.Formulation = &text, r.Plan.Ranks(), formulationOf(first.compiled)
	if r.Data.Graph == nil && r.Mode == Training && first.facts.Distribution.Mirrors() {
		rep.Conditions = append(rep.Conditions, "every edge has its reverse, of the same weight: else no rows of gradients are sent back")
	}
	if r.Data.Graph != nil {
		var all Memory
		err := f.each(r.Owners, func(k rank) error {
			a.ranks = append(a.ranks, k.env)
			all = all.beside(k.memory())
			return nil
		})
		if err != nil {
			return err
		}
		rep.Memory = &all
	}
	rep.Shares = a.shares(first.compiled)
	if err := rep.costs(first.subject, a); err != nil {
		return err
	}
	rep.Bound.Derived.Supersteps, rep.Bound.Derived.Words = &rep.Step.Supersteps, &rep.Step.Words
	return nil
}

// costs adds what the compiled program costs, on one rank or several.
func (rep *Report) costs(s subject, a at) (err error) {
	if rep.Ops, err = a.ops(s.compiled); err != nil {
		return err
	}
	if rep.Groups, err = a.groups(s.compiled); err != nil {
		return err
	}
	if rep.Stages, err = a.stages(s.compiled); err != nil {
		return err
	}
	if rep.Memory != nil {
		rep.Total.MemoryBytes = &rep.Memory.RankBytes
	}
	return nil
}
