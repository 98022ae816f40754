package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// peakRSS returns the most memory the process has had resident, in bytes. The
// maximum that getrusage states begins, in a process that another one started,
// with what that one had.
func peakRSS() *int64 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return nil
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		var kib int64
		if rest, ok := strings.CutPrefix(in.Text(), "VmHWM:"); ok {
			if _, err := fmt.Sscan(rest, &kib); err != nil {
				return nil
			}
			kib *= 1 << 10
			return &kib
		}
	}
	return nil
}
