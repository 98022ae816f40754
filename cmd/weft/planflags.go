package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/dataset/yamldoc"
	"github.com/weft-gnn/weft/plan"
)

// planFlags say on how many ranks, and how, a command's program runs.
type planFlags struct {
	plan  string
	ranks int
}

func (f *planFlags) register(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.plan, "plan", "", "plan `FILE.yaml|key=value,…`: algorithm ("+algorithms()+"), partition (P ranks, RxS of 2d, or RxSxC of 3d), feature, replica (ranks along these axes; all multiply), replication (of 1.5d), resplit (of feature), partitioner (see weft partition --help), exchange (after, before or auto: on which side of products rows are exchanged), halo (communicate or recompute: rows of others), backward (sums, rows or auto: what goes back in backward), overlap (true or false, default true: compute while exchanging) (default: one rank)")
	s.IntVar(&f.ranks, "ranks", 1, "number `N` of ranks, along the axis of the plan's algorithm where it names none; without --plan, algorithm=1d,partition=N")
	title(c, "Parallelism")
}

func algorithms() string {
	var names []string
	for _, a := range plan.Algorithms() {
		names = append(names, a.String())
	}
	return strings.Join(names, ", ")
}

// choose returns the plan that was asked for, nil for none. Where neither it nor
// --ranks says on how many ranks, it is for those that there are: processes of a
// launcher, or parts of a set.
//
// Errors: of usage: a plan that is none, or for another number of ranks.
func (f *planFlags) choose(c *cobra.Command, there int) (*plan.Plan, error) {
	asked := c.Flags().Changed("ranks")
	if asked && f.ranks < 1 {
		return nil, usagef("--ranks %d: want at least 1", f.ranks)
	}
	if !asked {
		f.ranks = there
	}
	if f.plan == "" {
		if !asked || f.ranks == 1 {
			return nil, nil
		}
		p := plan.OnRanks(f.ranks)
		return &p, usage(p.Validate())
	}
	p, err := f.read()
	if err != nil {
		return nil, usage(fmt.Errorf("--plan: %w", err))
	}
	if asked && f.ranks != p.Ranks() {
		return nil, usagef("--ranks %d: the plan %v is for %d ranks", f.ranks, p, p.Ranks())
	}
	return &p, nil
}

// read parses the plan, or the file that it names.
func (f *planFlags) read() (plan.Plan, error) {
	if strings.ContainsAny(f.plan, "=,") {
		return plan.ParseOn(f.plan, f.ranks)
	}
	text, err := yamldoc.Read(f.plan, maxPlan)
	if errors.Is(err, fs.ErrNotExist) && filepath.Ext(f.plan) == "" {
		hint := ""
		if _, err := plan.ParseAlgorithm(f.plan); err == nil {
			hint = "; did you mean algorithm=" + f.plan + "?"
		}
		return plan.Plan{}, fmt.Errorf("%s is neither key=value,… nor a file%s", f.plan, hint)
	}
	if err != nil {
		return plan.Plan{}, err
	}
	return plan.ParseYAML(f.plan, text, f.ranks)
}

// maxPlan bounds the file of a plan, which is some lines long.
const maxPlan = 64 << 10

// threadsOf is how many threads each rank of this process has where nobody says:
// the CPUs are shared out.
func threadsOf(ranks int) int { return max(1, runtime.NumCPU()/ranks) }
