package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/infer"
	"github.com/weft-gnn/weft/train"
)

func (a *app) evalCommand() *cobra.Command {
	e := &evalRun{applied: applied{app: a}}
	c := &cobra.Command{
		Use:   "eval",
		Short: "Score a trained model",
		Long: `Score a trained model on its own data, or on others of the same kind: every
vertex with all of its neighbours, layer by layer, nothing sampled.

Your own new tables are read with what preprocessing learnt in training (the
scaling, the known categories and classes). Classes are matched by name. Data
without a split are scored whole, as "test".`,
		Example: `  weft eval --run runs/gcn-cora-0-1
  weft eval --run runs/gcn-cora-0-1 --metric f1 --json
  weft eval --run runs/gcn-people-0-1 --vertices new.csv --edges newedges.csv`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return e.run(c) },
	}
	e.register(c)
	hide(c, "features", "task")
	choiceFlag(c, &e.metric, "metric", metrics, "score (default: the run's)")
	title(c, "Run and result")
	return c
}

type evalRun struct {
	applied
	metric train.Metric
}

// evaluation is the JSON of weft eval.
type evaluation struct {
	Run    string       `json:"run"`
	Model  string       `json:"model"`
	Data   string       `json:"data"`
	Metric train.Metric `json:"metric"`
	*infer.Evaluation
}

func (e *evalRun) run(c *cobra.Command) error {
	if err := e.load(c); err != nil {
		return err
	}
	metric, err := train.ChooseMetric(e.set, e.model.Saved.Loss, e.asked())
	if err != nil {
		return usage(err)
	}
	scores, err := e.model.Eval(e.set, metric)
	if err != nil {
		return err
	}
	if e.json {
		return e.printJSON(evaluation{e.path, e.model.Saved.Model, e.set.Name, metric, scores})
	}
	part := func(name string, v *float64, n int) string {
		return fmt.Sprintf("%s %s (%s)", name, score(v), grouped(int64(n)))
	}
	s, n := scores.Score, scores.N
	return e.print("%s on %s\n%v %s  %s  %s\n", e.model.Saved.Model, e.set.Name, metric,
		part("train", s.Train, n.Train), part("val", s.Val, n.Val), part("test", s.Test, n.Test))
}

// asked is the metric of the command line, or the run's.
func (e *evalRun) asked() train.Metric {
	if e.metric == train.AutoMetric && e.config != nil {
		return e.config.Metric
	}
	return e.metric
}
