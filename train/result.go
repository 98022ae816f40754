package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/tensor"
)

// Result is what a run came to; its JSON is what `weft train --json` prints.
type Result struct {
	Model  string       `json:"model"`
	Data   string       `json:"data"`
	Task   dataset.Task `json:"task"`
	Seed   uint64       `json:"seed"`
	Epochs int          `json:"epochs"` // epochs done
	// BestEpoch is the best validation epoch, from 0; null without validation.
	BestEpoch *int   `json:"best_epoch"`
	Metric    Metric `json:"metric"`
	// Score is at the best validation epoch with patience, else at the last.
	Score Score `json:"score"`
	// Loss is the objective of every step, before its update.
	Loss []float32 `json:"loss"`
	// Plan is null where the run had one rank and no plan.
	Plan    *string `json:"plan"`
	Ranks   int     `json:"ranks"`
	Threads int     `json:"threads"`
	Time    Time    `json:"time"`
	Memory  Memory  `json:"memory"`
	// Counted and Predicted are of one training step.
	Counted   Step   `json:"counted"`
	Predicted Step   `json:"predicted"`
	Config    Config `json:"config"`
	Dir       string `json:"dir,omitempty"`
}

// Score is the metric on each part of the split; null where it is empty or the
// score is none: undefined, or not finite.
type Score struct {
	Train *float64 `json:"train"`
	Val   *float64 `json:"val"`
	Test  *float64 `json:"test"`
}

// Time is where time went. ReadS is filled by the caller that read the data.
type Time struct {
	// TotalS is the time of all epochs with their evaluations and checkpoints,
	// those before the run was resumed among them; reading, compiling and epochs
	// that were lost to a kill are not.
	TotalS  float64   `json:"total_s"`
	EpochMS EpochTime `json:"epoch_ms"`
	ReadS   *float64  `json:"read_s"`
}

// EpochTime is the time of a training step, without evaluation, over all epochs.
type EpochTime struct {
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
}

// Memory is what the run took; PeakRSSBytes is filled by the caller.
type Memory struct {
	ArenaBytes   int64  `json:"arena_bytes"`
	PeakRSSBytes *int64 `json:"peak_rss_bytes"`
}

// Step is the cost of one training step.
type Step struct {
	Work       int64   `json:"work"`
	Bytes      int64   `json:"bytes"`
	Words      Extreme `json:"words"`
	Messages   Extreme `json:"messages"`
	Supersteps int64   `json:"supersteps"`
	ArenaBytes int64   `json:"arena_bytes"`
}

// Extreme is a count over ranks: 0 on one rank.
type Extreme struct {
	Max   int64 `json:"max"`
	Total int64 `json:"total"`
}

// finish saves the checkpoint, the model, the result, and last that these are there.
func (t *Trainer) finish(ctx context.Context) (*Result, error) {
	if err := t.gatherFinal(ctx); err != nil {
		return nil, err
	}
	model := t.Model()
	for name, w := range model.Weights {
		if _, _, found := w.NonFinite(); found { // no later loss tells
			return nil, fmt.Errorf("train: after %d epochs the parameter %q is not finite", t.state.Epoch, name)
		}
	}
	r, err := t.result(ctx)
	if err = errors.Join(err, t.save(ctx)); err != nil || t.dir == nil {
		return r, err
	}
	r.Dir = t.dir.path
	if err := model.Write(filepath.Join(t.dir.path, modelFile)); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	err = tensor.WriteAtomic(filepath.Join(t.dir.path, resultFile), func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, t.dir.markFinished(t.attempt)
}

func (t *Trainer) result(ctx context.Context) (*Result, error) {
	score := t.state.Last
	if t.usesBest() {
		score = t.state.Score
	}
	r := &Result{
		Model: t.cfg.Model, Data: t.cfg.Data, Task: t.problem.task, Seed: t.cfg.Seed,
		Epochs: t.state.Epoch, Metric: t.problem.metric, Loss: t.state.Loss,
		Score: Score{score[0], score[1], score[2]}, Ranks: 1, Threads: max(1, t.set.Threads),
		Time:   Time{TotalS: t.state.Seconds, EpochMS: epochTime(t.state.StepMS)},
		Memory: Memory{ArenaBytes: t.session.ArenaBytes()}, Config: t.cfg,
	}
	if t.state.Stop.Best >= 0 {
		r.BestEpoch = &t.state.Stop.Best
	}
	p, err := t.session.Predict(stepProgram, program.Step, t.step)
	r.Predicted = stepOf(p, t.session.ArenaBytes())
	r.Counted = stepOf(t.state.Counted, t.session.ArenaBytes())
	if err != nil || !t.among() {
		return r, err
	}
	text := t.set.Rank.Plan.String()
	r.Plan, r.Ranks = &text, t.set.Rank.Plan.Ranks()
	traffic, err := t.session.PredictTraffic(stepProgram, program.Step)
	if err != nil {
		return r, err
	}
	return r, errors.Join(t.overRanks(ctx, &r.Predicted, traffic), t.overRanks(ctx, &r.Counted, t.state.Sent))
}

func stepOf(c runtime.Counted, arena int64) Step {
	return Step{Work: c.Work, Bytes: c.Bytes, ArenaBytes: arena}
}

func epochTime(stepMS []float32) EpochTime {
	if len(stepMS) == 0 {
		return EpochTime{}
	}
	sorted := slices.Sorted(slices.Values(stepMS))
	at := func(q float64) float64 { return float64(sorted[int(q*float64(len(sorted)-1))]) }
	return EpochTime{Median: at(0.5), P95: at(0.95)}
}
