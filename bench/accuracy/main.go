// Command accuracy trains every model with its recipe on the citation sets,
// over ten seeds, and writes the scores beside the published ones.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/weft-gnn/weft/bench/origin"
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/train"
)

// published is a score of the literature, in percent, and the least that
// counts as reproduced.
type published struct {
	model, data string
	score       string
	source      string
	least       float64 // 0 where nothing is claimed
}

// The bars: the published mean less one published standard deviation, or what
// a careful re-run elsewhere reached where that is more.
var table = []published{
	{"gcn", "cora", "81.5", "Kipf and Welling, 1609.02907", 81.0},
	{"gcn", "citeseer", "70.3", "Kipf and Welling, 1609.02907", 70.0},
	{"gat", "cora", "83.0 ± 0.7", "Veličković et al., 1710.10903", 82.3},
	{"gat", "citeseer", "72.5 ± 0.7", "Veličković et al., 1710.10903", 71.8},
	{"sage", "cora", "80.1 ± 0.2", "CogDL, 2103.00959", 79.9},
	{"sage", "citeseer", "66.2 ± 0.4", "CogDL, 2103.00959", 65.8},
	{"gin", "cora", "77.6 ± 1.1", "GraphSNN", 76.5},
	{"gin", "citeseer", "66.1 ± 1.5", "GraphSNN", 64.6},
	{"mlp", "cora", "55.1", "Kipf and Welling, 1609.02907", 0},
	{"mlp", "citeseer", "46.5", "Kipf and Welling, 1609.02907", 0},
}

func main() {
	out := flag.String("out", "", "file to write; standard output where empty")
	seeds := flag.Int("seeds", 10, "number of seeds, from 0")
	threads := flag.Int("threads", 2, "threads")
	flag.Parse()
	if *out != "" {
		if err := os.MkdirAll(filepath.Dir(*out), 0o755); err != nil {
			log.Fatal(err)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var text strings.Builder
	if err := write(ctx, &text, *seeds, *threads); err != nil {
		log.Fatal(err)
	}
	if err := origin.Write(*out, text.String()); err != nil {
		log.Fatal(err)
	}
}

func write(ctx context.Context, w io.Writer, seeds, threads int) error {
	fmt.Fprintf(w, "# Accuracy\n\nTest accuracy in percent on the public splits, mean ± standard deviation over seeds 0 to %d, by\n`make accuracy`. Every row uses the settings of `--recipe paper`, which `weft models NAME` prints:\n\n", seeds-1)
	if err := writeSettings(w); err != nil {
		return err
	}
	fmt.Fprintln(w, "\n| model | data | validation | test | least | reached | published | source |")
	fmt.Fprintln(w, "| --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, row := range table {
		val, test, err := score(ctx, row, seeds, threads)
		if err != nil {
			return err
		}
		least, reached := "–", "–"
		if row.least > 0 {
			least, reached = fmt.Sprint(row.least), map[bool]string{true: "yes", false: "**no**"}[test.mean >= row.least]
		}
		fmt.Fprintf(w, "| %s | %s | %v | %v | %s | %s | %s | %s |\n", row.model, row.data, val, test, least, reached, row.score, row.source)
		log.Printf("%s on %s: %v, published %s", row.model, row.data, test, row.score)
	}
	return nil
}

// writeSettings says, per model, where its recipe is from.
func writeSettings(w io.Writer) error {
	said := map[string]bool{}
	for _, row := range table {
		m, err := model.ByName(row.model)
		if err != nil {
			return err
		}
		r, ok := m.Recipe(row.data)
		if !ok {
			return fmt.Errorf("%s has no recipe for %s", row.model, row.data)
		}
		if line := fmt.Sprintf("- `%s`: %s\n", m.Name, r.Note); !said[line] {
			said[line] = true
			fmt.Fprint(w, line)
		}
	}
	return nil
}

// percent is a mean and a standard deviation, in percent.
type percent struct{ mean, std float64 }

func (p percent) String() string { return fmt.Sprintf("%.2f ± %.2f", p.mean, p.std) }

func score(ctx context.Context, row published, seeds, threads int) (val, test percent, err error) {
	d, err := source.Open(ctx, row.data, source.Places(os.Getenv))
	if err != nil {
		return val, test, err
	}
	m, err := model.ByName(row.model)
	if err != nil {
		return val, test, err
	}
	c, err := train.FromRecipe(m, row.data)
	if err != nil {
		return val, test, err
	}
	var runs []*train.Result
	for c.Seed = range uint64(seeds) {
		r, err := run(ctx, c, d, threads)
		if err != nil {
			return val, test, err
		}
		runs = append(runs, r)
	}
	s := train.SpreadOf(runs)
	return percent{100 * *s.Mean.Val, 100 * *s.Std.Val}, percent{100 * *s.Mean.Test, 100 * *s.Std.Test}, nil
}

func run(ctx context.Context, c train.Config, d *dataset.Dataset, threads int) (*train.Result, error) {
	t, err := train.New(c, d, train.Settings{Threads: threads})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return t.Train(ctx)
}
