package main

import (
	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/analysis"
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/train"
)

func (a *app) analyzeCommand() *cobra.Command {
	r := &analysisRun{app: a}
	var asJSON, ops bool
	c := &cobra.Command{
		Use:   "analyze",
		Short: "Say what a model costs before it runs",
		Long: `Say what a model costs before it runs: work W (scalar operations), depth D (the
longest path of them), average parallelism W/D, bytes and memory; the class of
the model and what can be computed beforehand; what each compiler pass saved;
and how that compares with the bounds of Besta and Hoefler, "Parallel and
Distributed Graph Neural Networks" (arXiv 2205.09702).

With --data the expressions have values, and the runtime's counters will arrive
at the same ones exactly. Without, sizes are symbols: n vertices, m arcs, k
columns, d the largest degree.

With --plan or --ranks the program is that of one of several ranks: the
report says what each has and sends, in words of 4 bytes, messages and
supersteps. Expressions are then those of one rank, n and m its own vertices
and arcs; values are sums over all ranks, "of a rank" is the one with most.
weft train counts the same numbers; weft plan compares all plans.`,
		Example: `  weft analyze --model gat
  weft analyze --model gcn --data cora --mode train
  weft analyze --model gat --formulation local --hidden 64 --heads 8
  weft analyze --model gin --data cora --ops --json
  weft analyze --data cora --mode train --plan algorithm=2d,partition=2x2`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			request, d, err := r.request(c)
			if err != nil {
				return err
			}
			if request.Plan != nil && d != nil {
				if request.Owners, err = train.Divide(c.Context(), *request.Plan, d, r.seed); err != nil {
					return err
				}
			}
			rep, err := analysis.Analyze(request)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(rep)
			}
			return rep.WriteText(a.out, analysis.Page{Ops: ops})
		},
	}
	r.register(c)
	c.Flags().Uint64Var(&r.seed, "seed", 0, "`SEED` of the lots that a plan's partitioner draws, as that of weft train")
	wordFlag(c, &r.formulation, "formulation", "global", []string{"global", "local"}, "global: products with sparse matrices where there are such; local: every message a row of its own")
	c.Flags().BoolVar(&ops, "ops", false, "list every operation")
	jsonFlag(c, &asJSON)
	title(c, "Analysis")
	return c
}

// analysisRun is what analyze and explain have in common.
type analysisRun struct {
	*app
	model             modelFlags
	data              dataFlags
	plan              planFlags
	mode, formulation string
	seed              uint64
}

func (r *analysisRun) register(c *cobra.Command) {
	r.model.register(c)
	r.data.register(r.app, c, "", " (default: none, sizes are symbols)")
	r.plan.register(c)
	wordFlag(c, &r.mode, "mode", "inference", []string{"inference", "train"}, "one forward pass, or one training step")
	title(c, "Analysis")
}

// request reads the data, where some are named, and says what to analyse. The data
// are nil where none are.
func (r *analysisRun) request(c *cobra.Command) (q analysis.Request, d *dataset.Dataset, err error) {
	chosen, err := r.plan.choose(c, 1)
	if err != nil {
		return q, nil, err
	}
	if r.data.given(c) {
		q, d, err = r.open(c)
	} else {
		if name := changed(c, append(tableFlags, "format", "directed", "undirected", "split")...); name != "" {
			return q, nil, usagef("--%s is about data: name them with --data, or --vertices and --edges", name)
		}
		q, err = r.declared(c, true)
	}
	q.Plan = chosen
	return q, d, err
}

// declared says which model is analysed, without data. symbols says that all its
// widths are one symbol.
func (r *analysisRun) declared(c *cobra.Command, symbols bool) (analysis.Request, error) {
	declared, err := model.ByName(r.model.name)
	if err != nil {
		return analysis.Request{}, usage(err)
	}
	preset := train.Defaults(declared)
	q := analysis.Request{Model: declared, Options: preset.Options, Decay: preset.Decay, FoldBytes: preset.FoldBytes, Skip: r.model.passes.skipped(), Storage: r.model.storage}
	if r.mode == "train" {
		q.Mode = analysis.Training
		q.Steps = int64(preset.Epochs)
	}
	if r.formulation == "local" {
		q.Formulation = analysis.Local
	}
	return q, r.model.apply(c, declared, &q.Options, symbols)
}

// open reads the data and says what to analyse on them.
func (r *analysisRun) open(c *cobra.Command) (analysis.Request, *dataset.Dataset, error) {
	q, err := r.declared(c, false)
	if err != nil {
		return q, nil, err
	}
	src, err := r.data.choose(c)
	if err != nil {
		return q, nil, err
	}
	d, err := src.Open(c.Context(), r.lookup(), nil)
	if err != nil {
		return q, nil, err
	}
	q.Data, q.Loss = analysis.DataOf(d)
	return q, d, nil
}
