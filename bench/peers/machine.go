//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// machine is what results depend on besides the programs.
type machine struct {
	CPU       string `json:"cpu"`
	Cores     int    `json:"cores"`
	MemoryGiB int    `json:"memory_gib"`
}

func thisMachine() (machine, error) {
	cpu, err := fields("/proc/cpuinfo", "model name", "cpu family", "model")
	if err != nil {
		return machine{}, err
	}
	mem, err := fields("/proc/meminfo", "MemTotal")
	if err != nil {
		return machine{}, err
	}
	var kib int64
	if _, err := fmt.Sscan(mem["MemTotal"], &kib); err != nil {
		return machine{}, fmt.Errorf("/proc/meminfo: MemTotal: %w", err)
	}
	name := cpu["model name"]
	if f := cpu["cpu family"]; f != "" {
		name += fmt.Sprintf(" (family %s, model %s)", f, cpu["model"])
	}
	return machine{CPU: name, Cores: runtime.NumCPU(), MemoryGiB: int((kib + 1<<19) >> 20)}, nil
}

// fields reads the first values of names in a file of "name : value" lines.
func fields(path string, names ...string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := map[string]string{}
	in := bufio.NewScanner(f)
	for in.Scan() && len(out) < len(names) {
		name, value, _ := strings.Cut(in.Text(), ":")
		name = strings.TrimSpace(name)
		for _, n := range names {
			if _, have := out[n]; n == name && !have {
				out[n] = strings.TrimSpace(value)
			}
		}
	}
	return out, in.Err()
}

// othersLoad is the share of the processors' time that other programs take, over
// a second in which this one waits. Peers' threads wait for each other at every
// operation, and suffer from other load more than weft does: a comparison on a
// busy machine is none.
func othersLoad(ctx context.Context) (float64, error) {
	before, err := cpuTimes()
	if err != nil {
		return 0, err
	}
	select {
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	case <-time.After(time.Second):
	}
	after, err := cpuTimes()
	if err != nil {
		return 0, err
	}
	return before.busyUntil(after), nil
}

// ticks are the processors' time since the start.
type ticks struct{ all, idle int64 }

func (a ticks) busyUntil(b ticks) float64 {
	if b.all <= a.all {
		return 0
	}
	return 1 - float64(b.idle-a.idle)/float64(b.all-a.all)
}

func cpuTimes() (ticks, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return ticks{}, err
	}
	return parseTicks(string(text))
}

// parseTicks reads the first line of /proc/stat: the time in user mode, nice,
// system, idle, waiting for input and output, and others.
func parseTicks(stat string) (ticks, error) {
	line, _, _ := strings.Cut(stat, "\n")
	words := strings.Fields(line)
	if len(words) < 6 || words[0] != "cpu" {
		return ticks{}, fmt.Errorf("/proc/stat: %q, want cpu and its times", line)
	}
	var t ticks
	for i, w := range words[1:] {
		n, err := strconv.ParseInt(w, 10, 64)
		if err != nil {
			return ticks{}, fmt.Errorf("/proc/stat: %w", err)
		}
		t.all += n
		if i == 3 || i == 4 {
			t.idle += n
		}
	}
	return t, nil
}

// weftCommit is the last commit that changed what weft consists of, with a mark
// where the tree differs from it.
func weftCommit(ctx context.Context) (string, error) {
	of := []string{"--", "*.go", "*.s", "go.mod", "go.sum", ":!bench", ":!*_test.go"}
	commit, err := git(ctx, append([]string{"log", "-1", "--format=%h"}, of...)...)
	if err != nil {
		return "", err
	}
	changes, err := git(ctx, append([]string{"status", "--porcelain"}, of...)...)
	if err != nil {
		return "", err
	}
	if changes != "" {
		commit += "+changes"
	}
	return commit, nil
}

func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
