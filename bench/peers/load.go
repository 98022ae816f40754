//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

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
