// Package memory says how many bytes the process may still take before the system
// ends it, so that what needs more can be refused beforehand.
package memory

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// Room is memory that is left.
type Room struct {
	Bytes int64
	// Limit is what ends it: "free memory", "the control group's limit", ….
	Limit string
}

// least is the smallest room of several.
func least(rooms []Room) (Room, bool) {
	out := Room{Bytes: math.MaxInt64}
	for _, r := range rooms {
		if r.Bytes < out.Bytes {
			out = Room{max(0, r.Bytes), r.Limit}
		}
	}
	return out, len(rooms) > 0
}

// free is what /proc/meminfo states as available, pages that can be given up and
// swap among it.
//
// Source: proc_meminfo(5), Linux.
func free(root fs.FS) []Room {
	kB := fields(root, "proc/meminfo")
	available, ok := kB["MemAvailable"]
	if !ok {
		return nil
	}
	return []Room{{(available + kB["SwapFree"]) << 10, "free memory"}}
}

// groups is what is left of the limits of the process's control group and those
// above it, of version 2 or 1. Pages of files that are not in use do not count.
//
// Source: Linux, Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
func groups(root fs.FS) []Room {
	var rooms []Room
	for line := range strings.Lines(text(root, "proc/self/cgroup")) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		mount, limit, usage, cached := "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"
		if f[1] == "memory" {
			mount, limit, usage, cached = "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
		} else if f[1] != "" {
			continue
		}
		for group := path.Join("/", f[2]); ; group = path.Dir(group) {
			dir := path.Join(mount, group)
			most, limited := number(root, path.Join(dir, limit))
			used, known := number(root, path.Join(dir, usage))
			if limited && known && most < math.MaxInt64/2 {
				idle := fields(root, path.Join(dir, "memory.stat"))[cached]
				rooms = append(rooms, Room{most - used + idle, "the control group's limit"})
			}
			if group == "/" {
				break
			}
		}
	}
	return rooms
}

func text(root fs.FS, name string) string {
	b, err := fs.ReadFile(root, name)
	if err != nil {
		return "" // not on this system
	}
	return string(b)
}

// number reads a file of one number; false where it holds another word, such as
// max.
func number(root fs.FS, name string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(text(root, name)), 10, 64)
	return n, err == nil
}

// fields reads lines of a name, a colon or not, and a number.
func fields(root fs.FS, name string) map[string]int64 {
	out := map[string]int64{}
	for line := range strings.Lines(text(root, name)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		if n, err := strconv.ParseInt(f[1], 10, 64); err == nil {
			out[strings.TrimSuffix(f[0], ":")] = n
		}
	}
	return out
}
