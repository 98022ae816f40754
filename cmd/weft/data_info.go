package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/graph"
)

func (a *app) dataInfoCommand() *cobra.Command {
	var asJSON bool
	var data dataFlags
	c := &cobra.Command{
		Use:   "info [NAME|PATH]",
		Short: "Describe a data set",
		Long: `Read a data set and describe it: counts, degrees, features, classes, splits, and
what a reader should know.

arcs are directed edges without loops: an undirected edge is two. Of the edges
that the files list, listed = arcs + loops + duplicates, counted after both
directions were made. Degrees are in-degrees; density is m/n².`,
		Example: `  weft data info cora
  weft data info graph.mtx --directed --json
  weft data info --vertices people.csv --edges knows.csv --label team`,
		Args: args(0, 1, "one set, a name or path"),
		RunE: func(c *cobra.Command, words []string) error {
			d, err := a.openNamed(c, &data, words)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(dataset.Info(d))
			}
			return a.print("%s", infoText(dataset.Info(d)))
		},
	}
	data.register(a, c, "", " (default: none)")
	jsonFlag(c, &asJSON)
	return c
}

// openNamed reads the set that the command's word or its flags name.
func (a *app) openNamed(c *cobra.Command, data *dataFlags, words []string) (*dataset.Dataset, error) {
	if len(words) > 0 {
		if name := changed(c, "data", "vertices", "edges"); name != "" {
			return nil, usagef("%q and --%s: want one of them", words[0], name)
		}
		data.data = words[0]
	}
	src, err := data.choose(c)
	if err != nil {
		return nil, err
	}
	return src.Open(c.Context(), a.lookup(), nil)
}

// infoText is a set's facts for people.
func infoText(f dataset.Facts) string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s  %s\n", name, fmt.Sprintf(format, args...))
	}
	line("name", "%s", f.Name)
	line("task", "%v", f.Task)
	if f.Graphs > 1 {
		line("graphs", "%s", grouped(int64(f.Graphs)))
	}
	line("vertices", "%s (%s isolated)", grouped(f.Vertices), grouped(f.Isolated))
	if f.Order != graph.Original {
		line("order", "%v", f.Order)
	}
	line("arcs", "%s, of %s listed: %s, %s", grouped(f.Arcs), grouped(f.Listed),
		plural(f.Duplicates, "duplicate", "duplicates"), plural(f.Loops, "loop", "loops"))
	line("degree", "mean %.2f, median %d, 99th percentile %d, max %d", f.Degree.Mean, f.Degree.P50, f.Degree.P99, f.Degree.Max)
	line("density", "%.3g", f.Density)
	line("features", "%s per vertex, %s per edge", grouped(int64(f.Features)), grouped(int64(f.EdgeFeatures)))
	switch {
	case f.Classes > 0:
		line("labels", "%s, %s labelled", plural(int64(f.Classes), "class", "classes"), grouped(f.Labelled))
	case f.Targets > 0:
		line("labels", "%s, %s labelled", plural(int64(f.Targets), "target", "targets"), grouped(f.Labelled))
	}
	if f.Splits != nil {
		line("split", "%s: train %s, val %s, test %s%s", f.SplitNames[0], grouped(int64(f.Splits["train"])),
			grouped(int64(f.Splits["val"])), grouped(int64(f.Splits["test"])), others(f.SplitNames[1:]))
	}
	for _, n := range f.Notes {
		line("note", "%s", n)
	}
	return b.String()
}

func others(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (also: " + someOf(names) + ")"
}
