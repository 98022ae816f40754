package train

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"
	"github.com/weft-gnn/weft/tensor"
)

// runDir is the folder in which a run keeps what it did. A nil runDir keeps
// nothing.
type runDir struct {
	path    string
	file    *os.File
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

// start opens the run directory of a new run.
//
// Errors: a directory that holds a run already.
func (t *Trainer) start() error {
	if t.set.Dir == "" {
		return nil
	}
	if err := os.MkdirAll(t.set.Dir, 0o755); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	if fileExists(filepath.Join(t.set.Dir, configFile)) {
		return fmt.Errorf("train: %s holds a run already: resume it, or choose another directory", t.set.Dir)
	}
	err := t.cfg.write(t.set.Dir)
	if err == nil {
		t.dir, err = openDir(t.set.Dir, 0)
	}
	return err
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

// openDir opens a run directory to append metrics after the first epochs.
func openDir(path string, epochs int) (*runDir, error) {
	name := filepath.Join(path, metricsFile)
	if err := keepLines(name, epochs); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	return &runDir{path: path, file: f, metrics: bufio.NewWriter(f)}, nil
}

// keepLines cuts a file after its first n lines: a run that was killed may have
// logged epochs that its last checkpoint does not have.
func keepLines(name string, n int) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("train: %w", err)
	}
	defer f.Close()
	r, size := bufio.NewReader(f), int64(0)
	for range n {
		line, err := r.ReadBytes('\n')
		if err != nil {
			break
		}
		size += int64(len(line))
	}
	if err := f.Truncate(size); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	return nil
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

// ReadConfig reads the configuration of a run directory.
func ReadConfig(dir string) (Config, error) {
	path := filepath.Join(dir, configFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("train: %s is not a run directory: %w", dir, err)
	}
	var c Config
	err = yaml.UnmarshalWithOptions(text, &c, yaml.Strict())
	if bad := yaml.Error(nil); errors.As(err, &bad) && bad.GetToken() != nil { // its own text shows the lines around
		at := bad.GetToken().Position
		return Config{}, fmt.Errorf("train: %s:%d:%d: %s", path, at.Line, at.Column, bad.GetMessage())
	}
	if err != nil {
		return Config{}, fmt.Errorf("train: %s: %w", path, err)
	}
	return c, nil
}
