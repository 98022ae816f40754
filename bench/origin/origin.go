// Package origin says where the results of a measurement come from, the machine and
// the commit of weft, and writes them.
package origin

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/weft-gnn/weft/tensor"
)

// Machine is what results depend on besides the programs.
type Machine struct {
	CPU       string `json:"cpu"`
	Cores     int    `json:"cores"`
	MemoryGiB int    `json:"memory_gib"`
}

func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, %d GiB", m.CPU, m.Cores, m.MemoryGiB)
}

// This is the machine that the process runs on.
//
// Errors: no Linux.
func This() (Machine, error) {
	cpu, err := fields("/proc/cpuinfo", "model name", "cpu family", "model")
	if err != nil {
		return Machine{}, err
	}
	mem, err := fields("/proc/meminfo", "MemTotal")
	if err != nil {
		return Machine{}, err
	}
	var kib int64
	if _, err := fmt.Sscan(mem["MemTotal"], &kib); err != nil {
		return Machine{}, fmt.Errorf("/proc/meminfo: MemTotal: %w", err)
	}
	name := cpu["model name"]
	if f := cpu["cpu family"]; f != "" {
		name += fmt.Sprintf(" (family %s, model %s)", f, cpu["model"])
	}
	return Machine{CPU: name, Cores: runtime.NumCPU(), MemoryGiB: int((kib + 1<<19) >> 20)}, nil
}

// fields reads the first values of names in a file of "name : value" lines.
func fields(path string, names ...string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := map[string]string{}
	in := bufio.NewScanner(f)
	for in.Scan() && len(out) < len(names) {
		name, value, _ := strings.Cut(in.Text(), ":")
		name = strings.TrimSpace(name)
		for _, n := range names {
			if _, have := out[n]; n == name && !have {
				out[n] = strings.TrimSpace(value)
			}
		}
	}
	return out, in.Err()
}

// Write writes results to a file, whole or not at all; to standard output where path
// is empty.
func Write(path, text string) error {
	if path == "" {
		_, err := fmt.Print(text)
		return err
	}
	return tensor.WriteAtomic(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// Commit is the last one that changed what weft consists of, with a mark where the
// tree differs from it.
func Commit(ctx context.Context) (string, error) {
	of := []string{"--", "*.go", "*.s", "go.mod", "go.sum", ":!bench", ":!*_test.go"}
	commit, err := git(ctx, append([]string{"log", "-1", "--format=%h"}, of...)...)
	if err != nil {
		return "", err
	}
	changes, err := git(ctx, append([]string{"status", "--porcelain"}, of...)...)
	if err != nil {
		return "", err
	}
	if changes != "" {
		commit += "+changes"
	}
	return commit, nil
}

func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
