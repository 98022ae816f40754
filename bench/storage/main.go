//go:build unix

// Command storage measures what keeping activations in bfloat16 costs in accuracy
// and gains in time and memory, beside float32.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/weft-gnn/weft/bench/origin"
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/train"
)

var storages = []program.Storage{program.Float32Storage, program.BFloat16Storage}

// options are those of the command line.
type options struct {
	seeds, threads, turns, epochs int
	cpu                           bool
	data                          string
	models, hidden                string
}

func main() {
	var o options
	out := flag.String("out", "", "file to write; standard output where empty")
	flag.IntVar(&o.seeds, "seeds", 10, "number of seeds, from 0, of each accuracy; 0 measures none")
	flag.IntVar(&o.threads, "threads", 2, "threads")
	flag.IntVar(&o.turns, "turns", 5, "runs of each time, float32 and bfloat16 in turns")
	flag.IntVar(&o.epochs, "epochs", 12, "steps of a run, the first two to warm up")
	flag.StringVar(&o.data, "data", "", "large set on which times are measured, such as one of `weft data gen arxiv`; none where empty")
	flag.BoolVar(&o.cpu, "cpu", false, "measure time of the processors, where others use them")
	flag.StringVar(&o.models, "models", "gcn,sage,gin,gat", "models")
	flag.StringVar(&o.hidden, "hidden", "64,256", "widths of hidden layers of each time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var text strings.Builder
	err := o.write(ctx, &text)
	if err == nil && *out != "" {
		err = origin.Write(*out, text.String())
	}
	if err != nil {
		log.Fatal(err)
	}
	if *out == "" {
		fmt.Print(text.String())
	}
}

func (o options) write(ctx context.Context, w io.Writer) error {
	fmt.Fprint(w, "# Storage in bfloat16\n\nBy `make storage`: `--storage bfloat16` beside float32.\n\n")
	if o.seeds > 0 {
		if err := o.accuracies(ctx, w); err != nil {
			return err
		}
	}
	if o.data == "" {
		return nil
	}
	return o.times(ctx, w)
}

// accuracies compares the scores of the published settings.
func (o options) accuracies(ctx context.Context, w io.Writer) error {
	fmt.Fprintf(w, "## Accuracy\n\nTest accuracy in percent on the public splits with the settings of `--recipe paper`, mean ± standard\ndeviation over seeds 0 to %d, and the mean of the difference seed by seed ± its standard error.\n\n", o.seeds-1)
	fmt.Fprint(w, "| model | data | float32 | bfloat16 | difference |\n| --- | --- | --- | --- | --- |\n")
	for _, data := range []string{"cora", "citeseer"} {
		d, err := source.Open(ctx, data, source.Places(os.Getenv))
		if err != nil {
			return err
		}
		for name := range strings.SplitSeq(o.models, ",") {
			m, err := model.ByName(name)
			if err != nil {
				return err
			}
			c, err := train.FromRecipe(m, data)
			if err != nil {
				return err
			}
			scores, err := o.scores(ctx, c, d)
			if err != nil {
				return err
			}
			change := minus(scores[1], scores[0])
			fmt.Fprintf(w, "| %s | %s | %v | %v | %+.2f ± %.2f |\n", name, data, spreadOf(scores[0]), spreadOf(scores[1]), spreadOf(change).mean, spreadOf(change).error())
			log.Printf("%s on %s: %+.2f", name, data, spreadOf(change).mean)
		}
	}
	return nil
}

// scores returns the test accuracies in both storages, seed by seed.
func (o options) scores(ctx context.Context, c train.Config, d *dataset.Dataset) ([2][]float64, error) {
	var scores [2][]float64
	for i := range storages {
		c.Storage = storages[i]
		for c.Seed = range uint64(o.seeds) {
			r, err := run(ctx, c, d, train.Settings{Threads: o.threads})
			if err != nil {
				return scores, err
			}
			scores[i] = append(scores[i], 100**r.Score.Test)
		}
	}
	return scores, nil
}

// times compares training steps, with all that is the same in every step folded.
func (o options) times(ctx context.Context, w io.Writer) error {
	d, err := source.Open(ctx, o.data, source.Places(os.Getenv))
	if err != nil {
		return err
	}
	kind := "time"
	if o.cpu {
		kind = "processor time"
	}
	fmt.Fprintf(w, "\n## Time and memory\n\n%s: %d vertices, %d arcs, %d features; threads: %d. The "+kind+" of a training step without evaluation, the\nfastest of %d runs of %d in turns; numbers are in float32, in bfloat16. The arena holds parameters, optimiser state and all values; inputs and graph are apart.\n\n",
		d.Name, d.Graph.N, d.Graph.Block().Edges(), d.X.Cols, o.threads, o.turns, o.epochs-2)
	fmt.Fprint(w, "| model | layers | hidden | dropout | step, ms | ratio | arena, MB | ratio | moved, GB | ratio | loss |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for name := range strings.SplitSeq(o.models, ",") {
		for word := range strings.SplitSeq(o.hidden, ",") {
			hidden, err := strconv.Atoi(word)
			if err != nil {
				return err
			}
			if err := o.time(ctx, w, d, name, 2, hidden, 0); err != nil {
				return err
			}
			if err := o.time(ctx, w, d, name, 3, hidden, 0.5); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o options) time(ctx context.Context, w io.Writer, d *dataset.Dataset, name string, layers, hidden int, dropout float64) error {
	m, err := model.ByName(name)
	if err != nil {
		return err
	}
	c := train.Defaults(m)
	c.Options.Layers, c.Options.Hidden, c.Options.Dropout, c.Options.EdgeDropout = layers, hidden, dropout, dropout
	var least [2]time.Duration
	var last [2]*train.Result
	for range o.turns {
		for i := range storages {
			c.Storage = storages[i]
			r, step, err := o.steps(ctx, c, d)
			if err != nil {
				return err
			}
			if last[i] = r; least[i] == 0 || step < least[i] {
				least[i] = step
			}
		}
	}
	half, wide := last[1], last[0]
	fmt.Fprintf(w, "| %s | %d | %d | %g | %s | %s | %s | %.4f, %.4f |\n", name, layers, hidden, dropout,
		pair(least[0].Seconds()*1e3, least[1].Seconds()*1e3, "%.1f"),
		pair(float64(wide.Memory.ArenaBytes)/1e6, float64(half.Memory.ArenaBytes)/1e6, "%.0f"),
		pair(float64(wide.Counted.Bytes)/1e9, float64(half.Counted.Bytes)/1e9, "%.2f"),
		wide.Loss[len(wide.Loss)-1], half.Loss[len(half.Loss)-1])
	log.Printf("%s, %d layers, %d, dropout %g: %.2f", name, layers, hidden, dropout, least[1].Seconds()/least[0].Seconds())
	return nil
}

// pair prints a number in float32, in bfloat16, and their ratio in a column of its own.
func pair(wide, half float64, format string) string {
	return fmt.Sprintf(format+", "+format+" | %.2f", wide, half, half/wide)
}

// steps trains and returns the shortest step after two.
func (o options) steps(ctx context.Context, c train.Config, d *dataset.Dataset) (*train.Result, time.Duration, error) {
	var steps []time.Duration
	set := train.Settings{Threads: o.threads, Progress: func(e train.Epoch) { steps = append(steps, e.Step) }}
	if o.cpu {
		spent, last := time.Duration(0), cpuTime()
		set.Trace = func(e runtime.Event) {
			now := cpuTime()
			if e.Program.Output("loss") != program.None && e.Program.Nodes[e.Node].Stage == program.Step {
				spent += now - last
			}
			last = now
		}
		set.Progress = func(train.Epoch) {
			steps = append(steps, spent)
			spent, last = 0, cpuTime()
		}
	}
	c.Epochs = o.epochs
	r, err := run(ctx, c, d, set)
	if err != nil {
		return nil, 0, err
	}
	least := steps[len(steps)-1]
	for _, s := range steps[2:] {
		least = min(least, s)
	}
	return r, least, nil
}

// cpuTime returns the processor time that the process took.
func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func run(ctx context.Context, c train.Config, d *dataset.Dataset, set train.Settings) (*train.Result, error) {
	t, err := train.New(c, d, set)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return t.Train(ctx)
}
