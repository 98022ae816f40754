package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/comm/mpi"
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/train"
)

// world is this process's place among the ranks that a launcher such as mpirun
// started; nil where it is alone.
type world struct {
	end   comm.Transport
	talk  *comm.Comm // for what ranks tell each other beside training
	watch *comm.Watch
}

// join takes this process's place among the ranks that a launcher started. Only
// rank 0 speaks from then on, but for errors of a rank alone.
//
// Errors: of usage: a weft without MPI, which would train the same model again in
// each process. A launcher's only process is no rank.
func (a *app) join(watch *comm.Watch) error {
	rank, size, launched := mpi.Launched()
	if !launched || size == 1 {
		return nil
	}
	end, err := mpi.World()
	if errors.Is(err, mpi.ErrWithout) {
		of := "several"
		if size > 0 {
			of = fmt.Sprint(size)
		}
		return usagef("a launcher started this process as rank %d of %s, but this weft was built without MPI, and each process would train the same model by itself: "+
			"build it with CC=mpicc go build -tags mpi ./cmd/weft, or start one process with --ranks N", rank, of)
	}
	if err != nil {
		return err
	}
	a.world = &world{end: end, talk: comm.New(end, watch), watch: watch}
	if end.Rank() > 0 {
		a.quiet, a.terminal, a.out = true, false, io.Discard
	}
	return nil
}

// leads reports whether this process speaks for all.
func (w *world) leads() bool { return w == nil || w.end.Rank() == 0 }

// planned holds a plan, nil for one rank, against the number of processes.
//
// Errors: of usage.
func (w *world) planned(p *plan.Plan) (*plan.Plan, error) {
	switch n := w.end.Size(); {
	case p == nil && n > 1:
		p := plan.OnRanks(n)
		return &p, usage(p.Validate())
	case p != nil && p.Ranks() != n:
		return nil, usagef("the plan %v is for %s, and the launcher started %s, each of which is a rank: start %d, as with mpirun -np %d weft train …, or leave the number of ranks to it",
			p, plural(int64(p.Ranks()), "rank", "ranks"), plural(int64(n), "process", "processes"), p.Ranks(), p.Ranks())
	}
	return p, nil
}

// fromFirst returns what rank 0 says.
func (w *world) fromFirst(ctx context.Context, text string) (string, error) {
	if w == nil {
		return text, nil
	}
	all, err := w.talk.GatherBytes(ctx, []byte(text))
	if err != nil {
		return "", err
	}
	return string(all[0]), nil
}

// sharing counts the ranks on this one's host, and those among them that may use the
// same CPUs.
func (w *world) sharing(ctx context.Context) (host, cpus int, err error) {
	name, err := os.Hostname()
	if err != nil {
		return 0, 0, err
	}
	name += "\n"
	mine := fmt.Sprint(name, usableCPUs())
	all, err := w.talk.GatherBytes(ctx, []byte(mine))
	for _, theirs := range all {
		if strings.HasPrefix(string(theirs), name) {
			host++
		}
		if string(theirs) == mine {
			cpus++
		}
	}
	return host, cpus, err
}

// agree reports whether all ranks have an error alike: those of training that they
// agreed on, and what is wrong with the command that started them all.
func agree(err error) bool {
	var wrong usageError
	var noSplit *dataset.NoSplitError
	return train.Agree(err) || errors.As(err, &wrong) || errors.As(err, &noSplit)
}

// tells reports whether this process tells of an error, and what comes before it.
func (w *world) tells(err error) (prefix string, ok bool) {
	switch {
	case w == nil:
		return "", true
	case agree(err):
		return "", w.leads()
	}
	return fmt.Sprintf("rank %d: ", w.end.Rank()), true
}

// leave ends this process's part. Where it has an error by itself, and has told of
// it, the other ranks are ended too.
func (w *world) leave(err error) error {
	switch {
	case w == nil:
		return nil
	case err == nil || agree(err):
		return w.end.Close()
	}
	time.Sleep(lastWords)
	w.end.Abort(err)
	return nil
}

// lastWords is how long a launcher has to pass on what a rank said before it aborted:
// MPICH's drops what it has not read by then.
const lastWords = 200 * time.Millisecond
