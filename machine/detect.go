package machine

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"

	"github.com/weft-gnn/weft/internal/cpu"
)

// Detect returns the machine at hand without its rates: what names it, and its
// caches as the system states them, or usual ones where it states none.
func Detect(threads int) *Machine { return detect(os.DirFS("/"), threads) }

// detect reads what Linux says below the root of a file system.
func detect(root fs.FS, threads int) *Machine {
	threads = max(threads, 1)
	m := &Machine{CPU: cpuName(root), Cores: runtime.NumCPU(), Threads: threads, ISA: cpu.Best().String()}
	caches, err := readCaches(root)
	if err != nil {
		caches = usualCaches(m.Cores)
	}
	for _, c := range caches {
		used := (min(threads, m.Cores) + c.sharers - 1) / c.sharers
		m.Levels = append(m.Levels, Level{Name: fmt.Sprintf("L%d", c.level), Bytes: c.bytes, Caches: used})
	}
	m.Levels = append(m.Levels, Level{Name: memory})
	return m
}

// cpuName is the model that the system names. Some names say little, so that
// family and number of the model follow.
func cpuName(root fs.FS) string {
	facts := map[string]string{}
	if f, err := root.Open("proc/cpuinfo"); err == nil {
		defer f.Close()
		for in := bufio.NewScanner(f); in.Scan(); {
			name, value, _ := strings.Cut(in.Text(), ":")
			name = strings.TrimSpace(name)
			if _, seen := facts[name]; !seen {
				facts[name] = strings.TrimSpace(value)
			}
		}
	}
	name := facts["model name"]
	if name == "" {
		return runtime.GOARCH
	}
	if facts["cpu family"] != "" {
		name += fmt.Sprintf(", family %s, model %s", facts["cpu family"], facts["model"])
	}
	return name
}

// cache is a level of caches: one cache's size, and how many processors share it.
type cache struct {
	level   int
	bytes   int64
	sharers int
}

// usualCaches are those of most processors of today.
func usualCaches(cores int) []cache {
	return []cache{{1, 32 << 10, 1}, {2, 1 << 20, 1}, {3, 32 << 20, cores}}
}

const cacheFolder = "sys/devices/system/cpu/cpu0/cache"

// readCaches returns the data caches of the first processor, the nearest first.
func readCaches(root fs.FS) ([]cache, error) {
	entries, err := fs.Glob(root, cacheFolder+"/index*")
	if err != nil {
		return nil, err
	}
	var caches []cache
	for level := 1; ; level++ {
		c, err := cacheOf(root, entries, level)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return nil, err
		}
		caches = append(caches, c)
	}
	if len(caches) == 0 {
		return nil, fs.ErrNotExist
	}
	return caches, nil
}

// cacheOf returns the data cache of a level.
func cacheOf(root fs.FS, entries []string, level int) (cache, error) {
	for _, dir := range entries {
		word := func(name string) string {
			text, err := fs.ReadFile(root, path.Join(dir, name))
			if err != nil {
				return ""
			}
			return strings.TrimSpace(string(text))
		}
		if word("level") != strconv.Itoa(level) || word("type") == "Instruction" {
			continue
		}
		bytes, err1 := parseSize(word("size"))
		sharers, err2 := parseList(word("shared_cpu_list"))
		return cache{level, bytes, sharers}, errors.Join(err1, err2)
	}
	return cache{}, fs.ErrNotExist
}

// parseSize reads a size such as 48K.
func parseSize(text string) (int64, error) {
	unit := int64(1)
	for suffix, u := range map[string]int64{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30} {
		if rest, ok := strings.CutSuffix(text, suffix); ok {
			text, unit = rest, u
		}
	}
	n, err := strconv.ParseInt(text, 10, 40)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("machine: the size of a cache is %q", text)
	}
	return n * unit, nil
}

// parseList counts the processors of a list such as 0-3,8.
func parseList(text string) (int, error) {
	count := 0
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		lo, err := strconv.Atoi(first)
		hi := lo
		if err == nil && isRange {
			hi, err = strconv.Atoi(last)
		}
		if err != nil || hi < lo {
			return 0, fmt.Errorf("machine: a cache is shared by processors %q", text)
		}
		count += hi - lo + 1
	}
	return count, nil
}
