//go:build linux

package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// key names a row of the table.
type key struct {
	Data    string `json:"data"` // a graph's name, with @SCALE for a look-alike
	Model   string `json:"model"`
	Hidden  int    `json:"hidden"`
	Threads int    `json:"threads"`
}

func (k key) String() string {
	return fmt.Sprintf("%s %s %d, threads %d", k.Data, k.Model, k.Hidden, k.Threads)
}

// graphs are the kinds of graphs, in the order of the table.
var graphs = []string{"cora", "arxiv", "products", "reddit"}

// rate is Adam's. Sums over Reddit's hundreds of neighbours begin gin's loss at
// thousands, and with the usual rate rounding alone decides what it is after a few steps.
func (k key) rate() string {
	if k.graph() == "reddit" && k.Model == "gin" {
		return lowRate
	}
	return rate
}

// kind is the place of a row's graph among graphs.
func (k key) kind() int { return slices.Index(graphs, k.graph()) }

// graph is the kind of a row's graph, whatever its scale.
func (k key) graph() string {
	kind, _, _ := strings.Cut(k.Data, "@")
	return kind
}

// scales are the usual sizes of the look-alikes, of the real set's.
var scales = map[string]float64{"arxiv": 1, "products": 0.1, "reddit": 0.2}

var models = []string{"gcn", "sage", "gin", "gat"}

// heads is the number of gat's attention heads in the hidden layer.
const heads = 8

// keys are all combinations, those of one width together: a run that is ended
// early has whole widths.
func keys(data, names, hidden, threads []string) ([]key, error) {
	widths, err := numbers("hidden", hidden)
	if err != nil {
		return nil, err
	}
	counts, err := numbers("threads", threads)
	if err != nil {
		return nil, err
	}
	for _, m := range names {
		if !slices.Contains(models, m) {
			return nil, fmt.Errorf("-models %s: want some of %s", m, strings.Join(models, ", "))
		}
	}
	sets := make([]string, len(data))
	for i, d := range data {
		if sets[i], err = dataName(d); err != nil {
			return nil, err
		}
	}
	var out []key
	for _, t := range counts {
		for _, h := range widths {
			for _, d := range sets {
				for _, m := range names {
					out = append(out, key{d, m, h, t})
				}
			}
		}
	}
	return out, nil
}

func numbers(flag string, texts []string) ([]int, error) {
	var out []int
	for _, s := range texts {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-%s %s: want numbers from 1", flag, s)
		}
		out = append(out, n)
	}
	return out, nil
}

// dataName gives a look-alike its scale.
func dataName(s string) (string, error) {
	kind, scale, given := strings.Cut(s, "@")
	usual, known := scales[kind]
	switch {
	case s == "cora":
		return s, nil
	case !known:
		return "", fmt.Errorf("-data %s: want cora, or arxiv, products or reddit with @SCALE or without", s)
	case !given:
		return fmt.Sprintf("%s@%g", kind, usual), nil
	}
	if x, err := strconv.ParseFloat(scale, 64); err != nil || !(x > 0) {
		return "", fmt.Errorf("-data %s: want a scale above 0", s)
	}
	return s, nil
}

// system is one way to run a row.
type system struct {
	name string
	env  string // the peer's environment; empty for weft
	path string // the path within a peer, or passes that weft leaves out
	// lacks are the models that the path cannot run.
	lacks []string
}

// The systems in the order of their turns. PyG's GATConv has no path over a
// CSR tensor of PyTorch's that does not go over its edge list.
var systems = []system{
	{name: "weft"},
	{name: "weft-nofold", path: "-fold"},
	{name: "dgl", env: "dgl", path: "dgl"},
	{name: "pyg-csr", env: "pyg", path: "csr", lacks: []string{"gat"}},
	{name: "pyg-sparse", env: "pyg", path: "sparse"},
	{name: "pyg-edge", env: "pyg", path: "edge"},
	{name: "pyg-compile", env: "pyg", path: "compile"},
}

func (s system) peer() bool { return s.env != "" }

func (s system) runs(k key) bool { return !slices.Contains(s.lacks, k.Model) }

func systemNames() string {
	var names []string
	for _, s := range systems {
		names = append(names, s.name)
	}
	return strings.Join(names, ",")
}

// systemsOf are the named systems, in the order of their turns.
func systemsOf(names []string) ([]system, error) {
	for _, n := range names {
		if !slices.ContainsFunc(systems, func(s system) bool { return s.name == n }) {
			return nil, fmt.Errorf("-systems %s: want some of %s", n, systemNames())
		}
	}
	var out []system
	for _, s := range systems {
		if slices.Contains(names, s.name) {
			out = append(out, s)
		}
	}
	return out, nil
}
