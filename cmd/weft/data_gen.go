package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/dataset/synth"
)

func (a *app) dataGenCommand() *cobra.Command {
	var opt synth.Options
	var out string
	var overwrite, asJSON bool
	var names []string
	for _, k := range synth.Kinds() {
		names = append(names, k.String())
	}
	c := &cobra.Command{
		Use:   "gen KIND",
		Short: "Make a synthetic graph",
		Long: `Make a synthetic graph and write it as a folder. Kinds:

              vertices         arcs  features  classes
  arxiv        169,343    2,315,598       128       40  like ogbn-arxiv
  products   2,449,029  123,718,280       100       47  like ogbn-products
  reddit       232,965  114,615,892       602       41  like Reddit
  sbm           10,000     ~100,000        32        7  stochastic block model
  rmat          65,536   ~2,000,000         –        –  R-MAT of Graph500
  grid          10,000       39,600         –        –  100 × 100, 4 beside each
  star           1,001        2,000         –        –  a centre and its leaves

The first three have the set's vertices and arcs times the scale, its numbers of
features and classes, degrees by a power law, and classes planted in edges and
features. The same kind, scale and seed give the same graph.`,
		Example: `  weft data gen arxiv --scale 0.1 --out arxiv-tenth
  weft data gen rmat --scale 16 --seed 7 --out rmat
  weft data gen sbm --out sbm && weft train --data ./sbm`,
		Args:      args(1, 1, "a kind of graph, one of "+strings.Join(names, ", ")),
		ValidArgs: names,
		RunE: func(c *cobra.Command, words []string) error {
			var kind synth.Kind
			if err := kind.UnmarshalText([]byte(words[0])); err != nil {
				return usagef("no kind of graph is called %q%s", words[0], accepted(words[0], names))
			}
			if !(opt.Scale > 0) {
				return usagef("--scale %v: want a positive number", opt.Scale)
			}
			opt.Memory = a.memory
			d, err := synth.Generate(c.Context(), kind, opt)
			if err != nil {
				return err
			}
			if out == "" {
				out = fmt.Sprintf("%v-%g-%d", kind, opt.Scale, opt.Seed)
			}
			return a.save(out, d, overwrite, asJSON)
		},
	}
	c.Flags().SortFlags = false
	c.Flags().Float64Var(&opt.Scale, "scale", 1, "`FACTOR` of vertices and arcs")
	c.Flags().Uint64Var(&opt.Seed, "seed", 0, "`SEED` of the random numbers")
	c.Flags().StringVar(&out, "out", "", "`DIR` to write (default: KIND-SCALE-SEED)")
	overwriteFlag(c, &overwrite)
	jsonFlag(c, &asJSON)
	return c
}
