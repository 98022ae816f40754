package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/tensor"
)

// progress is what a checkpoint says beside its matrices.
type progress struct {
	// Epoch is the number of epochs done: the next step's number.
	Epoch int
	Loss  []float32
	Stop  stopper
	// Score and Last are train, val and test at the best epoch and at the last;
	// nil where a part is empty or the score is not finite.
	Score, Last [3]*float64
	// Done says that patience ran out.
	Done bool
	// Seconds is the time that the epochs took, StepMS the milliseconds of each
	// one's step; Counted is what a step cost. All legs of a run that was resumed
	// are among them.
	Seconds float64
	StepMS  []float32
	Counted runtime.Counted
	Sent    comm.Counter
	// Attempt is the number of the attempt that wrote the checkpoint.
	Attempt int
	// Data and Split are fingerprints of what the run trains on.
	Data, Split string
}

// finiteScores turns NaN, the score of an empty part, and infinity, that of
// predictions beyond float32, into nil: JSON knows neither.
func finiteScores(s [3]float64) (out [3]*float64) {
	for i, v := range s {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out[i] = &v
		}
	}
	return out
}

// Files of a run directory.
const (
	configFile  = "config.yaml"
	metricsFile = "metrics.jsonl"
	modelFile   = "model.safetensors"
	resultFile  = "result.json"
)

const progressKey = "weft.progress"

// save writes a checkpoint: parameters, optimiser state, the best weights so
// far and the progress, in one file that appears whole or not at all. Nothing
// is written without a run directory.
//
// An attempt writes its own file alone, so that a rank of an attempt that was given
// up, and that is alive all the same, overwrites nothing of a later one.
//
// Errors: a later attempt has taken over.
//
// All ranks call it: the parameters that they share out are gathered.
func (t *Trainer) save(ctx context.Context) error {
	named, err := t.matrices(ctx)
	if t.saved = time.Now(); err != nil || t.dir == nil {
		return err
	}
	if err := t.current(); err != nil {
		return err
	}
	t.state.Attempt, t.state.Data, t.state.Split = t.attempt, t.known.fingerprint(), t.known.split.Fingerprint
	text, err := json.Marshal(t.state)
	if err != nil {
		return fmt.Errorf("train: checkpoint: %w", err)
	}
	if err := t.dir.flush(); err != nil {
		return err
	}
	path := filepath.Join(t.dir.path, stateFile(t.attempt))
	if err := tensor.WriteSafetensors(path, named, map[string]string{progressKey: string(text)}); err != nil {
		return err
	}
	t.kept.Store(int64(t.state.Epoch))
	return t.dir.removeOlder(t.attempt)
}

// matrices returns those of a checkpoint, to the rank that leads.
func (t *Trainer) matrices(ctx context.Context) (map[string]tensor.Matrix, error) {
	named := map[string]tensor.Matrix{}
	gather := func(as, slot string, m tensor.Matrix) error {
		full, err := t.session.Gather(ctx, slot, m)
		if t.leads() {
			named[as] = full
		}
		return err
	}
	for _, slot := range t.session.Slots() {
		m, err := t.session.Slot(slot)
		if err = errors.Join(err, gather(slot, slot, m)); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.best)) {
		if err := gather(bestPrefix+name, paramPrefix+name, t.best[name]); err != nil {
			return nil, err
		}
	}
	return named, nil
}

// paramPrefix starts the names of the slots of parameters.
const paramPrefix = "param."

// bestPrefix starts the names of the best weights in a checkpoint.
const bestPrefix = "best."

// restore reads a checkpoint into the session.
//
// Errors: one of another model, one that is damaged, one of this attempt or a later.
func (t *Trainer) restore(dir string) error {
	newest, err := Newest(dir)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, stateFile(max(1, newest)))
	if t.attempt = newest + 1; t.set.Attempt > newest {
		t.attempt = t.set.Attempt
	} else if t.set.Attempt > 0 && t.leads() {
		return fmt.Errorf("train: resume: this is attempt %d, and %s is of attempt %d", t.set.Attempt, path, newest)
	}
	named, meta, err := tensor.ReadSafetensors(path)
	if err != nil {
		return fmt.Errorf("train: resume: %w", err)
	}
	if err := json.Unmarshal([]byte(meta[progressKey]), &t.state); err != nil {
		return fmt.Errorf("train: %s holds no progress: %w", path, err)
	}
	if err := errors.Join(t.state.check(), t.sameData()); err != nil {
		return fmt.Errorf("train: %s: %w", path, err)
	}
	for _, slot := range t.session.Slots() {
		to, err := t.session.Slot(slot)
		if err != nil {
			return err
		}
		if err := t.restored(named, slot, slot, to); err != nil {
			return fmt.Errorf("train: %s: %w", path, err)
		}
	}
	if t.state.Stop.Best >= 0 {
		t.keepBest() // of the right names and shapes
	}
	for name, to := range t.best {
		if err := t.restored(named, bestPrefix+name, paramPrefix+name, to); err != nil {
			return fmt.Errorf("train: %s: %w", path, err)
		}
	}
	t.state.Stop.Patience = t.cfg.Patience
	t.state.Done = t.cfg.Patience > 0 && t.state.Stop.Waited >= t.cfg.Patience
	return nil
}

