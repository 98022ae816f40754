package perf

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/machine"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/train"
)

// TrainCase is one row of the training benchmark: a model on a graph.
type TrainCase struct {
	Model string `json:"model"`
	// Graph is what the set is called, Data what it is opened by.
	Graph  string `json:"graph"`
	Data   string `json:"data"`
	Hidden int    `json:"hidden"`
	// Heads are those of models that attend; 0 stands for the model's.
	Heads   int     `json:"heads"`
	Dropout float64 `json:"dropout"`
	Threads int     `json:"threads"`
	// Fold says whether what no step changes is computed before the first.
	Fold bool `json:"fold"`
	// Storage is how features and activations are kept.
	Storage program.Storage `json:"storage"`
	// Epochs are the steps that are measured, after those that warm up.
	Epochs int `json:"epochs"`
}

// A run has 3 steps to warm up in. The compiler weighs work before the first step
// against so many of them as runs usually have.
const (
	warmUp     = 3
	usualSteps = 200
)

// Config returns the configuration that the case trains: a model's defaults and
// what the case says.
//
// Errors: those of [train.Config.Validate].
func (c TrainCase) Config() (train.Config, error) {
	m, err := model.ByName(c.Model)
	if err != nil {
		return train.Config{}, err
	}
	cfg := train.Defaults(m)
	cfg.Data, cfg.Epochs = c.Graph, max(usualSteps, warmUp+c.Epochs)
	cfg.Options.Hidden = c.Hidden
	if c.Heads > 0 && m.Defaults.Heads > 1 {
		cfg.Options.Heads = c.Heads
	}
	cfg.Options.Dropout, cfg.Options.EdgeDropout = c.Dropout, c.Dropout
	cfg.Storage = c.Storage
	if !c.Fold {
		cfg.SkipPasses = []string{"fold"}
	}
	return cfg, cfg.Validate()
}

// Measured is what a process found out about a case.
type Measured struct {
	Epoch Times `json:"epoch_ms"`
	Heads int   `json:"heads"` // of hidden layers
	// Loss is the objective of the last step that was measured.
	Loss float64 `json:"loss"`
	// PeakRSSBytes is the most memory that the process had; null where the
	// system does not say.
	PeakRSSBytes *int64 `json:"peak_rss_bytes"`
	Ops          []Op   `json:"ops"`
}

// Op is one operation of a training step as it ran.
type Op struct {
	Name  string `json:"op"`
	Layer *int   `json:"layer"` // null outside layers
	// MS is the median time, MinMS the shortest; Bytes are what it moved.
	MS      float64         `json:"ms"`
	MinMS   float64         `json:"min_ms"`
	Bytes   int64           `json:"bytes"`
	Traffic machine.Traffic `json:"traffic"`
}

// Measure trains as the case says, in this process: once without a look at
// operations, for the time of steps and the memory, and once more for the time
// of each operation. What operations ask for is shared out among the levels of m,
// of which only the sizes count. peakRSS says how much memory the process had.
//
// Errors: those of training.
func (c TrainCase) Measure(ctx context.Context, d *dataset.Dataset, m *machine.Machine, peakRSS func() *int64) (*Measured, error) {
	cfg, err := c.Config()
	if err != nil {
		return nil, err
	}
	found := Measured{Heads: cfg.Options.Heads}
	steps, err := c.steps(ctx, cfg, d, nil)
	if err != nil {
		return nil, err
	}
	found.PeakRSSBytes = peakRSS()
	found.Loss = steps[len(steps)-1].Loss
	var times []time.Duration
	for _, s := range steps[warmUp:] {
		times = append(times, s.Step)
	}
	found.Epoch = timesOf(times)
	var seen trace
	if _, err := c.steps(ctx, cfg, d, seen.see); err != nil {
		return nil, err
	}
	found.Ops = seen.ops(d, m)
	return &found, nil
}

// errEnough ends a run that has had its steps.
var errEnough = errors.New("measured enough")

// steps trains until it has measured enough steps, and returns all of them.
func (c TrainCase) steps(ctx context.Context, cfg train.Config, d *dataset.Dataset, see func(runtime.Event)) ([]train.Epoch, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all []train.Epoch
	t, err := train.New(cfg, d, train.Settings{Threads: c.Threads, Trace: see, Progress: func(e train.Epoch) {
		if all = append(all, e); len(all) == warmUp+c.Epochs {
			stop(errEnough)
		}
	}})
	if err != nil {
		return nil, err
	}
	_, err = t.Train(ctx)
	if errors.Is(context.Cause(ctx), errEnough) {
		err = nil
	}
	return all, errors.Join(err, t.Close())
}

// trace gathers the operations of training steps; those that run once, and
// those of evaluations, are no part of a step.
type trace struct {
	program *program.Program
	seen    map[program.Value]*seenOp
	order   []program.Value
}

type seenOp struct {
	runtime.Counted
	times []time.Duration
}

func (t *trace) see(e runtime.Event) {
	if e.Program.Output("loss") == program.None || e.Program.Nodes[e.Node].Stage != program.Step {
		return
	}
	if t.seen == nil {
		t.program, t.seen = e.Program, map[program.Value]*seenOp{}
	}
	op := t.seen[e.Node]
	if op == nil {
		op = &seenOp{Counted: e.Counted}
		t.seen[e.Node] = op
		t.order = append(t.order, e.Node)
	}
	op.times = append(op.times, e.Elapsed)
}

// ops returns the operations in the order in which they ran.
func (t *trace) ops(d *dataset.Dataset, m *machine.Machine) []Op {
	extent := program.ExtentOf(d.Graph, t.program)
	if t.program.Reads(program.SparseEntries) {
		extent.X = program.SparseOf(model.Features(d, false)).Block
	}
	roof := m.Over(extent)
	var all []Op
	for _, v := range t.order {
		n, seen := t.program.Nodes[v], t.seen[v]
		times := timesOf(seen.times[warmUp:])
		op := Op{Name: n.Op.String(), MS: times.Median, MinMS: times.Min, Bytes: seen.Bytes,
			Traffic: roof.Traffic(t.program, v, seen.Work, seen.Bytes)}
		if n.Layer >= 0 {
			op.Layer = &n.Layer
		}
		all = append(all, op)
	}
	return all
}

func (c TrainCase) String() string {
	fold := "folded"
	if !c.Fold {
		fold = "not folded"
	}
	if c.Storage != program.Float32Storage {
		fold += ", " + c.Storage.String()
	}
	return fmt.Sprintf("%s on %s, hidden %d, %s, %s", c.Model, c.Graph, c.Hidden, inThreads(c.Threads), fold)
}
