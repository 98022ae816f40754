//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
)

// peerResult is what a peer's program prints.
type peerResult struct {
	Versions     map[string]string `json:"versions"`
	EpochMS      []float64         `json:"epoch_ms"`
	Loss         []float64         `json:"loss"`
	Note         string            `json:"note"`
	Error        string            `json:"error"`
	PeakRSSBytes int64             `json:"peak_rss_bytes"`
	BaseRSSBytes int64             `json:"base_rss_bytes"`
}

// measure runs a row in a peer. best is the fastest other path so far in ms: one
// that loses clearly is not measured longer than it must.
func (p peers) measure(ctx context.Context, s system, k key, dir string, i initial, l limits, best float64) (measure, map[string]string) {
	run := start(ctx, l, peerEnv(k.Threads), nil, p.inside(s.env), filepath.Join(p.cache, "py", s.env+"_peer.py"),
		"--path", s.path, "--model", k.Model, "--hidden", strconv.Itoa(k.Hidden), "--threads", strconv.Itoa(k.Threads),
		"--data", dir, "--init", i.file, "--lr", k.rate(), "--best", fmt.Sprint(best),
		"--epochs", strconv.Itoa(l.epochs), "--seconds", fmt.Sprint(l.seconds), "--slow", fmt.Sprint(l.slow),
		"--memory", strconv.FormatInt(l.memory, 10))
	if run.err != nil {
		return measure{Error: fmt.Sprintf("%v: %s", run.err, lastLines(run.messages, 1)), PeakRSSBytes: run.peakRSS}, nil
	}
	var r peerResult
	if err := json.Unmarshal(run.stdout, &r); err != nil {
		return measure{Error: fmt.Sprintf("%s: %v", run.stdout, err)}, nil
	}
	m := measure{Note: r.Note, Error: r.Error, PeakRSSBytes: r.PeakRSSBytes, BaseRSSBytes: r.BaseRSSBytes, samples: r.EpochMS}
	if len(r.Loss) > lossAfter {
		m.Loss = &r.Loss[lossAfter]
	}
	return m.summed(), r.Versions
}
