package train

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/dataset/parted"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
)

// Team is the ranks that train one model together.
type Team struct {
	// Ends are those of this process: of all ranks, or of one where ranks are
	// processes.
	Ends   []comm.Transport
	Plan   plan.Plan
	Owners *plan.Owners // as Rank has it
	// Part, where set, opens the part of the data that a rank has.
	Part func(rank int) (*parted.Part, error)
	// Watch bounds how long ranks wait for each other; nil for ever.
	Watch *comm.Watch
}

// Train trains, and returns the result of the first rank of this process. prepare
// makes the trainer of one rank from the settings that it is given; ready, where
// not nil, is told of rank 0's.
//
// Errors: the first cause. Other ranks of this process are stopped; where ranks are
// processes the caller ends them, unless they [Agree].
func (t Team) Train(ctx context.Context, set Settings, prepare func(Settings) (*Trainer, error), ready func(*Trainer)) (*Result, error) {
	results, errs := make([]*Result, len(t.Ends)), make([]error, len(t.Ends))
	done, common := make(chan struct{}), &shared{programs: map[int][]*program.Program{}}
	for i, end := range t.Ends {
		go func() {
			results[i], errs[i] = t.one(ctx, &Rank{Plan: t.Plan, Comm: comm.New(end, t.Watch), Owners: t.Owners, Apart: t.apart(), shared: common}, set, prepare, ready)
			if errs[i] != nil && !t.apart() && !Agree(errs[i]) {
				end.Abort(errs[i])
			}
			done <- struct{}{}
		}()
	}
	for range t.Ends {
		<-done
	}
	return results[0], firstCause(errs)
}

// apart reports whether ranks are processes.
func (t Team) apart() bool { return len(t.Ends) < t.Plan.Ranks() }

// one trains as one rank.
func (t Team) one(ctx context.Context, r *Rank, set Settings, prepare func(Settings) (*Trainer, error), ready func(*Trainer)) (_ *Result, err error) {
	defer func() {
		if what := recover(); what != nil {
			err = fmt.Errorf("train: rank %d: %v\n%s", r.Comm.Rank(), what, debug.Stack())
		}
	}()
	if t.Part != nil {
		if r.Part, err = t.Part(r.Comm.Rank()); err != nil {
			return nil, err
		}
	}
	set.Rank = r
	trainer, err := prepare(set)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, trainer.Close()) }()
	if r.Comm.Rank() == 0 && ready != nil {
		ready(trainer)
	}
	return trainer.Train(ctx)
}

// firstCause returns the error of the first rank that failed by itself.
func firstCause(errs []error) error {
	for _, err := range errs {
		var gone *comm.RankError
		var ended *comm.AbortError
		if err != nil && !errors.As(err, &gone) && !errors.As(err, &ended) {
			return err
		}
	}
	return errors.Join(errs...)
}

// Agree reports whether err is one that all ranks have alike: they stopped
// together, and it is enough that one tells.
func Agree(err error) bool {
	var stopped *Interrupted
	var differ *MismatchError
	var bad *runtime.NonFiniteError
	return errors.As(err, &stopped) || errors.As(err, &differ) || errors.As(err, &bad)
}
