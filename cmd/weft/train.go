package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/comm/local"
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/tensor"
	"github.com/weft-gnn/weft/train"
)

func (a *app) trainCommand() *cobra.Command {
	t := &trainRun{app: a}
	c := &cobra.Command{
		Use:   "train",
		Short: "Train a model and keep what it learnt",
		Long: `Train a model on all training items at once, evaluating after every epoch, and
keep it in a run directory: config.yaml (what determines the run),
metrics.jsonl (an epoch a line), model.safetensors, result.json, and a
checkpoint to go on from.

The score is that of the last epoch, or with --patience that of the best
validation epoch. The loss is the objective of a step before its update:
the mean loss of the training items plus λ/2·‖W‖² per weight matrix. Values to
be predicted are learnt with mean 0 and standard deviation 1 over the training
items; scores and predictions have the unit of the data.

The same seed gives the same bits on any number of threads. Ctrl-C saves a
checkpoint and says how to go on; what follows is what would have followed.

With --ranks or --plan several ranks train together, each with a part of the
graph. Of data that weft partition divided each rank opens its own part, and
reads no other: there are as many ranks as parts. Ranks are goroutines of this
process, or, in a weft built with MPI (CC=mpicc go build -tags mpi), the
processes that mpirun or srun starts. Each keeps a log in the run directory.
weft launch restarts what fails. --resume goes on with the data where they lay,
or with --data where the same ones lie now, whole or divided.

In the object that --json prints, time.total_s and epoch_ms are of all epochs,
those before a --resume among them. With --seeds N it is the object of the first
seed and, besides, seeds [the score of each], mean and std (sample standard
deviation).`,
		Example: `  weft train
  weft train --model gat --data cora --recipe paper --seeds 10
  weft train --vertices people.csv --edges knows.csv --label team --hidden 32
  weft train --data cora --epochs 1000 --patience 50 --lr 0.005 --json
  weft train --data cora --ranks 4
  weft train --data ./cora-4
  mpirun -np 4 weft train --data cora
  weft train --resume runs/gcn-cora-0-1 --epochs 400`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return t.run(c) },
	}
	t.model.register(c)
	t.data.register(a, c, "karate", "")
	t.flags.register(c)
	t.plan.register(c)
	quietFlag(a, c)
	title(c, "Run and result")
	return c
}

// trainRun is one call of weft train.
type trainRun struct {
	*app
	model modelFlags
	data  dataFlags
	flags trainFlags
	plan  planFlags
	chose *plan.Plan // nil for one rank
	watch *comm.Watch
	parts *divided // nil where every rank reads the whole set
	// rankMemory is how many bytes there are for each rank, 0 for any.
	rankMemory int64
	init       map[string]tensor.Matrix
	readS      float64
}

func (t *trainRun) run(c *cobra.Command) error {
	if t.flags.stall < 0 {
		return usagef("--stall-limit %v: want 0s or more", t.flags.stall)
	}
	t.watch = &comm.Watch{Limit: t.flags.stall}
	if err := t.join(t.watch); err != nil {
		return err
	}
	if t.flags.resume != "" {
		return t.resume(c)
	}
	src, err := t.data.choose(c)
	if err != nil {
		return err
	}
	if err := t.ranks(c, src); err != nil {
		return err
	}
	cfg, err := t.flags.config(c, &t.model, src, t.called(src))
	if err != nil {
		return err
	}
	if t.flags.init != "" {
		if t.init, _, err = tensor.ReadSafetensors(t.flags.init); err != nil {
			return fmt.Errorf("--init: %w", err)
		}
	}
	d, err := t.open(c.Context(), src, nil)
	if err != nil {
		return err
	}
	if cfg.Source, err = src.Kept(t.lookup()); err != nil {
		return err
	}
	return t.seeds(c.Context(), cfg, d)
}

