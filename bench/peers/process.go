//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// process is a program that was run, with what it printed.
type process struct {
	stdout   []byte
	messages string // standard error
	peakRSS  int64  // in bytes, as last seen
	wall     time.Duration
	err      error // how it ended
}

// watch sees the messages of a running program, a line at a time; it may
// interrupt the program.
type watch func(line string, interrupt func())

// start runs a program to its end within limits: of memory, and of time, after
// which it is killed with all it started. The peak of its resident memory is
// read from the kernel while it runs: what wait returns would count in the
// memory of the process that started it.
func start(ctx context.Context, l limits, env []string, see watch, name string, args ...string) process {
	ctx, cancel := context.WithTimeoutCause(ctx, l.process, fmt.Errorf("over the limit of %v", l.process))
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Env, c.SysProcAttr, c.WaitDelay = env, &syscall.SysProcAttr{Setpgid: true}, time.Second
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	var stdout bytes.Buffer
	c.Stdout = &stdout
	messages, err := c.StderrPipe()
	if err != nil {
		return process{err: err}
	}
	begin := time.Now()
	if err := c.Start(); err != nil {
		return process{err: err}
	}
	pid := c.Process.Pid
	limit := unix.Rlimit{Cur: uint64(l.memory), Max: uint64(l.memory)}
	limitErr := unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil)
	var peak atomic.Int64
	done := make(chan struct{})
	go pollPeak(pid, &peak, done)
	text := follow(messages, see, func() { syscall.Kill(pid, syscall.SIGINT) }) // a program that has ended needs none
	err = c.Wait()
	close(done)
	if cause := context.Cause(ctx); cause != nil && err != nil {
		err = cause
	}
	return process{stdout.Bytes(), text, peak.Load(), time.Since(begin), errors.Join(err, limitErr)}
}

// follow reads messages to their end.
func follow(r io.Reader, see watch, interrupt func()) string {
	var text strings.Builder
	in := bufio.NewScanner(r)
	for in.Scan() {
		text.WriteString(in.Text() + "\n")
		if see != nil {
			see(in.Text(), interrupt)
		}
	}
	io.Copy(io.Discard, r) // a line longer than the scanner's buffer must not block the program
	return text.String()
}

// pollPeak keeps the highest resident memory of a process until done. It never
// falls, so that what is missed is what the last moments added.
func pollPeak(pid int, peak *atomic.Int64, done <-chan struct{}) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	path := fmt.Sprintf("/proc/%d/status", pid)
	for {
		if text, err := os.ReadFile(path); err == nil {
			peak.Store(max(peak.Load(), highWater(string(text))))
		}
		select {
		case <-done:
			return
		case <-tick.C:
		}
	}
}

// highWater reads VmHWM from /proc/PID/status, in bytes; 0 where it is missing.
func highWater(status string) int64 {
	_, rest, _ := strings.Cut(status, "VmHWM:")
	words := strings.Fields(rest)
	if len(words) == 0 {
		return 0
	}
	kib, _ := strconv.ParseInt(words[0], 10, 64)
	return kib << 10
}
