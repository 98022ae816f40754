package train

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"
	"github.com/weft-gnn/weft/dataset/yamldoc"
	"github.com/weft-gnn/weft/tensor"
)

// runDir is the folder in which a run keeps what it did, open for one trainer
// alone. A nil runDir keeps nothing.
type runDir struct {
	path    string
	file    *os.File // of the metrics; its lock is the folder's
	metrics *bufio.Writer
}

// metricsLine is one epoch in metrics.jsonl.
type metricsLine struct {
	Epoch   int      `json:"epoch"`
	Loss    float32  `json:"loss"`
	ValLoss *float64 `json:"val_loss"`
	Train   *float64 `json:"train"`
	Val     *float64 `json:"val"`
	Test    *float64 `json:"test"`
	LR      float64  `json:"lr"`
	StepMS  float64  `json:"step_ms"`
}

// ErrHoldsRun says that a directory cannot be a new run's.
var ErrHoldsRun = errors.New("holds a run already: resume it, or choose another directory")

// start makes the run directory of a new run. The configuration comes last, so
// that a directory that has one has a checkpoint too and can be resumed,
// whenever its process was killed.
//
// Errors: a directory that holds a run already, or that another trainer uses.
func (t *Trainer) start() error {
	switch {
	case t.set.Dir == "" && t.logDir != "":
		return t.save(context.Background()) // with the rank that has the directory
	case t.set.Dir == "":
		return nil
	}
	if err := os.MkdirAll(t.set.Dir, 0o755); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	var err error
	if t.dir, err = holdDir(t.set.Dir); err != nil {
		return err
	}
	if fileExists(filepath.Join(t.set.Dir, configFile)) {
		return fmt.Errorf("train: %s %w", t.set.Dir, ErrHoldsRun)
	}
	if newest, err := Newest(t.set.Dir); err != nil {
		return err
	} else if t.set.Attempt == 0 { // a run that never began may have left checkpoints
		t.attempt = max(1, newest)
	}
	if err = t.begin(); err != nil {
		for _, name := range []string{metricsFile, stateFile(t.attempt)} {
			err = errors.Join(err, removeFile(filepath.Join(t.set.Dir, name)))
		}
	}
	return err
}

// begin writes what a run directory holds before the first epoch.
func (t *Trainer) begin() error {
	if err := errors.Join(t.dir.keep(0), t.dir.removeHalves()); err != nil {
		return err
	}
	if err := t.save(context.Background()); err != nil {
		return err
	}
	return t.cfg.write(t.dir.path)
}

// removeFile removes a file, if there is one.
func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("train: %w", err)
	}
	return nil
}

// write writes a run directory's configuration.
func (c Config) write(dir string) error {
	text, err := yaml.Marshal(c)
	if err != nil {
		return fmt.Errorf("train: %w", err)
	}
	return tensor.WriteAtomic(filepath.Join(dir, configFile), func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// holdDir opens a run directory, which nobody else can then hold until it is
// closed or the process ends.
func holdDir(path string) (*runDir, error) {
	name := filepath.Join(path, metricsFile)
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	if err := lockFile(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("train: %s is in use: another process trains there", path)
	}
	return &runDir{path: path, file: f, metrics: bufio.NewWriter(f)}, nil
}

// keep cuts the metrics after their first n epochs: a run that was killed may
// have logged epochs that its last checkpoint does not have.
func (d *runDir) keep(n int) error {
	r, size := bufio.NewReader(d.file), int64(0)
	for range n {
		line, err := r.ReadBytes('\n')
		if err != nil {
			break
		}
		size += int64(len(line))
	}
	err := d.file.Truncate(size)
	if err == nil {
		_, err = d.file.Seek(size, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("train: %w", err)
	}
	return nil
}

// close lets go of the directory.
func (d *runDir) close() error {
	if d == nil {
		return nil
	}
	return errors.Join(d.flush(), d.file.Close())
}

// log appends an epoch to metrics.jsonl.
func (d *runDir) log(e Epoch) error {
	if d == nil {
		return nil
	}
	scores := finiteScores([3]float64{e.Train, e.Val, e.Test})
	text, err := json.Marshal(metricsLine{
		Epoch: e.Epoch, Loss: float32(e.Loss), ValLoss: finiteScores([3]float64{e.ValLoss})[0],
		Train: scores[0], Val: scores[1], Test: scores[2], LR: e.LR, StepMS: float64(e.Step.Microseconds()) / 1000,
	})
	if err != nil {
		return fmt.Errorf("train: %w", err)
	}
	if _, err := d.metrics.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("train: %s: %w", filepath.Join(d.path, metricsFile), err)
	}
	return nil
}

// flush hands what was logged to the file system.
func (d *runDir) flush() error {
	if d == nil {
		return nil
	}
	if err := d.metrics.Flush(); err != nil {
		return fmt.Errorf("train: %s: %w", filepath.Join(d.path, metricsFile), err)
	}
	return nil
}

// maxConfig bounds a configuration: a run writes some hundred bytes, more where it names
// many columns.
const maxConfig = 1 << 20

// ReadConfig reads the configuration of a run directory.
//
// Errors: a folder without one; syntax, unknown keys and unsuitable values,
// with line and column; a file that no run wrote, by its size or nesting.
func ReadConfig(dir string) (Config, error) {
	path := filepath.Join(dir, configFile)
	text, err := yamldoc.Read(path, maxConfig)
	if err != nil {
		return Config{}, fmt.Errorf("train: %s is not a run directory: %w", dir, err)
	}
	var c Config
	if err := yamldoc.Unmarshal(path, text, &c, yaml.Strict()); err != nil {
		return Config{}, fmt.Errorf("train: %w", err)
	}
	return c, nil
}
