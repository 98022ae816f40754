package memory

import (
	"runtime"
	"testing"
	"testing/fstest"
)

func TestRooms(t *testing.T) {
	meminfo := "MemTotal:  9000 kB\nMemFree: 10 kB\nMemAvailable:  4000 kB\nSwapFree: 96 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  Room
	}{
		"free": {map[string]string{"proc/meminfo": meminfo}, Room{4096 << 10, "free memory"}},
		"version 2, the group above": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/b/memory.current": "5\n",
			"sys/fs/cgroup/a/memory.max": "1000\n", "sys/fs/cgroup/a/memory.current": "400\n", "sys/fs/cgroup/a/memory.stat": "anon 7\ninactive_file 100\n",
		}, Room{700, "the control group's limit"}},
		"version 2, full": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1000\n", "sys/fs/cgroup/memory.current": "1400\n",
		}, Room{0, "the control group's limit"}},
		"version 1": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "8:pids:/x\n4:memory:/x\n0::/\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": "2000\n", "sys/fs/cgroup/memory/x/memory.usage_in_bytes": "500\n",
			"sys/fs/cgroup/memory/x/memory.stat":         "inactive_file 1\ntotal_inactive_file 50\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "500\n",
		}, Room{1550, "the control group's limit"}},
	} {
		root := fstest.MapFS{}
		for path, text := range c.files {
			root[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if got, ok := least(append(free(root), groups(root)...)); !ok || got != c.want {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, ok, c.want)
		}
	}
	if _, ok := least(free(fstest.MapFS{})); ok {
		t.Error("a system that says nothing has room")
	}
}

// TestAvailable: on Linux there is room for this test, and not for everything.
func TestAvailable(t *testing.T) {
	r, ok := Available()
	if ok != (runtime.GOOS == "linux") || ok && (r.Bytes < 1<<20 || r.Bytes > 1<<50 || r.Limit == "") {
		t.Errorf("%+v, %v", r, ok)
	}
}
