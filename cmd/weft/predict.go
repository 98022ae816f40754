package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/infer"
)

func (a *app) predictCommand() *cobra.Command {
	w := &written{applied: applied{app: a}, name: "predictions.csv"}
	var only []string
	c := &cobra.Command{
		Use:   "predict",
		Short: "Write what a trained model says of every vertex",
		Long: `Apply a trained model to every vertex, labelled or not, of its own data or of
new ones, and write a row for each under its own id:

  classification   id, prediction (the label's name), prob_<class> per class
  several targets  id, prob_0, prob_1, …
  regression       id, value (in the unit of the label that was learnt)

Probabilities are softmax(logits), exp(x_c) / Σ_j exp(x_j). New tables are read
with what preprocessing learnt in training; a category it has not seen is
noted and counts as none.

The file's ending chooses its form. .csv and .parquet hold the columns above;
.npy holds the values alone (float32, a row per vertex), with the ids of its
rows beside it: p.npy has p.ids.npy, or p.ids.csv where ids are texts.

With --only, these vertices are predicted from what lies around them, with the
same result, and their rows go to stdout as CSV unless --out names a file.`,
		Example: `  weft predict --run runs/gcn-karate-0-1
  weft predict --run runs/gcn-karate-0-1 --only 9,34
  weft predict --run runs/gcn-people-0-1 --out people.parquet
  weft predict --run runs/gcn-people-0-1 --vertices new.csv --edges newedges.csv --out -`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if len(only) > 0 && w.out == "" {
				w.out = "-"
			}
			return w.run(c, func() (*infer.Table, error) { return w.predicted(only) })
		},
	}
	w.register(c)
	c.Flags().StringSliceVar(&only, "only", nil, "`IDS` of the vertices to predict, separated by commas, a row for each in this order (default: all)")
	title(c, "Run and result")
	return c
}

// predicted predicts the vertices with the given ids, all where there are none.
func (w *written) predicted(ids []string) (*infer.Table, error) {
	if len(ids) == 0 {
		p, err := w.model.Predict(w.set)
		if err != nil {
			return nil, err
		}
		return p.Table(w.set.IDs), nil
	}
	vertices, err := infer.VerticesCalled(w.set, ids...)
	if err != nil {
		return nil, err
	}
	p, err := w.model.PredictChosen(w.set, vertices)
	if err != nil {
		return nil, err
	}
	return p.Table(infer.ChosenIDs(w.set.IDs, vertices)), nil
}

// written is a command that writes a row per vertex.
type written struct {
	applied
	name string // of the file, where none is asked for
	out  string
}

func (w *written) register(c *cobra.Command) {
	w.applied.register(c)
	hide(c, "split", "label", "features", "task")
	c.Flags().StringVar(&w.out, "out", "", "`FILE` to write, .csv, .parquet or .npy; - writes CSV to stdout (default: "+w.name+" beside the model)")
	title(c, "Run and result")
}

// rows is the JSON of weft predict and embed.
type rows struct {
	Rows    int      `json:"rows"`
	Columns int      `json:"columns"` // of Names
	Names   []string `json:"names"`
	Path    string   `json:"path"`
	Files   []string `json:"files"`
}

func (w *written) run(c *cobra.Command, table func() (*infer.Table, error)) error {
	if w.out == "-" && w.json {
		return usagef("--out - and --json both want stdout: name a file")
	}
	if w.out != "" && w.out != "-" {
		if _, err := infer.LayoutOf(w.out); err != nil {
			return usage(err)
		}
	}
	if changed(c, "split") != "" {
		return usagef("--split is about training and scoring: %s writes a row for every vertex", name(c))
	}
	w.all = true
	if err := w.load(c); err != nil {
		return err
	}
	t, err := table()
	if err != nil {
		return err
	}
	switch w.out {
	case "-":
		return t.WriteCSV(w.app.out)
	case "":
		w.out = filepath.Join(filepath.Dir(w.model.Path), w.name)
	}
	files, err := t.WriteFile(w.out)
	if err != nil {
		return err
	}
	names := t.Columns()
	if w.json {
		return w.printJSON(rows{t.Values.Rows, len(names), names, w.out, files})
	}
	return w.print("%s of %s\nwritten to %s\n", plural(int64(t.Values.Rows), "row", "rows"), someOf(names), strings.Join(files, " and "))
}

// someOf lists names, the first ten at most.
func someOf(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + ", … " + names[len(names)-1]
}
