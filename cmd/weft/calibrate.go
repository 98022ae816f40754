package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/machine"
	"github.com/weft-gnn/weft/perf"
)

func (a *app) calibrateCommand() *cobra.Command {
	var threads int
	var fresh, asJSON bool
	c := &cobra.Command{
		Use:   "calibrate",
		Short: "Measure what this machine can do, and keep it",
		Long: `Measure what this machine can do: the rate of multiply-adds, and how fast each
cache and the memory deliver streams of bytes and rows in random order. weft
bench holds what it measures against it.

Rates are kept in a file of the cache. Other load on the machine can only lower
what is measured: rates that are kept already stand where they are higher.`,
		Example: `  weft calibrate
  weft calibrate --threads 1 --json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			dir := a.cacheDir()
			if dir == "" {
				return errors.New("this user has no cache folder: set WEFT_CACHE")
			}
			m, err := machine.Calibrate(c.Context(), dir, threads, fresh, nil)
			if err != nil {
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
