package main

import (
	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/perf"
)

func (a *app) benchKernelsCommand() *cobra.Command {
	o := perf.KernelOptions{}
	var threads counts
	var asJSON bool
	c := &cobra.Command{
		Use:   "kernels",
		Short: "Measure each kernel beside its limit",
		Long: `Measure each kernel, at the shapes that layers have, beside its limit: the time
that its work takes at the rate of multiply-adds, or its bytes at the rates of
the caches and the memory that would serve them at best, whichever is more.`,
		Example: `  weft bench kernels --quick
  weft bench kernels --threads 1,2 --data arxiv@1,products@0.1 --json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkData(o.Graphs); err != nil {
				return err
			}
			o.Lookup, o.Threads, o.LimitsDir, o.Say = a.lookup(), threads.all, a.cacheDir(), a.say
			r, err := perf.Kernels(c.Context(), o)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(r)
			}
			return perf.WriteKernels(a.out, r)
		},
	}
	c.Flags().SortFlags = false
	a.benchDataFlag(c, &o.Graphs, "arxiv@0.1")
	threadsListFlag(c, &threads)
	c.Flags().BoolVar(&o.Quick, "quick", false, "fewer shapes, fewer runs of each, and limits measured before them alone")
	jsonFlag(c, &asJSON)
	quietFlag(a, c)
	return c
}
