package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/comm/mpi"
	"github.com/weft-gnn/weft/machine"
	"github.com/weft-gnn/weft/perf"
)

func (a *app) calibrateCommand() *cobra.Command {
	var threads int
	var fresh, asJSON bool
	c := &cobra.Command{
		Use:   "calibrate",
		Short: "Measure what this machine can do, and keep it",
		Long: `Measure what this machine can do: the rate of multiply-adds, how fast each
cache and the memory deliver streams of bytes and rows in random order, and
what it takes to send something between two ranks of one process: α µs for
each message and β ns for each word of 4 bytes. weft bench holds what it
measures against the rates; weft plan computes with both.

Started by mpirun or srun, on two processes or more, it measures the link
between the first two of them instead. Put these on two hosts for the link
of a network.

Rates are kept in a file of the cache for each number of threads, links in
one. Other load on the machine can only slow down what is measured: what is
kept already stands where it is faster.`,
		Example: `  weft calibrate
  weft calibrate --threads 1 --json
  mpirun -np 2 weft calibrate`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			dir := a.cacheDir()
			if dir == "" {
				return errNoCache
			}
			k := calibrated{}
			var err error
			if _, size, launched := mpi.Launched(); launched && size != 1 {
				k.Links, err = calibrateMPI(c.Context(), dir, fresh)
			} else {
				k, err = calibrate(c.Context(), dir, threads, fresh)
			}
			if err != nil || k.Links == nil { // rank 0 alone has something to say
				return err
			}
			if k.Machine != nil {
				a.say("kept in %s", k.Path(dir))
			}
			a.say("kept in %s", machine.LinksPath(dir))
			switch {
			case asJSON:
				return a.printJSON(k)
			case k.Machine != nil:
				if err := perf.WriteMachine(a.out, k.Machine); err != nil {
					return err
				}
			}
			return perf.WriteLinks(a.out, k.Links)
		},
	}
	c.Flags().SortFlags = false
	threadsFlag(c, &threads)
	c.Flags().Lookup("threads").Usage = "number `N` of threads to measure with, for which the rates are kept " + perCPU()
	c.Flags().BoolVar(&fresh, "fresh", false, "forget what was kept before")
	jsonFlag(c, &asJSON)
	quietFlag(a, c)
	return c
}

// errNoCache says that nothing can be kept.
var errNoCache = errors.New("this user has no cache folder: set WEFT_CACHE")

// calibrated is what was measured; under MPI links alone.
type calibrated struct {
	*machine.Machine
	Links machine.Links `json:"links"`
}

// calibrate measures this machine, and the link between ranks of one process.
func calibrate(ctx context.Context, dir string, threads int, fresh bool) (k calibrated, err error) {
	if k.Machine, err = machine.Calibrate(ctx, dir, threads, fresh, nil); err != nil {
		return k, err
	}
	l, err := machine.MeasureLocal(ctx)
	if err != nil {
		return k, err
	}
	k.Links, err = keepLink(dir, l, fresh)
	return k, err
}

// keepLink adds a link to those that are kept; where fresh is set none are, and a file
// that cannot be read does not matter.
func keepLink(dir string, l machine.Link, fresh bool) (machine.Links, error) {
	kept, err := machine.LoadLinks(dir)
	if fresh {
		kept, err = nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w (--fresh writes it anew)", err)
	}
	kept = kept.With(l)
	return kept, kept.Save(dir)
}

// calibrateMPI measures the link between processes that MPI started, of which the
// first keeps it: the others get none.
func calibrateMPI(ctx context.Context, dir string, fresh bool) (machine.Links, error) {
	world, err := mpi.World()
	if err != nil {
		return nil, err
	}
	l, err := machine.MeasureLink(ctx, machine.MPILink, comm.New(world, nil))
	if err != nil {
		world.Abort(err)
	}
	if err := errors.Join(err, world.Close()); err != nil {
		return nil, fmt.Errorf("measuring the link: %w", err)
	}
	if world.Rank() > 0 {
		return nil, nil
	}
	return keepLink(dir, l, fresh)
}
