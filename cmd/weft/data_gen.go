package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/dataset"
)

func (a *app) dataGenCommand() *cobra.Command {
	var opt dataset.GenOptions
	var out string
	var overwrite, asJSON bool
	var names []string
	for _, k := range dataset.Kinds() {
		names = append(names, k.String())
	}
	c := &cobra.Command{
		Use:   "gen KIND",
		Short: "Make a synthetic graph",
		Long: `Make a synthetic graph and write it as a folder. Kinds:

  arxiv     like ogbn-arxiv: 169,343 vertices, 2,315,598 arcs, 128 features, 40 classes
  products  like ogbn-products: 2,449,029 vertices, 123,718,280 arcs, 100 features, 47 classes
  reddit    like Reddit: 232,965 vertices, 114,615,892 arcs, 602 features, 41 classes
  sbm       stochastic block model: 10,000 vertices of mean degree 10, 32 features, 7 classes
  rmat      Graph500's R-MAT: 65,536 vertices, 16 edges for each, both ways
  grid      100 × 100 vertices, each joined to those beside it
  star      a centre and 1,000 leaves

The first three have the set's counts times the scale, degrees by a power law,
and classes planted in edges and features. The same kind, scale and seed give
the same graph.`,
		Example: `  weft data gen arxiv --scale 0.1 --out arxiv-tenth
  weft data gen rmat --scale 16 --seed 7 --out rmat
  weft data gen sbm --out sbm && weft train --data ./sbm`,
		Args:      args(1, 1, "a kind of graph, one of "+strings.Join(names, ", ")),
		ValidArgs: names,
		RunE: func(c *cobra.Command, words []string) error {
			var kind dataset.Synthetic
			if err := kind.UnmarshalText([]byte(words[0])); err != nil {
				return usagef("no kind of graph is called %q%s", words[0], accepted(words[0], names))
			}
			if !(opt.Scale > 0) {
				return usagef("--scale %v: want a positive number", opt.Scale)
			}
			d, err := dataset.Generate(c.Context(), kind, opt)
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
	c.Flags().Float64Var(&opt.Scale, "scale", 1, "factor of vertices and arcs, for look-alikes of features and classes too")
	c.Flags().Uint64Var(&opt.Seed, "seed", 0, "seed of the random numbers")
	c.Flags().StringVar(&out, "out", "", "folder to write (default: KIND-SCALE-SEED)")
	overwriteFlag(c, &overwrite)
	jsonFlag(c, &asJSON)
	return c
}
