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
cache and the memory deliver streams of bytes and rows in random order, and what
it takes to send something between two ranks of one process: α µs for each
message and β ns for each word of 4 bytes. weft bench holds what it measures
against the rates; weft plan computes with both.

Started by mpirun or srun, on two processes or more, it measures the link between
the first two of them instead. Put these on two hosts for the link of a network.

Rates are kept in a file of the cache, one for each number of threads. Other load
on the machine can only lower what is measured: rates that are kept already stand
where they are higher.`,
		Example: `  weft calibrate
  weft calibrate --threads 1 --json
  mpirun -np 2 weft calibrate --threads 1`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			dir := a.cacheDir()
			if dir == "" {
				return errors.New("this user has no cache folder: set WEFT_CACHE")
			}
			var m *machine.Machine
			var err error
			if _, size, launched := mpi.Launched(); launched && size != 1 {
				m, err = calibrateMPI(c.Context(), dir, threads)
			} else {
				m, err = machine.Calibrate(c.Context(), dir, threads, fresh, nil)
			}
			if err != nil || m == nil { // rank 0 alone has something to say
				return err
			}
			a.say("kept in %s", m.Path(dir))
			if asJSON {
				return a.printJSON(m)
			}
			return perf.WriteMachine(a.out, m)
		},
	}
	c.Flags().SortFlags = false
	threadsFlag(c, &threads)
	c.Flags().BoolVar(&fresh, "fresh", false, "forget what was kept before")
	jsonFlag(c, &asJSON)
	quietFlag(a, c)
	return c
}

// calibrateMPI measures the link between processes that MPI started, of which the
// first keeps it: the others get no machine.
func calibrateMPI(ctx context.Context, dir string, threads int) (*machine.Machine, error) {
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
	return machine.AddLinkTo(ctx, dir, threads, l)
}
