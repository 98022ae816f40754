package memory

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Available returns what the process may still take; false where the system does
// not say.
func Available() (Room, bool) {
	root := os.DirFS("/")
	return least(append(append(free(root), groups(root)...), limits(root)...))
}

// limits is what is left of the limits that ulimit -v and -d set.
func limits(root fs.FS) []Room {
	kB := fields(root, "proc/self/status")
	var rooms []Room
	for _, l := range []struct {
		resource int
		used     string
		name     string
	}{{unix.RLIMIT_AS, "VmSize", "the limit of virtual memory, ulimit -v"}, {unix.RLIMIT_DATA, "VmData", "the limit of data, ulimit -d"}} {
		var r unix.Rlimit
		if unix.Getrlimit(l.resource, &r) == nil && r.Cur < 1<<62 {
			rooms = append(rooms, Room{int64(r.Cur) - kB[l.used]<<10, l.name})
		}
	}
	return rooms
}
