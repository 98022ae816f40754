package machine

import (
	"reflect"
	"runtime"
	"testing"
	"testing/fstest"
)

// linux is what a system says of its first processor.
func linux(files map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for name, text := range files {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

const index = "sys/devices/system/cpu/cpu0/cache/index"

func TestDetect(t *testing.T) {
	root := linux(map[string]string{
		"proc/cpuinfo":                "processor\t: 0\ncpu family\t: 26\nmodel\t\t: 2\nmodel name\t: AMD EPYC\n\nmodel name\t: other\n",
		index + "0/level":             "1\n",
		index + "0/type":              "Data\n",
		index + "0/size":              "48K\n",
		index + "0/shared_cpu_list":   "0\n",
		index + "1/level":             "1\n",
		index + "1/type":              "Instruction\n",
		index + "1/size":              "32K\n",
		index + "1/shared_cpu_list":   "0\n",
		index + "2/level":             "2\n",
		index + "2/type":              "Unified\n",
		index + "2/size":              "1M\n",
		index + "2/shared_cpu_list":   "0,64\n",
		index + "3/level":             "3\n",
		index + "3/type":              "Unified\n",
		index + "3/size":              "32768K\n",
		index + "3/shared_cpu_list":   "0-7,64-71\n",
		index + "3/shared_cpu_map":    "ff\n",
		"sys/devices/system/cpu/kept": "",
	})
	m := detect(root, 1)
	if m.CPU != "AMD EPYC, family 26, model 2" || m.Cores != runtime.NumCPU() || m.Threads != 1 {
		t.Errorf("got %+v", m)
	}
	want := []Level{{Name: "L1", Bytes: 48 << 10, Caches: 1}, {Name: "L2", Bytes: 1 << 20, Caches: 1}, {Name: "L3", Bytes: 32 << 20, Caches: 1}, {Name: memory}}
	if !reflect.DeepEqual(m.Levels, want) {
		t.Errorf("levels %+v, want %+v", m.Levels, want)
	}
	// As many caches as the threads have, which are no more than processors.
	used := min(5, runtime.NumCPU())
	if m := detect(root, 5); m.Levels[0].Caches != used || m.Levels[1].Caches != (used+1)/2 {
		t.Errorf("5 threads: %+v", m.Levels)
	}
}

// TestDetectWithout: a system that says nothing, or something odd, has usual
// caches.
func TestDetectWithout(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"nothing":    nil,
		"odd size":   {index + "0/level": "1", index + "0/type": "Data", index + "0/size": "-3K", index + "0/shared_cpu_list": "0"},
		"no sharers": {index + "0/level": "1", index + "0/type": "Data", index + "0/size": "32K"},
		"odd range":  {index + "0/level": "1", index + "0/type": "Data", index + "0/size": "32K", index + "0/shared_cpu_list": "3-1"},
	} {
		m := detect(linux(files), 0)
		if m.CPU != runtime.GOARCH || m.Threads != 1 || len(m.Levels) != 4 || m.Levels[1].Bytes != 1<<20 {
			t.Errorf("%s: %+v", name, m)
		}
	}
}
