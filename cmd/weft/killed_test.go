//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/tensor"
	"github.com/weft-gnn/weft/train"
)

// weftCommand is a path at which this test binary is weft.
func weftCommand(t testing.TB) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "weft")
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// runs is how long a command may take.
const runs = 90 * time.Second

// command runs a command that must end well, and returns what it printed on stdout.
func command(t testing.TB, words ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), runs)
	defer cancel()
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.WaitDelay = time.Second
	var out, log bytes.Buffer
	c.Stdout, c.Stderr = &out, &log
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(words, " "), err, &log)
	}
	return out.String()
}

// read returns a file's content.
func read(t testing.TB, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestKilled kills a process that trains on 2 ranks, at random moments. What it
// leaves is a whole checkpoint or none, and gives the weights of an undisturbed run.
func TestKilled(t *testing.T) {
	const kills, seed = 20, 12
	weft, dir := weftCommand(t), t.TempDir()
	begin := func(out string) []string {
		return []string{"train", "--epochs", "150", "--ranks", "2", "--save-every", "2epochs", "--quiet", "--out", out}
	}
	whole := filepath.Join(dir, "whole")
	start := time.Now()
	command(t, append([]string{weft}, begin(whole)...)...)
	took := time.Since(start)
	want, moments, killed := read(t, whole, "model.safetensors"), rng.Key{Seed: seed, Purpose: rng.Test}.Stream(1), 0
	for i := range kills {
		out := filepath.Join(dir, fmt.Sprint("run-", i))
		c := exec.Command(weft, begin(out)...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		moment := time.Duration(moments.Float64() * float64(took))
		timer := time.AfterFunc(moment, func() { c.Process.Kill() })
		if c.Wait() != nil {
			killed++
		}
		timer.Stop()
		again := []string{weft, "train", "--resume", out, "--ranks", "2", "--quiet"}
		if _, err := train.ReadConfig(out); err != nil { // it had not begun
			again = append([]string{weft}, begin(out)...)
		} else if newest, err := train.Newest(out); err != nil || newest != 1 {
			t.Errorf("killed after %v: the newest checkpoint is of attempt %d, %v", moment, newest, err)
		} else if _, _, err := tensor.ReadSafetensors(filepath.Join(out, "checkpoint.safetensors")); err != nil {
			t.Errorf("killed after %v: %v", moment, err)
		}
		command(t, again...)
		if read(t, out, "model.safetensors") != want {
			t.Errorf("killed after %v of %v: other weights (seed %d)", moment, took, seed)
		}
		if n := strings.Count(read(t, out, "metrics.jsonl"), "\n"); n != 150 {
			t.Errorf("killed after %v of %v: %d epochs in the metrics", moment, took, n)
		}
	}
	if killed < kills/2 {
		t.Errorf("only %d of %d processes were killed before they had ended", killed, kills)
	}
}