// ranks chooses the plan and finds this process's place in it.
func (t *trainRun) ranks(c *cobra.Command, src source.Spec) (err error) {
	there := 1
	if t.world != nil {
		there = t.world.end.Size()
	}
	if t.parts, err = t.partsOf(src); err != nil {
		return err
	}
	if t.parts != nil {
		there = len(t.parts.manifest.Parts)
	}
	if t.chose, err = t.plan.choose(c, there); err != nil {
		return err
	}
	if t.parts != nil {
		if err := t.divide(c, src); err != nil {
			return err
		}
	}
	host, cpus := 1, 1 // ranks that share this host, and these CPUs
	switch {
	case t.world != nil:
		if t.chose, err = t.world.planned(t.chose); err != nil {
			return err
		}
		if host, cpus, err = t.world.sharing(c.Context()); err != nil {
			return err
		}
	case t.chose != nil:
		host, cpus = t.chose.Ranks(), t.chose.Ranks()
	}
	if t.memory > 0 {
		t.rankMemory = max(1, t.memory/int64(host))
	}
	if !c.Flags().Changed("threads") {
		t.flags.threads = threadsOf(cpus)
	}
	return nil
}

// open reads the data, timed, and says what they are; of divided data it reads
// nothing.
func (t *trainRun) open(ctx context.Context, src source.Spec, prep *dataset.Prep) (*dataset.Dataset, error) {
	if t.parts != nil {
		t.say("%s", t.parts.describe())
		t.sayPlan()
		return nil, nil
	}
	start := time.Now()
	d, err := src.Open(ctx, t.lookup(), prep)
	t.readS = time.Since(start).Seconds()
	if err == nil {
		t.say("%s", describe(d))
		t.sayPlan()
	}
	return d, err
}

// sayPlan says on how many ranks the run is, and by which plan, where it is not on
// one, and that ranks of this process take turns where it has far fewer cores.
func (t *trainRun) sayPlan() {
	if t.chose == nil {
		return
	}
	n := t.chose.Ranks()
	t.say("on %s: %v", plural(int64(n), "rank", "ranks"), t.chose)
	if cores := runtime.GOMAXPROCS(0); t.world == nil && n > 4*cores {
		t.say("note: they take turns on %s, as ranks of one process do: mpirun starts them on several hosts", plural(int64(cores), "core", "cores"))
	}
}

// seeds trains once per seed and reports.
func (t *trainRun) seeds(ctx context.Context, cfg train.Config, d *dataset.Dataset) error {
	var runs []*train.Result
	for i := range t.flags.seeds {
		c := cfg
		c.Seed += uint64(i)
		dir, made, err := t.dir(c)
		if err != nil {
			return err
		}
		bar := t.progress(c.Epochs, t.seedLabel(i))
		set, err := t.settings(bar)
		if err != nil {
			return err
		}
		set.Dir, set.Init = dir, t.init
		if i > 0 {
			set.Log = nil // once is enough
		}
		r, err := t.train(ctx, bar, d, c, set, func(set train.Settings) (*train.Trainer, error) { return train.New(c, d, set) })
		if err != nil {
			if made {
				os.Remove(dir) // only if nothing was kept
			}
			return err
		}
		runs = append(runs, r)
		if t.flags.seeds > 1 {
			t.say("seed %d: %s", r.Seed, scoreLine(r))
		}
	}
	return t.result(runs)
}

func (t *trainRun) seedLabel(i int) string {
	if t.flags.seeds == 1 {
		return ""
	}
	return fmt.Sprintf("seed %d of %d  ", i+1, t.flags.seeds)
}

// dir returns the run directory of one seed, and whether it was made here.
func (t *trainRun) dir(c train.Config) (string, bool, error) {
	switch {
	case t.flags.out == "":
		return t.newDir(c)
	case t.flags.seeds > 1:
		return filepath.Join(t.flags.out, fmt.Sprintf("seed-%d", c.Seed)), false, nil
	}
	return t.flags.out, false, nil
}

