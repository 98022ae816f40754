package dataset

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/tensor"
)

// tuFormat reads sets of graphs of the TU Dortmund collection, a folder or a zip
// archive with the files DS_A.txt, DS_graph_indicator.txt and what else there is
// of DS_graph_labels, DS_graph_attributes, DS_node_labels, DS_node_attributes,
// DS_edge_labels and DS_edge_attributes.
//
// DS_A.txt lists arcs, that is both directions of an edge; they are taken as
// listed. X holds the attributes of vertices and then one column for each value
// of each of their labels, 1 where the vertex has it; EdgeX the same of edges.
// Graph attributes are targets of a regression and come before graph labels,
// which are classes. Vertices are called by their line, from 1.
//
// Source: Morris et al., "TUDataset", ICML 2020 GRL+ workshop, and the README
// that each set carries.
var tuFormat = Format{
	Name:   "tu",
	About:  "TU Dortmund graph sets: a folder or zip with DS_A.txt, DS_graph_indicator.txt, …",
	Detect: detectTU,
	Read:   readTU,
}

const (
	tuArcs      = "_A.txt"
	tuIndicator = "_graph_indicator.txt"
)

func detectTU(p Probe) Score {
	if len(p.HasSuffix(tuArcs)) > 0 && len(p.HasSuffix(tuIndicator)) > 0 || isTUPart(p) {
		return Certain
	}
	return No
}

// isTUPart reports whether p is the file of arcs in a folder that holds a set.
func isTUPart(p Probe) bool {
	prefix, ok := strings.CutSuffix(p.Path, tuArcs)
	if !ok || p.Dir {
		return false
	}
	names, err := dirNames(filepath.Dir(p.Path))
	return err == nil && slices.Contains(names, filepath.Base(prefix)+tuIndicator)
}

func readTU(ctx context.Context, name string, opt Options) (*Dataset, error) {
	prefix := ""
	if p, ok := strings.CutSuffix(name, tuArcs); ok {
		name, prefix = filepath.Dir(name), filepath.Base(p)
	}
	files, err := openFiles(name)
	if err != nil {
		return nil, err
	}
	defer files.close()
	if prefix == "" {
		if prefix, err = files.only(tuArcs); err != nil {
			return nil, err
		}
	}
	r := &tuReader{files: files, prefix: prefix, guard: opt.Limits.guard(name, files.bytes)}
	return r.read(ctx, opt)
}

// tuReader reads the files of one set.
type tuReader struct {
	files  *fileSet
	prefix string // of the files' names, without the underscore
	guard  *guard
	graph  []int64 // of each vertex, from 1
}

func (r *tuReader) read(ctx context.Context, opt Options) (*Dataset, error) {
	d := &Dataset{}
	graphs, err := r.readTargets(ctx, d)
	if err != nil {
		return nil, err
	}
	if d.Offsets, err = r.readIndicator(ctx, graphs); err != nil {
		return nil, err
	}
	if err := r.readArcs(ctx, d, opt); err != nil {
		return nil, err
	}
	n := int64(len(r.graph))
	if d.X, err = r.readFeatures(ctx, "node", n); err != nil {
		return nil, err
	}
	if err := r.guard.need("vertex ids", n, 8); err != nil {
		return nil, err
	}
	d.IDs.Int = countFrom(1, int(n))
	return d, nil
}

// file is the name of one of the set's files inside it.
func (r *tuReader) file(kind string) string { return r.prefix + "_" + kind + ".txt" }

// readTargets reads what is to be learnt and returns the number of graphs, −1
// where no file has a line for each.
func (r *tuReader) readTargets(ctx context.Context, d *Dataset) (int64, error) {
	hasLabels := r.files.has(r.file("graph_labels"))
	switch {
	case r.files.has(r.file("graph_attributes")):
		t, err := numbers(ctx, r.files, r.file("graph_attributes"), r.guard, targetField)
		if err != nil {
			return 0, err
		}
		d.Task, d.Labels.Value = GraphRegression, tensor.Of(t.rows(), t.cols, t.data)
		if hasLabels {
			d.Notes = append(d.Notes, "the graphs' attributes are the targets; their labels are not used")
		}
		return int64(t.rows()), nil
	case hasLabels:
		t, err := numbers(ctx, r.files, r.file("graph_labels"), r.guard, integerField)
		if err != nil {
			return 0, err
		}
		if t.cols > 1 {
			return 0, fmt.Errorf("dataset: %s: %s: %d columns, want one class for each graph", r.files.path, r.file("graph_labels"), t.cols)
		}
		d.Task, d.Labels = GraphClassification, classLabels(t.data)
		return int64(t.rows()), nil
	}
	return -1, nil
}

