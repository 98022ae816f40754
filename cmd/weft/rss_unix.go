//go:build unix && !linux

package main

import (
	"runtime"
	"syscall"
)

// peakRSS returns the most memory the process has had resident, in bytes.
func peakRSS() *int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return nil
	}
	bytes := int64(u.Maxrss)
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		bytes *= 1024 // other systems count kibibytes
	}
	return &bytes
}
