package train

import (
	"fmt"

	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
)

// programs compiles the objective and the prediction, once for all ranks of the
// process that run the same.
func (t *Trainer) programs(features int) ([]*program.Program, error) {
	compile := func() ([]*program.Program, error) { return t.compile(features) }
	if r := t.set.Rank; r != nil && r.shared != nil {
		return r.shared.compiled(r.Plan.Distribution(r.Comm.Rank()).Alike(), compile)
	}
	return compile()
}

// compile declares the objective and the prediction, and compiles both.
func (t *Trainer) compile(features int) ([]*program.Program, error) {
	c := t.cfg
	widths := model.NamedWidths(features, t.problem.out, c.Options)
	opt := program.Optimizer{Kind: c.Optimizer, Momentum: c.Momentum}
	decay := c.Decay
	if c.Optimizer == program.AdamWKind {
		opt.Decay, decay = c.Decay.Lambda, model.Decay{}
	}
	objective, err := t.model.Objective(widths, c.Options, t.problem.loss, decay)
	if err != nil {
		return nil, err
	}
	prediction, err := t.model.Declare(widths, c.Options)
	if err != nil {
		return nil, err
	}
	f := t.facts(objective, prediction)
	f.Optimizer = &opt
	f.Env["nnz"] = t.known.nonzeros
	step, err := program.Compile(objective, f, nil)
	if err != nil {
		return nil, t.cannotRun(err)
	}
	f.Optimizer, f.Pieces = nil, step.Pieces()
	eval, err := program.Compile(prediction, f, nil)
	return []*program.Program{step, eval}, t.cannotRun(err)
}

// cannotRun names the plan that a pass refused, if it did.
func (t *Trainer) cannotRun(err error) error {
	if err == nil || !t.among() {
		return err
	}
	return fmt.Errorf("train: the plan %v cannot run %s: %w", t.set.Rank.Plan, t.cfg.Model, err)
}
