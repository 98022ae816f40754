package main

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/train"
)

// modelFlags say which model, and how large.
type modelFlags struct {
	name                  string
	hidden, layers, heads int
	outHeads              int
	dropout               float64
	passes                passes
	storage               program.Storage
}

func (f *modelFlags) register(c *cobra.Command) {
	s := c.Flags()
	s.SortFlags = false
	wordFlag(c, &f.name, "model", "gcn", model.Names(), "model, see weft models")
	s.IntVar(&f.hidden, "hidden", 0, "width `K` of hidden layers, all heads together, in columns (default: the model's)")
	s.IntVar(&f.layers, "layers", 0, "number `L` of layers (default: the model's)")
	s.IntVar(&f.heads, "heads", 0, "number `H` of attention heads of hidden layers, each K/H wide (default: the model's)")
	s.IntVar(&f.outHeads, "out-heads", 0, "number `H` of attention heads of the last layer, which are averaged (default: the model's)")
	s.Float64Var(&f.dropout, "dropout", 0, "probability `P`, 0 ≤ P < 1, of dropping features and attention coefficients; 0 switches all dropout off (default: the model's)")
	storageFlag(c, &f.storage)
	passesFlag(c, &f.passes)
	title(c, "Model")
}

func storageFlag(c *cobra.Command, to *program.Storage) {
	choiceFlag(c, to, "storage", []string{"float32", "bfloat16"}, "how activations and gathered rows are kept where that saves traffic; arithmetic is float32 in both")
}

// apply replaces the options of a model that the command line names. symbols says
// that all widths are one symbol, that of --hidden.
//
// Errors: options that do not go together, or that the model does not read.
func (f *modelFlags) apply(c *cobra.Command, m model.Model, o *model.Options, symbols bool) error {
	set := c.Flags().Changed
	if set("hidden") {
		o.Hidden = f.hidden
	}
	if set("layers") {
		o.Layers = f.layers
	}
	if set("heads") {
		o.Heads = f.heads
	}
	if set("out-heads") {
		o.OutHeads = f.outHeads
	}
	if set("dropout") {
		o.Dropout, o.EdgeDropout = f.dropout, f.dropout
	}
	if err := o.Validate(); err != nil {
		return usage(err)
	}
	return f.unread(c, m, *o, symbols)
}

// unread refuses what is asked for and would change nothing. One head is what a
// model without heads has, too.
func (f *modelFlags) unread(c *cobra.Command, m model.Model, o model.Options, symbols bool) error {
	for _, flag := range []struct {
		name   string
		change func(*model.Options)
		why    string
	}{
		{"out-heads", func(o *model.Options) { o.OutHeads = 1 }, m.Name + " has no attention heads"},
		{"heads", func(o *model.Options) { o.Heads = 1 }, m.Name + " has no hidden layer with attention heads"},
		{"hidden", func(o *model.Options) { o.Hidden += o.Heads }, m.Name + " of one layer has no hidden one"},
	} {
		other := o
		flag.change(&other)
		if !c.Flags().Changed(flag.name) || other == o || symbols && flag.name == "hidden" {
			continue
		}
		same, err := m.Same(o, other)
		if err != nil {
			return usage(err)
		}
		if same {
			return usagef("--%s %v: %s", flag.name, c.Flags().Lookup(flag.name).Value, flag.why)
		}
	}
	return nil
}

// trainFlags are the settings of a run.
type trainFlags struct {
	recipe            string
	seed              uint64
	seeds             int
	epochs, patience  int
	metric            train.Metric
	monitor           model.Monitor
	lr, decay         float64
	momentum          float64
	schedule          train.Schedule
	optimizer         program.OptimizerKind
	init, resume, out string
	save              saveEvery
	stall             time.Duration
	threads           int
	json              bool
}

func (f *trainFlags) register(c *cobra.Command) {
	s := c.Flags()
	preset := train.Defaults(model.Model{})
	f.monitor, f.optimizer = preset.Monitor, preset.Optimizer
	wordFlag(c, &f.recipe, "recipe", "", []string{"paper"}, "published settings for the model and data, which explicit flags beat (default: none)")
	s.IntVar(&f.epochs, "epochs", preset.Epochs, "number `N` of training steps: exactly, unless --patience stops earlier")
	s.IntVar(&f.patience, "patience", preset.Patience, "stop after `N` epochs without improvement on the validation items, and keep the best epoch's weights; 0 never stops early")
	choiceFlag(c, &f.monitor, "monitor", []string{"loss", "metric", "either"}, "what is to improve")
	choiceFlag(c, &f.metric, "metric", metrics, "score that is reported (default: by the data and task)")
	s.Float64Var(&f.lr, "lr", preset.LR, "learning rate `η`, per step")
	choiceFlag(c, &f.schedule.Kind, "schedule", []string{"constant", "cosine", "step"}, "learning rate in epoch t of T: η, η·(1 + cos(π·t/T))/2, or η times --step-factor every --step-epochs")
	s.IntVar(&f.schedule.Warmup, "warmup", 0, "number `N` of epochs over which the learning rate rises to η first")
	s.IntVar(&f.schedule.Every, "step-epochs", 50, "number `N` of epochs between steps of --schedule step")
	s.Float64Var(&f.schedule.Gamma, "step-factor", 0.5, "factor `F` of --schedule step, 0 < F ≤ 1")
	choiceFlag(c, &f.optimizer, "optimizer", []string{"adam", "adamw", "sgd"}, "update rule")
	s.Float64Var(&f.decay, "weight-decay", preset.Decay.Lambda, "`λ`: the objective gains λ/2·‖W‖² per weight matrix; with adamw weights shrink by η·λ per step instead")
	s.Float64Var(&f.momentum, "momentum", 0, "`μ` of sgd, 0 ≤ μ < 1")
	s.Uint64Var(&f.seed, "seed", 0, "`SEED` of initial weights and dropout")
	s.IntVar(&f.seeds, "seeds", 1, "number `N` of runs, with the seeds SEED to SEED+N−1")
	s.StringVar(&f.init, "init", "", "safetensors `FILE` with initial weights under the model's names (default: drawn from the seed)")
	title(c, "Training")
	s.StringVar(&f.out, "out", "", "run `DIR`; with --seeds the folder of the runs (default: runs/<model>-<data>-<seed>-<n>)")
	s.StringVar(&f.resume, "resume", "", "go on with the run in `DIR`, exactly where it stopped (default: a new run)")
	f.save = saveEvery{time: time.Minute}
	s.Var(&f.save, "save-every", "`TIME|Nepochs` between checkpoints, such as 5m or 10epochs, from which a run that is killed goes on")
	s.DurationVar(&f.stall, "stall-limit", time.Minute, "`TIME` that a rank waits for others before it gives up and says for whom; 0s waits for ever")
	threadsFlag(c, &f.threads)
	jsonFlag(c, &f.json)
}