// readIndicator reads the graph of each vertex and returns where each graph's
// vertices begin. Graphs without vertices are skipped numbers.
func (r *tuReader) readIndicator(ctx context.Context, graphs int64) ([]int64, error) {
	l, err := r.files.lines(ctx, r.file("graph_indicator"), r.guard)
	if err != nil {
		return nil, err
	}
	defer l.close()
	if r.graph, err = parseTUIndicator(l, graphs); err != nil {
		return nil, err
	}
	if graphs < 0 && len(r.graph) > 0 {
		graphs = r.graph[len(r.graph)-1]
	}
	graphs = max(graphs, 0)
	if err := r.guard.need("graphs", graphs+1, 8); err != nil {
		return nil, l.at(err)
	}
	offset := make([]int64, graphs+1)
	for _, k := range r.graph {
		offset[k]++
	}
	for k := range graphs {
		offset[k+1] += offset[k]
	}
	return offset, nil
}

// parseTUIndicator reads the graph of each vertex: ascending, from 1 to graphs
// or, where that is negative, without an upper bound.
func parseTUIndicator(l *lineReader, graphs int64) ([]int64, error) {
	var graph []int64
	last := int64(1)
	err := l.records(func(line []byte) error {
		w := words{rest: line, comma: true}
		k, ok := w.int()
		if _, more := w.next(); !ok || more {
			return l.errorf("%s is not the number of a graph", show(line))
		}
		switch {
		case k < 1 || graphs >= 0 && k > graphs:
			return l.errorf("graph %d is out of range, want %s", k, tuRange(graphs))
		case k < last:
			return l.errorf("graph %d after graph %d: want the vertices in order of their graphs", k, last)
		case len(graph) == math.MaxInt32:
			return l.errorf("more than %d vertices", math.MaxInt32)
		}
		last = k
		graph = append(graph, k)
		return nil
	})
	return graph, err
}

func tuRange(graphs int64) string {
	if graphs < 0 {
		return "1 or more"
	}
	return fmt.Sprintf("1 to %d", graphs)
}

func (r *tuReader) readArcs(ctx context.Context, d *Dataset, opt Options) error {
	l, err := r.files.lines(ctx, r.file("A"), r.guard)
	if err != nil {
		return err
	}
	defer l.close()
	e := edgeList{path: l.name, n: len(r.graph)}
	if e.src, e.dst, err = parseTUArcs(l, r.graph); err != nil {
		return err
	}
	if err := r.guard.counts(int64(e.n), int64(len(e.src))); err != nil {
		return err
	}
	x, err := r.readFeatures(ctx, "edge", int64(len(e.src)))
	if err != nil {
		return err
	}
	if err := buildWithFeatures(d, &e, x, opt); err != nil {
		return err
	}
	d.Graph.Graphs = d.Offsets
	return nil
}

// parseTUArcs reads arcs "u, v" between vertices of one graph.
func parseTUArcs(l *lineReader, graph []int64) (src, dst []int32, err error) {
	err = l.records(func(line []byte) error {
		end, err := l.pair(line)
		if err != nil {
			return err
		}
		for _, v := range end {
			if v < 1 || v > int64(len(graph)) {
				return l.errorf("vertex %d is out of range, want 1 to %d", v, len(graph))
			}
		}
		if a, b := graph[end[0]-1], graph[end[1]-1]; a != b {
			return l.errorf("vertex %d of graph %d and vertex %d of graph %d: want both ends in one graph", end[0], a, end[1], b)
		}
		src, dst = append(src, int32(end[0]-1)), append(dst, int32(end[1]-1))
		return nil
	})
	return src, dst, err
}

// readFeatures reads the attributes and labels of vertices (kind "node") or
// edges (kind "edge"), of which there are n; the matrix has no columns where
// there is neither file.
func (r *tuReader) readFeatures(ctx context.Context, kind string, n int64) (tensor.Matrix, error) {
	x := tensor.New(int(n), 0)
	if name := r.file(kind + "_attributes"); r.files.has(name) {
		t, err := numbersOf(ctx, r.files, name, n, r.guard, realField)
		if err != nil {
			return x, err
		}
		x = tensor.Of(int(n), t.cols, t.data)
	}
	if name := r.file(kind + "_labels"); r.files.has(name) {
		t, err := numbersOf(ctx, r.files, name, n, r.guard, integerField)
		if err != nil {
			return x, err
		}
		return appendOneHot(x, t, r.guard)
	}
	return x, nil
}