// check says whether a run can have come so far.
func (p *progress) check() error {
	switch {
	case p.Epoch < 0 || p.Epoch != len(p.Loss):
		return fmt.Errorf("%d epochs with %d losses", p.Epoch, len(p.Loss))
	case len(p.StepMS) != p.Epoch:
		return fmt.Errorf("%d epochs with the times of %d", p.Epoch, len(p.StepMS))
	case p.Stop.Best < -1 || p.Stop.Best >= p.Epoch:
		return fmt.Errorf("epoch %d is the best of %d", p.Stop.Best, p.Epoch)
	case p.Stop.Waited < 0 || p.Stop.Waited > p.Epoch:
		return fmt.Errorf("%d epochs of %d without improvement", p.Stop.Waited, p.Epoch)
	}
	return nil
}

// sameData holds what the checkpoint says of the data against those at hand; one rank
// does for all.
func (t *Trainer) sameData() error {
	if !t.leads() {
		return nil
	}
	if is := t.known.fingerprint(); t.state.Data != "" && t.state.Data != is {
		return fmt.Errorf("the run trains on a graph, features and labels with the fingerprint %s, those of %s have %s: they are other data", t.state.Data, t.d.Name, is)
	}
	if is := t.known.split.Fingerprint; t.state.Split != "" && t.state.Split != is {
		return fmt.Errorf("the run trains on a split with the fingerprint %s, the split %q of %s has %s: it is another split", t.state.Split, t.known.split.Name, t.d.Name, is)
	}
	return nil
}

// restored copies the matrix called name into to, which is the slot or like it.
func (t *Trainer) restored(named map[string]tensor.Matrix, name, slot string, to tensor.Matrix) error {
	from, ok := named[name]
	rows, cols, err := t.session.Size(slot)
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("there is no %q", name)
	case from.Rows != rows || from.Cols != cols:
		return fmt.Errorf("%q is %v, the run needs %d×%d", name, from, rows, cols)
	}
	// A run goes on from an infinite second moment, which takes no further step,
	// but not from such a weight.
	if row, col, found := from.NonFinite(); found && !strings.HasPrefix(name, "state.") {
		return fmt.Errorf("%q is %v in row %d, column %d", name, from.Row(row)[col], row, col)
	}
	t.session.Take(slot, to, from)
	return nil
}

// Interrupted is the error of a run that was stopped before its end.
type Interrupted struct {
	Epoch int    // epochs done
	Dir   string // where its checkpoint lies; empty when nothing was kept
	Kept  int    // epochs that the checkpoint holds
	Cause error
}

func (e *Interrupted) Error() string {
	if e.Dir == "" {
		return fmt.Sprintf("train: stopped after %d epochs: %v", e.Epoch, e.Cause)
	}
	return fmt.Sprintf("train: stopped after %d epochs; go on with --resume %s, from epoch %d", e.Epoch, e.Dir, e.Kept)
}

func (e *Interrupted) Unwrap() error { return e.Cause }

// interrupt ends a run early. Ranks that are processes do not save: who stops them
// gives them no time.
func (t *Trainer) interrupt(ctx context.Context) error {
	if !t.among() || !t.set.Rank.Apart {
		if err := t.save(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	e := &Interrupted{Epoch: t.state.Epoch, Kept: t.Kept(), Cause: context.Cause(ctx)}
	if t.dir != nil {
		e.Dir = t.dir.path
	}
	return e
}

// Model returns the trained model: the weights of the best validation epoch
// with patience, else the last.
//
// Of ranks that share out parameters it is there when Train has returned.
func (t *Trainer) Model() *model.Saved {
	weights, epoch := t.chosen()
	if t.final != nil {
		weights = t.final
	}
	return &model.Saved{
		Model: t.cfg.Model, Options: t.cfg.Options, Features: max(1, t.d.X.Cols), Out: t.problem.out,
		Loss: t.problem.loss, Task: t.problem.task, Classes: t.d.Labels.Names, Targets: t.problem.targets,
		RowNormalize: t.cfg.RowNormalize, Storage: t.cfg.Storage, Degrees: t.d.X.Cols == 0, Prep: t.d.Prep,
		Epoch: epoch, Data: t.cfg.Data, Seed: t.cfg.Seed, Weights: clones(weights),
	}
}

// chosen are the weights that the run is scored with, and their epoch.
func (t *Trainer) chosen() (map[string]tensor.Matrix, int) {
	if t.usesBest() {
		return t.best, t.state.Stop.Best
	}
	return t.params(), t.state.Epoch - 1
}

// gatherFinal gathers these.
func (t *Trainer) gatherFinal(ctx context.Context) error {
	weights, _ := t.chosen()
	t.final = map[string]tensor.Matrix{}
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		full, err := t.session.Gather(ctx, paramPrefix+name, weights[name])
		if err != nil {
			return err
		}
		t.final[name] = full
	}
	return nil
}

// clones copies matrices: the session's memory goes when it is closed.
func clones(ms map[string]tensor.Matrix) map[string]tensor.Matrix {
	out := make(map[string]tensor.Matrix, len(ms))
	for name, m := range ms {
		out[name] = m.Clone()
	}
	return out
}

// usesBest reports whether the run is scored at its best epoch.
func (t *Trainer) usesBest() bool { return t.cfg.Patience > 0 && t.best != nil }

// fileExists reports whether a path is there.
func fileExists(path string) bool { _, err := os.Stat(path); return err == nil }