// newDir makes a run directory, one for all ranks.
func (t *trainRun) newDir(c train.Config) (dir string, made bool, err error) {
	if t.world.leads() {
		if dir, err = train.NewDir("runs", c); err != nil {
			return "", false, err
		}
	}
	dir, err = t.world.fromFirst(context.Background(), dir)
	return dir, t.world.leads(), err
}

// attemptVariable is where weft launch says which attempt this is.
const attemptVariable = "WEFT_ATTEMPT"

func (t *trainRun) settings(bar *progress) (train.Settings, error) {
	set := train.Settings{Threads: t.flags.threads, Memory: t.rankMemory, SaveEvery: t.flags.save.time, SaveEpochs: t.flags.save.epochs, Progress: bar.epoch, Log: t.notes()}
	text := t.getenv(attemptVariable)
	if text == "" {
		return set, nil
	}
	var err error
	if set.Attempt, err = strconv.Atoi(text); err != nil || set.Attempt < 1 {
		return set, usagef("%s=%s: want a whole number from 1", attemptVariable, text)
	}
	return set, nil
}

// train runs what prepare makes, on the ranks of the plan where there is one.
func (t *trainRun) train(ctx context.Context, bar *progress, d *dataset.Dataset, cfg train.Config, set train.Settings, prepare func(train.Settings) (*train.Trainer, error)) (*train.Result, error) {
	var trains atomic.Pointer[train.Trainer]
	if t.world != nil { // a launcher that ends ranks may not wait for the end of an epoch
		defer context.AfterFunc(ctx, func() {
			if trainer := trains.Load(); trainer != nil {
				t.say("stopping: `weft train --resume %s` goes on from epoch %d, the last checkpoint", shellWord(cmp.Or(set.Dir, t.flags.resume)), trainer.Kept())
			}
		})()
	}
	ready := func(trainer *train.Trainer) {
		trains.Store(trainer)
		bar.metric = trainer.Config().Metric
		bar.start()
	}
	r, err := t.onRanks(ctx, d, cfg, set, prepare, ready)
	bar.end()
	if err != nil {
		return nil, err
	}
	r.Time.ReadS, r.Memory.PeakRSSBytes = &t.readS, peakRSS()
	return r, nil
}

// onRanks trains on the ranks of the plan: of this process, or the one that it is.
func (t *trainRun) onRanks(ctx context.Context, d *dataset.Dataset, cfg train.Config, set train.Settings, prepare func(train.Settings) (*train.Trainer, error), ready func(*train.Trainer)) (*train.Result, error) {
	if t.chose == nil {
		trainer, err := prepare(set)
		if err != nil {
			return nil, err
		}
		defer trainer.Close()
		ready(trainer)
		return trainer.Train(ctx)
	}
	if n := t.chose.Ranks(); t.world == nil && n > mostHere {
		return nil, usagef("%d ranks: one process takes at most %d; more are processes, see docs/cluster.md", n, mostHere)
	}
	team := train.Team{Plan: *t.chose, Watch: t.watch}
	if t.parts != nil {
		team.Part = t.part
	} else {
		var err error
		if team.Owners, err = train.Divide(ctx, *t.chose, d, cfg.Seed); err != nil {
			return nil, err
		}
	}
	if t.world != nil {
		team.Ends = []comm.Transport{t.world.end}
	} else {
		team.Ends = local.World(t.chose.Ranks(), local.Options{})
	}
	return team.Train(ctx, set, prepare, ready)
}

// mostHere bounds the ranks of one process: each sends to all others, a million
// messages at every sum.
const mostHere = 1024

// result prints what the runs came to.
func (t *trainRun) result(runs []*train.Result) error {
	if len(runs) == 1 {
		if t.flags.json {
			return t.printJSON(runs[0])
		}
		return t.print("%s", resultText(runs[0]))
	}
	spread := train.SpreadOf(runs)
	if t.flags.json {
		return t.printJSON(struct {
			*train.Result
			train.Spread
		}{runs[0], spread})
	}
	return t.print("%s", spreadText(runs[0], spread))
}
