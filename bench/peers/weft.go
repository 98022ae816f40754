//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// weft is the binary under test and the folder it works in.
type weft struct {
	binary, cache, tmp string
	limits             limits
	initial            map[key]initial // by the row without its threads
}

// initial are the weights that all systems of a row start from.
type initial struct {
	file string
	wall time.Duration // what making them took: reading, one epoch, writing
}

// The settings of every run, in all systems. No dropout, no weight decay: the
// loss is the mean cross-entropy of the training vertices.
const (
	rate      = "0.01"
	lowRate   = "0.001"
	runEpochs = 200 // what weft is told: it weighs work before the steps against them
	warm      = 3   // steps before the measured ones
)

// buildWeft compiles the command.
func buildWeft(ctx context.Context, tmp string) (string, error) {
	binary := filepath.Join(tmp, "weft")
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, "./cmd/weft")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/weft: %w: %s", err, lastLines(string(out), 5))
	}
	return binary, nil
}

// folder returns a graph as a folder in weft's form, making it where the cache
// has none.
func (w *weft) folder(ctx context.Context, data string) (string, error) {
	dir := filepath.Join(w.cache, "data", data)
	if _, err := os.Stat(filepath.Join(dir, "weft.json")); err == nil {
		return dir, nil
	}
	args := []string{"data", "convert", data, "--out", dir}
	if kind, scale, ok := strings.Cut(data, "@"); ok {
		args = []string{"data", "gen", kind, "--scale", scale, "--seed", "1", "--out", dir}
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	p := w.run(ctx, nil, args...)
	return dir, p.err
}

// run runs the binary.
func (w *weft) run(ctx context.Context, see watch, args ...string) process {
	p := start(ctx, w.limits, os.Environ(), see, w.binary, args...)
	if p.err != nil {
		p.err = fmt.Errorf("weft %s: %w: %s", args[0], p.err, lastLines(p.messages, 1))
	}
	return p
}

// training are the arguments of a run of a row.
func training(k key, dir, out string, epochs int) []string {
	args := []string{"train", "--data", dir, "--model", k.Model, "--hidden", strconv.Itoa(k.Hidden),
		"--dropout", "0", "--weight-decay", "0", "--optimizer", "adam", "--lr", k.rate(),
		"--epochs", strconv.Itoa(epochs), "--threads", strconv.Itoa(k.Threads), "--out", out}
	if k.Model == "gat" {
		args = append(args, "--heads", strconv.Itoa(heads))
	}
	return args
}

// weights makes the initial weights of a row: weft's own after one step, so
// that no parameter is zero.
func (w *weft) weights(ctx context.Context, k key, dir string) (initial, error) {
	one := k
	one.Threads = 0
	if have, ok := w.initial[one]; ok {
		return have, nil
	}
	out := filepath.Join(w.tmp, fmt.Sprintf("init-%s-%s-%d", k.Data, k.Model, k.Hidden))
	p := w.run(ctx, nil, training(k, dir, out, 1)...)
	if p.err != nil {
		return initial{}, p.err
	}
	i := initial{filepath.Join(out, "model.safetensors"), p.wall}
	w.initial[one] = i
	return i, nil
}

// enough ends a run that has had its epochs: weft says every tenth of them. A
// run whose epochs are long is ended after the time of ten.
const (
	enoughEpochs = 20
	enoughTimes  = 10
	enoughTime   = 5 * time.Second
)

var progressLine = regexp.MustCompile(`^epoch +(\d+)/`)

// measure runs a row and reads its epochs from the metrics file.
func (w *weft) measure(ctx context.Context, s system, k key, dir string, i initial) measure {
	out, err := os.MkdirTemp(w.tmp, "run-*")
	if err != nil {
		return measure{Error: err.Error()}
	}
	defer os.RemoveAll(out)
	args := append(training(k, dir, out, runEpochs), "--init", i.file)
	if s.path != "" {
		args = append(args, "--passes", s.path)
	}
	timed, stop := context.WithTimeout(ctx, max(enoughTime, enoughTimes*i.wall))
	defer stop()
	p := w.run(ctx, untilEnough(timed, time.Duration(w.limits.seconds*float64(time.Second))), args...)
	var exit *exec.ExitError
	if p.err != nil && !(errors.As(p.err, &exit) && exit.ExitCode() == interrupted) {
		return measure{Error: p.err.Error()}
	}
	text, err := os.ReadFile(filepath.Join(out, "metrics.jsonl"))
	if err != nil {
		return measure{Error: err.Error()}
	}
	m, err := epochs(text)
	if err != nil {
		return measure{Error: err.Error()}
	}
	m.PeakRSSBytes = p.peakRSS
	return m
}

// interrupted is how weft exits after an interrupt.
const interrupted = 130

// untilEnough interrupts a run after enough epochs in at least the given time,
// or when ctx's time is over; once, since a second interrupt ends weft at once.
func untilEnough(ctx context.Context, least time.Duration) watch {
	begin, armed := time.Now(), false
	var once sync.Once
	return func(line string, interrupt func()) {
		if !armed { // the first line comes before training
			context.AfterFunc(ctx, func() {
				if ctx.Err() == context.DeadlineExceeded {
					once.Do(interrupt)
				}
			})
			armed = true
		}
		m := progressLine.FindStringSubmatch(line)
		if m == nil {
			return
		}
		if n, _ := strconv.Atoi(m[1]); n >= enoughEpochs && time.Since(begin) >= least {
			once.Do(interrupt)
		}
	}
}

// epochs reads a run's metrics: the steps after the warm-up, and the loss.
func epochs(jsonl []byte) (measure, error) {
	var m measure
	for n, line := range bytes.Split(bytes.TrimSpace(jsonl), []byte("\n")) {
		var e struct {
			Loss   float64 `json:"loss"`
			StepMS float64 `json:"step_ms"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return m, fmt.Errorf("metrics.jsonl, line %d: %w", n+1, err)
		}
		if n == lossAfter {
			m.Loss = &e.Loss
		}
		if n >= warm {
			m.samples = append(m.samples, e.StepMS)
		}
	}
	if m.Loss == nil {
		return m, fmt.Errorf("weft was ended after %d epochs, want %d", len(m.samples)+warm, lossAfter+1)
	}
	return m.summed(), nil
}
