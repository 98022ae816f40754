//go:build !linux

package main

// usableCPUs tells the CPUs that this process may run on from others; here every
// process may run on all.
func usableCPUs() any { return nil }
