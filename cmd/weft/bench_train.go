package main

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/perf"
	"github.com/weft-gnn/weft/program"
)

func (a *app) benchTrainCommand() *cobra.Command {
	b := &benchTrain{app: a}
	var asJSON, child bool
	c := &cobra.Command{
		Use:   "train",
		Short: "Measure training steps, and every operation of them",
		Long: `Measure training steps (forward, backward, update, without evaluation) of each
model on each graph, each in a process of its own for the sake of its memory,
beside the roofline: the sum over operations of the time that an operation takes
at least. The three operations that lose most time to their rooflines are named,
with the resource that limits them.

Rows are measured with what no step changes computed once before the first
(fold: yes), and without; with --storage both, in float32 and in bfloat16.`,
		Example: `  weft bench train --models gcn --data cora --hidden 16
  weft bench train --data arxiv@1 --hidden 16,64,256 --threads 1,2 --json
  weft bench train --models gat --ops`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if child {
				return perf.Serve(c.Context(), os.Stdin, a.out, a.lookup(), peakRSS)
			}
			if err := b.check(); err != nil {
				return err
			}
			r, err := perf.Train(c.Context(), b.options())
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(r)
			}
			return perf.WriteTrain(a.out, r)
		},
	}
	b.register(c)
	c.Flags().BoolVar(&b.ops, "ops", false, "list every operation")
	c.Flags().BoolVar(&child, "child", false, "measure the case that standard input states")
	if err := c.Flags().MarkHidden("child"); err != nil {
		panic(err) // no such flag
	}
	jsonFlag(c, &asJSON)
	quietFlag(a, c)
	return c
}

// benchTrain is one call of weft bench train.
type benchTrain struct {
	*app
	models, data    []string
	hidden, threads counts
	fold            string
	storage         string
	heads, epochs   int
	dropout         float64
	ops             bool
}

func (b *benchTrain) register(c *cobra.Command) {
	s := c.Flags()
	s.SortFlags = false
	s.StringSliceVar(&b.models, "models", []string{"gcn", "sage", "gin", "gat"}, "`LIST` of models, see weft models")
	complete(c, "models", cobra.FixedCompletions(model.Names(), cobra.ShellCompDirectiveNoFileComp))
	b.benchDataFlag(c, &b.data, "arxiv@0.1")
	b.hidden = counts{most: 1 << 20, all: []int{64}}
	s.Var(&b.hidden, "hidden", "widths of hidden layers, all heads together, such as 16,64")
	s.IntVar(&b.heads, "heads", 8, "number `H` of attention heads of hidden layers, of models that attend")
	s.Float64Var(&b.dropout, "dropout", 0, "probability `P`, 0 ≤ P < 1, of dropping features and attention coefficients")
	threadsListFlag(c, &b.threads)
	s.IntVar(&b.epochs, "epochs", 10, "number `N` of steps that are measured, after three to warm up")
	wordFlag(c, &b.storage, "storage", "float32", []string{"float32", "bfloat16", "both"}, "how activations and gathered rows are kept")
	wordFlag(c, &b.fold, "fold", "both", []string{"both", "yes", "no"}, "compute once, before the first step, what no step changes")
}

// check returns an error of usage where a case cannot be meant.
func (b *benchTrain) check() error {
	if b.epochs < 1 || b.epochs > 1<<20 {
		return usagef("--epochs %d: want 1 to %d", b.epochs, 1<<20)
	}
	if b.heads < 1 {
		return usagef("--heads %d: want at least 1", b.heads)
	}
	for _, name := range b.models {
		if !slices.Contains(model.Names(), name) {
			return usagef("--models: no model is called %q%s", name, accepted(name, model.Names()))
		}
	}
	for _, c := range b.cases() {
		if _, err := c.Config(); err != nil {
			return usage(err)
		}
	}
	return checkData(b.data)
}

// cases are all combinations, those of one graph together.
func (b *benchTrain) cases() (all []perf.TrainCase) {
	for _, data := range b.data {
		for _, m := range b.models {
			for _, hidden := range b.hidden.all {
				for _, threads := range b.threads.all {
					all = append(all, b.ways(perf.TrainCase{
						Model: m, Graph: data, Data: data, Hidden: hidden, Heads: b.heads, Dropout: b.dropout,
						Threads: threads, Epochs: b.epochs,
					})...)
				}
			}
		}
	}
	return all
}

// ways are the ways in which a case is compiled.
func (b *benchTrain) ways(c perf.TrainCase) (all []perf.TrainCase) {
	const narrow = program.BFloat16Storage
	for _, c.Fold = range map[string][]bool{"both": {true, false}, "yes": {true}, "no": {false}}[b.fold] {
		for _, c.Storage = range map[string][]program.Storage{"both": {0, narrow}, "float32": {0}, "bfloat16": {narrow}}[b.storage] {
			all = append(all, c)
		}
	}
	return all
}

func (b *benchTrain) options() perf.TrainOptions {
	return perf.TrainOptions{Cases: b.cases(), Ops: b.ops, Lookup: b.lookup(), Measure: perf.Process(again), LimitsDir: b.cacheDir(), Say: b.say}
}

// again is this very program, as a process that measures a case.
func again(ctx context.Context) *exec.Cmd {
	c := exec.CommandContext(ctx, self(), strings.Fields("bench train --child")...)
	c.Args[0] = os.Args[0]
	return c
}

// self is the path of this program.
func self() string {
	if path, err := os.Executable(); err == nil {
		return path
	}
	return os.Args[0]
}
