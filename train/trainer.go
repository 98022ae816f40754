package train

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/tensor"
)

// Settings are the choices that do not change a run's results.
type Settings struct {
	Threads int // 0 stands for 1
	// Memory is how many bytes there are for the run; 0 does not check.
	Memory int64
	// Dir is the run directory; empty keeps nothing.
	Dir string
	// SaveEvery is the least time between checkpoints, SaveEpochs a number of epochs
	// from one to the next; where both are 0 there are those of the start and the
	// end only.
	SaveEvery  time.Duration
	SaveEpochs int
	// Attempt is the number of this try to bring the run to its end, from 1; 0
	// stands for the next one.
	Attempt int
	// Init, where set, replaces the initial parameters of the same names.
	Init map[string]tensor.Matrix
	// Rank, where set, makes the trainer one of several.
	Rank *Rank
	// Models are the caller's own, beside those of package model.
	Models []model.Model
	// Progress is called after every epoch.
	Progress func(Epoch)
	// Log receives what a user should hear once; nil is silent.
	Log *slog.Logger
	// Trace, where set, is called after every operation of every step and
	// evaluation.
	Trace func(runtime.Event)
}

// Epoch is what happened in one epoch. Scores are NaN where a split is empty.
type Epoch struct {
	Epoch, Epochs    int
	Loss             float64 // the objective of the step, before its update
	ValLoss          float64
	Train, Val, Test float64 // the metric after the update
	LR               float64
	Step             time.Duration // the training step, without evaluation
	Best             bool
}

// Trainer runs one configuration on one data set.
type Trainer struct {
	cfg     Config
	set     Settings
	d       *dataset.Dataset
	model   model.Model
	problem problem
	known   known
	session *runtime.Session
	lr      tensor.Matrix
	mine    scoring
	step    program.Target // what a training step compares with
	state   progress
	best    map[string]tensor.Matrix // the weights of the best epoch
	unit    tensor.Matrix            // predictions in the labels' unit
	final   map[string]tensor.Matrix // the weights that the run ended with
	dir     *runDir

	attempt int
	saved   time.Time    // when the last checkpoint was written
	begins  int          // the epochs that were done before
	kept    atomic.Int64 // the epochs that it holds

	// Of one of several ranks: its piece of the graph; what it says of itself, and
	// where.
	piece  *plan.Piece
	rank   *program.Rank
	log    *rankLog
	logDir string
}

// The programs of a session.
const (
	stepProgram = iota
	evalProgram
)

