package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/analysis"
	"github.com/weft-gnn/weft/cost"
)

func (a *app) explainCommand() *cobra.Command {
	r := &analysisRun{app: a}
	var asJSON bool
	c := &cobra.Command{
		Use:   "explain",
		Short: "Show a model's program before and after each compiler pass",
		Long: `Show a model's program as it was declared and after each compiler pass that
changed it, with what the pass did to the work and bytes of the whole.

A line is an operation: its result, its operands, and the space and columns of
the result, such as vertices[16] or edges+loops[8] (a row per edge, one loop
per vertex among them). "once" marks what is computed once per run. Several
passes choose by sizes: give the data to see what will really run.`,
		Example: `  weft explain --model gcn
  weft explain --model gat --data cora --mode train
  weft explain --model gcn --data cora --passes -reorder`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			request, _, err := r.request(c)
			if err != nil {
				return err
			}
			e, err := analysis.Explain(request)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(e)
			}
			return a.print("%s", explanationText(e))
		},
	}
	r.register(c)
	jsonFlag(c, &asJSON)
	title(c, "Analysis")
	return c
}

// explanationText is the programs one after the other, each under its pass and
// what that changed in the costs of the whole.
func explanationText(e *analysis.Explanation) string {
	var b strings.Builder
	saved := map[string]string{}
	for i, line := range e.Passes {
		if i > 0 && line.Changed {
			saved[line.Pass] = changeText("work", e.Passes[i-1].Work, line.Work) + changeText("bytes", e.Passes[i-1].Bytes, line.Bytes)
		}
	}
	for i, s := range e.Steps {
		if i == 0 {
			fmt.Fprintf(&b, "# %s\n%s", s.Doc, s.Program)
			continue
		}
		fmt.Fprintf(&b, "\n# after %s: %s\n%s%s", s.Pass, s.Doc, saved[s.Pass], s.Program)
		delete(saved, s.Pass) // a pass that runs twice saves once
	}
	return b.String()
}

// changeText says how a cost changed: in numbers where they are known.
func changeText(name string, before, after analysis.Quantity) string {
	if before.Value == nil || after.Value == nil {
		return fmt.Sprintf("#   %s per run changes by %v\n", name, cost.Sub(after.Expr, before.Expr))
	}
	percent := 100 * float64(*after.Value-*before.Value) / float64(max(1, *before.Value))
	return fmt.Sprintf("#   %s per run %s → %s (%+.1f %%)\n", name, grouped(*before.Value), grouped(*after.Value), percent)
}