// metrics are the scores that may be asked for.
var metrics = []string{"accuracy", "f1", "f1-micro", "roc-auc", "mae", "rmse"}

// maxThreads bounds --threads: every thread takes some memory, and none beyond
// the CPUs helps.
const maxThreads = 4096

// threadCount is a number of threads.
type threadCount int

func (n *threadCount) String() string { return strconv.Itoa(int(*n)) }
func (n *threadCount) Type() string   { return "N" }

// Set reads a number from 1 to maxThreads.
func (n *threadCount) Set(text string) error {
	v, err := strconv.Atoi(text)
	if err != nil || v < 1 || v > maxThreads {
		return fmt.Errorf("want a whole number from 1 to %d", maxThreads)
	}
	*n = threadCount(v)
	return nil
}

func threadsFlag(c *cobra.Command, to *int) {
	*to = runtime.NumCPU()
	c.Flags().Var((*threadCount)(to), "threads", "number `N` of threads; results have the same bits for any "+perCPU())
}

func perCPU() string { return "(default: one per CPU, here " + strconv.Itoa(runtime.NumCPU()) + ")" }

func jsonFlag(c *cobra.Command, to *bool) {
	c.Flags().BoolVar(to, "json", false, "print one JSON object on stdout")
}

func quietFlag(a *app, c *cobra.Command) {
	c.Flags().BoolVar(&a.quiet, "quiet", false, "print results and errors only")
}

// config returns the configuration of the run with the first seed. recipes know the
// data by the name called.
//
// Errors: of usage.
func (f *trainFlags) config(c *cobra.Command, m *modelFlags, data source.Spec, called string) (train.Config, error) {
	declared, err := model.ByName(m.name)
	if err != nil {
		return train.Config{}, usage(err)
	}
	cfg := train.Defaults(declared)
	if f.recipe != "" {
		if cfg, err = train.FromRecipe(declared, strings.TrimPrefix(called, "planetoid/")); err != nil {
			return cfg, usage(err)
		}
	}
	cfg.Data, cfg.Source, cfg.Seed, cfg.SkipPasses = data.Name(), data, f.seed, m.passes.skip
	cfg.Storage = m.storage
	if err := m.apply(c, declared, &cfg.Options, false); err != nil {
		return cfg, err
	}
	if err := f.apply(c, &cfg); err != nil {
		return cfg, err
	}
	return cfg, usage(cfg.Validate())
}

// apply replaces what the command line names.
func (f *trainFlags) apply(c *cobra.Command, cfg *train.Config) error {
	for name, set := range map[string]func(){
		"epochs":       func() { cfg.Epochs = f.epochs },
		"patience":     func() { cfg.Patience = f.patience },
		"monitor":      func() { cfg.Monitor = f.monitor },
		"metric":       func() { cfg.Metric = f.metric },
		"lr":           func() { cfg.LR = f.lr },
		"weight-decay": func() { cfg.Decay.Lambda = f.decay },
		"momentum":     func() { cfg.Momentum = f.momentum },
		"optimizer":    func() { cfg.Optimizer = f.optimizer },
	} {
		if c.Flags().Changed(name) {
			set()
		}
	}
	cfg.Schedule = train.Schedule{Kind: f.schedule.Kind, Warmup: f.schedule.Warmup}
	if cfg.Schedule.Kind == train.StepDown {
		cfg.Schedule.Every, cfg.Schedule.Gamma = f.schedule.Every, f.schedule.Gamma
	} else if name := changed(c, "step-epochs", "step-factor"); name != "" {
		return usagef("--%s goes with --schedule step", name)
	}
	if f.seeds < 1 {
		return usagef("--seeds %d: want at least 1", f.seeds)
	}
	if last := f.seed + uint64(f.seeds-1); last < f.seed {
		return usagef("--seeds %d: from --seed %d there are %d to 2⁶⁴−1", f.seeds, f.seed, math.MaxUint64-f.seed+1)
	}
	return nil
}