// New prepares a run. The data's first split is used. A rank that has a part of the
// data takes no other: d may be nil then.
//
// Errors: what Config.Validate finds; a task that vertex training does not do;
// an empty training part; a [MemoryError]; a feature that is NaN or infinite; a graph that the
// model cannot normalise; initial weights that do not fit or are not finite.
func New(cfg Config, d *dataset.Dataset, set Settings) (*Trainer, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	m, err := model.ByName(cfg.Model, set.Models...)
	if err != nil {
		return nil, err
	}
	t := &Trainer{cfg: cfg, set: set, d: d, model: m, attempt: max(1, set.Attempt)}
	if t.among() {
		if err := set.Rank.validate(); err != nil {
			return nil, err
		}
	}
	if p := t.part(); p != nil {
		d = p.OwnSet()
		t.d = d
	}
	if t.among() {
		t.logDir = set.Dir
	}
	if !t.leads() {
		t.set.Dir, t.set.Log, t.set.Progress, t.set.Trace = "", nil, nil, nil
	}
	if t.set.Log == nil {
		t.set.Log = slog.New(slog.DiscardHandler)
	}
	if t.problem, err = problemOf(d, cfg.Metric); err != nil {
		return nil, err
	}
	t.cfg.Metric = t.problem.metric
	var x tensor.Matrix
	if len(d.Splits) > 0 {
		x, t.known = t.features()
	}
	if t.known.split.Train.Items == 0 {
		return nil, dataset.Lacking(dataset.SplitOption, "train: %s has no training items", d.Name)
	}
	t.problem.targets = scalings(t.problem.loss, t.known.split.Targets)
	t.state = progress{Stop: newStopper(cfg.Monitor, cfg.Patience)}
	t.notes()
	if err := t.together(); err != nil {
		return nil, err
	}
	if err := t.prepare(x); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	if err := t.start(); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// notes tells what a user may not expect.
func (t *Trainer) notes() {
	for _, n := range t.d.Notes {
		t.set.Log.Info(n)
	}
	if t.known.weighted && t.cfg.Model != "gcn" {
		t.set.Log.Info(fmt.Sprintf("%s ignores the graph's edge weights; gcn uses them", t.cfg.Model))
	}
	if len(t.problem.targets) > 0 {
		t.set.Log.Info("targets are learnt scaled to mean 0 and standard deviation 1 over the training items; scores and predictions have the data's unit, the loss has none")
	}
	if t.known.split.Val.Items == 0 && t.cfg.Patience > 0 {
		t.set.Log.Info("there are no validation items: the run does not stop early and its last weights count")
	}
}

// prepare declares and compiles the programs and opens the session.
func (t *Trainer) prepare(x tensor.Matrix) error {
	if err := model.CheckFeatures(t.d, x); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	programs, err := t.programs(x.Cols)
	if err != nil {
		return err
	}
	if x, err = t.share(programs, x); err != nil {
		return fmt.Errorf("train: %s: %w", t.d.Name, t.nameVertex(err))
	}
	o := runtime.Options{Threads: t.set.Threads, Seed: t.cfg.Seed, Trace: t.set.Trace}
	if slices.ContainsFunc(programs, readsEntries) {
		entries := program.SparseOf(x)
		o.Features = &entries
	}
	if err := t.fits(programs, o.Features); err != nil {
		return err
	}
	if t.among() {
		t.session, err = runtime.NewRank(t.piece, t.rank, o, programs...)
	} else {
		t.session, err = runtime.New(t.d.Graph, o, programs...)
	}
	if err != nil {
		return fmt.Errorf("train: %s: %w", t.d.Name, t.nameVertex(err))
	}
	t.lr = tensor.New(1, 1)
	if slices.ContainsFunc(programs, readsRows) {
		if err := t.session.Bind(program.SparseInput, x); err != nil {
			return err
		}
	}
	if err := t.session.Bind("lr", t.lr); err != nil {
		return err
	}
	return t.initFrom(t.set.Init)
}

func readsEntries(p *program.Program) bool { return p.Reads(program.SparseEntries) }
func readsRows(p *program.Program) bool    { return p.Reads(program.SparseInput) }

// facts gives the passes the sizes at hand.
func (t *Trainer) facts(ps ...*program.Program) program.Facts {
	f := program.Facts{
		Env: t.known.env(ps...), Weighted: t.known.weighted,
		Steps: int64(t.cfg.Epochs), FoldBytes: t.cfg.FoldBytes, Skip: map[string]bool{},
		Storage: t.cfg.Storage,
	}
	if t.among() {
		f.Distribution = t.set.Rank.Plan.Distribution(t.set.Rank.Comm.Rank())
		f.Distribution.Bound(f.Env)
		f.Symmetric = f.Distribution.Mirrors() && t.known.symmetric()
	}
	for _, p := range ps {
		p.Widths(f.Env)
	}
	f.Env["t"], f.Env["τ"] = t.known.split.Train.Labelled, t.known.split.Train.Present
	for _, s := range t.cfg.SkipPasses {
		f.Skip[s] = true
	}
	return f
}

// initFrom overwrites parameters with those given, and says where some are
// missing.
func (t *Trainer) initFrom(weights map[string]tensor.Matrix) error {
	if weights == nil {
		return nil
	}
	for name, w := range weights {
		m, err := t.session.Slot(paramPrefix + name)
		if err != nil {
			return fmt.Errorf("train: initial weights: the model has no parameter %q", name)
		}
		if rows, cols, _ := t.session.Size(paramPrefix + name); w.Rows != rows || w.Cols != cols {
			return fmt.Errorf("train: initial weights: %q is %v, want %d×%d", name, w, rows, cols)
		}
		if row, col, found := w.NonFinite(); found {
			return fmt.Errorf("train: initial weights: %q is %v in row %d, column %d", name, w.Row(row)[col], row, col)
		}
		t.session.Take(paramPrefix+name, m, w)
	}
	all := len(t.params())
	switch {
	case len(weights) == 0:
		return fmt.Errorf("train: initial weights: none of the model's %d parameters is given", all)
	case len(weights) < all:
		t.set.Log.Info(fmt.Sprintf("initial weights of %d of %d parameters are given, the others are drawn from the seed", len(weights), all))
	}
	return nil
}

// Close frees the session's threads and memory, and lets go of the run
// directory. It may be called more than once.
func (t *Trainer) Close() error {
	err := errors.Join(t.dir.close(), t.log.close())
	t.dir, t.log = nil, nil
	if t.session != nil {
		err = errors.Join(err, t.session.Close())
	}
	return err
}

// Kept is the number of epochs that the last checkpoint holds. It may be called while
// the run trains.
func (t *Trainer) Kept() int { return int(t.kept.Load()) }

// Config returns the configuration, its metric chosen.
func (t *Trainer) Config() Config { return t.cfg }

// Train runs epochs until the last, or until patience runs out, and returns the
// result. When ctx is done it finishes the epoch, saves, and returns an
// [*Interrupted]; ranks that are processes do not save then.
//
// Errors: [runtime.NonFiniteError] when the loss is NaN or infinite, before the
// parameters took it; files that cannot be written; a [MismatchError] of ranks that
// resume from different checkpoints.
func (t *Trainer) Train(ctx context.Context) (*Result, error) {
	r, err := t.train(ctx)
	t.log.ended(err)
	return r, err
}

func (t *Trainer) train(ctx context.Context) (*Result, error) {
	if err := t.begun(ctx); err != nil {
		return nil, err
	}
	t.saved, t.begins = time.Now(), t.state.Epoch
	for mark := t.saved; t.state.Epoch < t.cfg.Epochs && !t.state.Done; {
		stop, due, err := t.agreed(ctx, t.due(mark))
		if err != nil {
			return nil, err
		}
		if due {
			if err := t.save(context.WithoutCancel(ctx)); err != nil {
				return nil, err
			}
		}
		if stop {
			return nil, t.interrupt(ctx)
		}
		before := t.sent()
		e, err := t.epoch(context.WithoutCancel(ctx))
		if err != nil {
			return nil, errors.Join(err, t.dir.flush()) // the way there tells why
		}
		t.log.epoch(e, t.state.Sent, t.sent().Minus(before))
		if err := t.dir.log(e); err != nil {
			return nil, err
		}
		if t.set.Progress != nil {
			t.set.Progress(e)
		}
		now := time.Now()
		t.state.Seconds += now.Sub(mark).Seconds()
		mark = now
	}
	return t.finish(context.WithoutCancel(ctx))
}

// due reports whether it is time for a checkpoint.
func (t *Trainer) due(now time.Time) bool {
	s := t.set
	if t.state.Epoch == t.begins {
		return false
	}
	return s.SaveEpochs > 0 && t.state.Epoch%s.SaveEpochs == 0 || s.SaveEvery > 0 && now.Sub(t.saved) >= s.SaveEvery
}
