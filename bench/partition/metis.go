//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/partition"
)

// metis runs gpmetis on one graph.
type metis struct {
	program, dir string
}

// newMETIS writes a graph as METIS reads it; nil where the program is not there.
func newMETIS(program string, g *graph.Graph) (*metis, error) {
	if program == "" {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "weft-partition-")
	if err != nil {
		return nil, err
	}
	m := &metis{program: program, dir: dir}
	if err := m.write(g); err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

func (m *metis) close() {
	if m != nil {
		os.RemoveAll(m.dir) // a temporary folder
	}
}

func (m *metis) graph() string { return filepath.Join(m.dir, "graph") }

// write writes each pair of neighbours once for both ends, without loops.
func (m *metis) write(g *graph.Graph) (err error) {
	b := graph.NewBuilder(g.N, graph.Policy{Symmetrise: true, Loops: graph.DropLoops})
	for v := range g.N {
		for _, u := range g.Src[g.Ptr[v]:g.Ptr[v+1]] {
			b.Add(u, int32(v))
		}
	}
	both, err := b.Build()
	if err != nil {
		return err
	}
	f, err := os.Create(m.graph())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprintln(w, both.N, len(both.Src)/2) // errors stay with the writer
	var line []byte
	for v := range both.N {
		line = line[:0]
		for _, u := range both.Src[both.Ptr[v]:both.Ptr[v+1]] {
			line = append(strconv.AppendInt(line, int64(u)+1, 10), ' ')
		}
		w.Write(append(line, '\n'))
	}
	return w.Flush()
}

// took finds in gpmetis's report how long the division took.
var took = regexp.MustCompile(`Partitioning:\s+([0-9.]+) sec`)

// divide runs gpmetis and measures what it wrote.
func (m *metis) divide(ctx context.Context, g *graph.Graph, parts int, seed uint64, slack float64) (*partition.Stats, time.Duration, error) {
	if m == nil {
		return nil, 0, nil
	}
	report, err := exec.CommandContext(ctx, m.program, fmt.Sprintf("-seed=%d", seed), fmt.Sprintf("-ufactor=%.0f", 1000*slack), m.graph(), strconv.Itoa(parts)).CombinedOutput()
	if err != nil {
		return nil, 0, fmt.Errorf("gpmetis: %w: %s", err, report)
	}
	seconds := took.FindSubmatch(report)
	if seconds == nil {
		return nil, 0, fmt.Errorf("gpmetis reports no time: %s", report)
	}
	s, err := strconv.ParseFloat(string(seconds[1]), 64)
	if err != nil {
		return nil, 0, err
	}
	a := graph.Assignment{Parts: parts}
	if a.Vertex, err = readParts(m.graph() + ".part." + strconv.Itoa(parts)); err != nil {
		return nil, 0, err
	}
	stats, err := partition.Measure(g.Block(), a)
	return stats, time.Duration(s * float64(time.Second)), err
}

// readParts reads a part per line.
func readParts(path string) ([]int32, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var part []int32
	for line := range bytes.Lines(text) {
		p, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		part = append(part, int32(p))
	}
	return part, nil
}
