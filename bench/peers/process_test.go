//go:build linux

package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

func TestHighWater(t *testing.T) {
	for text, want := range map[string]int64{"VmPeak:\t9 kB\nVmHWM:\t  12 kB\nVmRSS:\t5 kB\n": 12 << 10, "": 0, "VmHWM:": 0} {
		if got := highWater(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

var roomy = limits{process: time.Minute, memory: 1 << 30}

// TestProcessInterrupt: what a program says can end it, and it ends as it likes.
func TestProcessInterrupt(t *testing.T) {
	p := start(context.Background(), roomy, os.Environ(), func(line string, interrupt func()) {
		if line == "ready" {
			interrupt()
		}
	}, "sh", "-c", `trap 'echo done; exit 7' INT; echo ready >&2; while :; do sleep 0.01; done`)
	if p.err == nil || !strings.Contains(p.err.Error(), "7") || string(p.stdout) != "done\n" {
		t.Errorf("error %v, printed %q", p.err, p.stdout)
	}
	if p.peakRSS == 0 {
		t.Error("no resident memory was seen")
	}
}

// TestProcessLimit: a program that is over its time is killed with what it started.
func TestProcessLimit(t *testing.T) {
	l := roomy
	l.process = 50 * time.Millisecond
	begin := time.Now()
	p := start(context.Background(), l, os.Environ(), nil, "sh", "-c", "sleep 60 & wait")
	if p.err == nil || !strings.Contains(p.err.Error(), "limit of 50ms") || time.Since(begin) > 30*time.Second {
		t.Errorf("error %v after %v", p.err, time.Since(begin))
	}
}

// TestPeerEnv: settings that choose kernels or threads do not reach a peer.
func TestPeerEnv(t *testing.T) {
	t.Setenv("OPENBLAS_CORETYPE", "Haswell")
	t.Setenv("OMP_NUM_THREADS", "64")
	env := strings.Join(peerEnv(2), "\n")
	if strings.Contains(env, "OPENBLAS_CORETYPE") || strings.Contains(env, "=64") || !strings.Contains(env, "OMP_NUM_THREADS=2\n") {
		t.Errorf("environment:\n%s", env)
	}
}

func TestTicks(t *testing.T) {
	a, err := parseTicks("cpu  10 0 10 70 10 0\ncpu0 1 1 1 1 1 1\n")
	if err != nil {
		t.Fatal(err)
	}
	b, err := parseTicks("cpu  50 0 20 120 10 0\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := a.busyUntil(b); got != 0.5 {
		t.Errorf("busy %v, want 0.5", got)
	}
	if got := a.busyUntil(a); got != 0 {
		t.Errorf("busy %v in no time", got)
	}
	for _, bad := range []string{"", "cpu 1 2", "cpu 1 2 x 4 5"} {
		if _, err := parseTicks(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
