package main

import "golang.org/x/sys/unix"

// usableCPUs tells the CPUs that this process may run on from others: a launcher
// may have bound it to some.
func usableCPUs() any {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil // all
	}
	return set
}
