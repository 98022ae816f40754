// Command curves trains every model under every algorithm and holds the loss of each
// step against that of one rank. Beside them stands one rank that trains on the same
// graph with its vertices in another order: it adds the same terms in another order too,
// and no words are sent, so that what it differs by is what rounding alone does.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/weft-gnn/weft/bench/origin"
	"github.com/weft-gnn/weft/comm/local"
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/perf"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/train"
)

// everyAlgorithm has one plan of each, on three ranks or four, and each choice of where
// rows of others are computed.
const everyAlgorithm = "algorithm=1d,partition=3 algorithm=1d-allgather,partition=3 algorithm=1.5d,partition=4,replication=2 algorithm=2d,partition=2x2 " +
	"algorithm=3d,partition=2x1x2 algorithm=vertexcut,partition=3 algorithm=feature,feature=4 algorithm=weights,feature=3 algorithm=replicas,replica=3 " +
	"algorithm=1d,partition=3,exchange=before algorithm=1d,partition=3,halo=recompute"

// bound is how far a loss may be from one rank's, of its size: what rounding makes of
// sums in another order over the steps.
const bound = 1e-5

// options are those of the command line.
type options struct {
	data, models, plans []string
	epochs              int
}

func main() {
	var o options
	var data, models, plans string
	out := flag.String("out", "", "file to write; standard output where empty")
	flag.StringVar(&data, "data", "citeseer,arxiv@0.02,products@0.002,reddit@0.01", "data sets, also such as arxiv@0.02, which are made")
	flag.StringVar(&models, "models", "gcn,sage,gin,gat", "models, as they are by default")
	flag.StringVar(&plans, "plans", everyAlgorithm, "plans, with spaces between them")
	flag.IntVar(&o.epochs, "epochs", 20, "steps")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o.data, o.models, o.plans = strings.Split(data, ","), strings.Split(models, ","), strings.Fields(plans)
	if err := o.write(ctx, *out); err != nil {
		log.Fatal(err)
	}
}

func (o options) write(ctx context.Context, path string) error {
	here, err := origin.This()
	if err != nil {
		return err
	}
	commit, err := origin.Commit(ctx)
	if err != nil {
		return err
	}
	var text strings.Builder
	var names []string
	for _, data := range o.data {
		names = append(names, filepath.Base(data))
	}
	fmt.Fprintf(&text, "# Losses of ranks beside those of one\n\nBy `go run ./bench/curves -data %s -models %s -epochs %d`, on %v; weft %s.\n",
		strings.Join(names, ","), strings.Join(o.models, ","), o.epochs, here, commit)
	fmt.Fprintf(&text, "\nThe largest relative difference of the losses of %d steps from those of one rank, dropout being on where a model has it by default. Ranks are\ngoroutines. *More* than %.0e is marked; a dash is a plan that cannot run the model, and says so. Work, bytes, words and messages were counted as predicted.\n", o.epochs, bound)
	for _, data := range o.data {
		if err := o.table(ctx, &text, data); err != nil {
			return fmt.Errorf("%s: %w", data, err)
		}
	}
	return origin.Write(path, text.String())
}

// table compares on one set.
func (o options) table(ctx context.Context, w io.Writer, data string) error {
	d, err := perf.Open(ctx, data, source.Places(os.Getenv))
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n## %s: %d vertices, %d arcs\n\n| plan | %s |\n| --- |%s\n", filepath.Base(data), d.Graph.N, len(d.Graph.Src), strings.Join(o.models, " | "), strings.Repeat(" ---: |", len(o.models)))
	rows, reordered := make([]string, len(o.plans)), "| one rank, vertices in another order |"
	for i, text := range o.plans {
		rows[i] = "| `" + text + "` |"
	}
	other, err := d.Reorder(graph.Random, 1)
	if err != nil {
		return err
	}
	for _, name := range o.models {
		m, err := model.ByName(name)
		if err != nil {
			return err
		}
		cfg := train.Defaults(m)
		cfg.Data, cfg.Epochs = d.Name, o.epochs
		one, err := alone(ctx, cfg, d)
		if err != nil {
			return err
		}
		again, err := alone(ctx, cfg, other)
		if err != nil {
			return err
		}
		reordered += " " + distance(again, one) + " |"
		for i, text := range o.plans {
			cell, err := compare(ctx, cfg, d, text, one)
			if err != nil {
				return fmt.Errorf("%s under %s: %w", name, text, err)
			}
			log.Printf("%s, %s under %s: %s", data, name, text, cell)
			rows[i] += " " + cell + " |"
		}
	}
	fmt.Fprintln(w, reordered+"\n"+strings.Join(rows, "\n"))
	return nil
}

// alone trains on one rank.
func alone(ctx context.Context, cfg train.Config, d *dataset.Dataset) (*train.Result, error) {
	t, err := train.New(cfg, d, train.Settings{})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return t.Train(ctx)
}

// compare trains under a plan, and returns how far its losses are from one rank's.
func compare(ctx context.Context, cfg train.Config, d *dataset.Dataset, text string, one *train.Result) (string, error) {
	p, err := plan.Parse(text)
	if err != nil {
		return "", err
	}
	owners, err := train.Divide(ctx, p, d, cfg.Seed)
	if err != nil {
		return "", err
	}
	team := train.Team{Ends: local.World(p.Ranks(), local.Options{}), Plan: p, Owners: owners}
	r, err := team.Train(ctx, train.Settings{}, func(s train.Settings) (*train.Trainer, error) { return train.New(cfg, d, s) }, nil)
	switch {
	case err != nil && strings.Contains(err.Error(), "cannot run"):
		return "–", nil
	case err != nil:
		return "", err
	case r.Counted != r.Predicted:
		return "", fmt.Errorf("counted %+v, predicted %+v", r.Counted, r.Predicted)
	}
	return distance(r, one), nil
}

// distance says how far losses are from one rank's.
func distance(r, one *train.Result) string {
	far := 0.0
	for i, want := range one.Loss {
		far = max(far, math.Abs(float64(r.Loss[i])/float64(want)-1))
	}
	if far > bound {
		return fmt.Sprintf("*%.1e*", far)
	}
	return fmt.Sprintf("%.1e", far)
}
