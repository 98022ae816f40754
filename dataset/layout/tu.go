package layout

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/lines"
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
var tuFormat = dataset.Format{
	Name:   "tu",
	About:  "TU Dortmund graph sets: a folder or zip with DS_A.txt, DS_graph_indicator.txt, …",
	Detect: detectTU,
	Read:   readTU,
}

const (
	tuArcs      = "_A.txt"
	tuIndicator = "_graph_indicator.txt"
)

func detectTU(p dataset.Probe) dataset.Score {
	if len(p.HasSuffix(tuArcs)) > 0 && len(p.HasSuffix(tuIndicator)) > 0 || isTUPart(p) {
		return dataset.Certain
	}
	return dataset.No
}

// isTUPart reports whether p is the file of arcs in a folder that holds a set.
func isTUPart(p dataset.Probe) bool {
	prefix, ok := strings.CutSuffix(p.Path, tuArcs)
	if !ok || p.Dir {
		return false
	}
	return isFile(prefix + tuIndicator)
}

func readTU(ctx context.Context, name string, opt dataset.Options) (*dataset.Dataset, error) {
	prefix := ""
	if p, ok := strings.CutSuffix(name, tuArcs); ok {
		name, prefix = filepath.Dir(name), filepath.Base(p)
	}
	files, err := lines.OpenFiles(name)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	if prefix == "" {
		if prefix, err = files.Only(tuArcs); err != nil {
			return nil, err
		}
	}
	r := &tuReader{files: files, prefix: prefix, guard: opt.Limits.Guard(name, files.Bytes)}
	return r.read(ctx, opt)
}

// tuReader reads the files of one set.
type tuReader struct {
	files  *lines.Files
	prefix string // of the files' names, without the underscore
	guard  *budget.Guard
	graph  []int64 // of each vertex, from 1
}

func (r *tuReader) read(ctx context.Context, opt dataset.Options) (*dataset.Dataset, error) {
	d := &dataset.Dataset{}
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
	if err := r.guard.Need("vertex ids", n, 8); err != nil {
		return nil, err
	}
	d.IDs.Int = countFrom(1, int(n))
	return d, nil
}

// file is the name of one of the set's files inside it.
func (r *tuReader) file(kind string) string { return r.prefix + "_" + kind + ".txt" }

// readTargets reads what is to be learnt and returns the number of graphs, −1
// where no file has a line for each.
func (r *tuReader) readTargets(ctx context.Context, d *dataset.Dataset) (int64, error) {
	hasLabels := r.files.Has(r.file("graph_labels"))
	switch {
	case r.files.Has(r.file("graph_attributes")):
		t, err := lines.Numbers(ctx, r.files, r.file("graph_attributes"), r.guard, lines.TargetField)
		if err != nil {
			return 0, err
		}
		d.Task, d.Labels.Value = dataset.GraphRegression, tensor.Of(t.Rows(), t.Cols, t.Data)
		if hasLabels {
			d.Notes = append(d.Notes, "the graphs' attributes are the targets; their labels are not used")
		}
		return int64(t.Rows()), nil
	case hasLabels:
		t, err := lines.Numbers(ctx, r.files, r.file("graph_labels"), r.guard, lines.IntegerField)
		if err != nil {
			return 0, err
		}
		if t.Cols > 1 {
			return 0, fmt.Errorf("dataset: %s: %s: %d columns, want one class for each graph", r.files.Path, r.file("graph_labels"), t.Cols)
		}
		d.Task, d.Labels = dataset.GraphClassification, classLabels(t.Data)
		return int64(t.Rows()), nil
	}
	return -1, nil
}

// readIndicator reads the graph of each vertex and returns where each graph's
// vertices begin. Graphs without vertices are skipped numbers.
func (r *tuReader) readIndicator(ctx context.Context, graphs int64) ([]int64, error) {
	l, err := r.files.Lines(ctx, r.file("graph_indicator"), r.guard)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	if r.graph, err = parseTUIndicator(l, graphs); err != nil {
		return nil, err
	}
	if graphs < 0 && len(r.graph) > 0 {
		graphs = r.graph[len(r.graph)-1]
	}
	graphs = max(graphs, 0)
	if err := r.guard.Need("graphs", graphs+1, 8); err != nil {
		return nil, l.At(err)
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
func parseTUIndicator(l *lines.Reader, graphs int64) ([]int64, error) {
	var graph []int64
	last := int64(1)
	err := l.Records(func(line []byte) error {
		w := lines.Words{Rest: line, Comma: true}
		k, ok := w.Int()
		if _, more := w.Next(); !ok || more {
			return l.Errorf("%s is not the number of a graph", lines.Quote(line))
		}
		switch {
		case k < 1 || graphs >= 0 && k > graphs:
			return l.Errorf("graph %d is out of range, want %s", k, tuRange(graphs))
		case k < last:
			return l.Errorf("graph %d after graph %d: want the vertices in order of their graphs", k, last)
		case len(graph) == math.MaxInt32:
			return l.Errorf("more than %d vertices", math.MaxInt32)
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

func (r *tuReader) readArcs(ctx context.Context, d *dataset.Dataset, opt dataset.Options) error {
	l, err := r.files.Lines(ctx, r.file("A"), r.guard)
	if err != nil {
		return err
	}
	defer l.Close()
	e := dataset.EdgeList{Path: l.Name, N: len(r.graph)}
	if e.Src, e.Dst, err = parseTUArcs(l, r.graph); err != nil {
		return err
	}
	if err := r.guard.Counts(int64(e.N), int64(len(e.Src))); err != nil {
		return err
	}
	x, err := r.readFeatures(ctx, "edge", int64(len(e.Src)))
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
func parseTUArcs(l *lines.Reader, graph []int64) (src, dst []int32, err error) {
	err = l.Records(func(line []byte) error {
		end, err := l.Pair(line)
		if err != nil {
			return err
		}
		for _, v := range end {
			if v < 1 || v > int64(len(graph)) {
				return l.Errorf("vertex %d is out of range, want 1 to %d", v, len(graph))
			}
		}
		if a, b := graph[end[0]-1], graph[end[1]-1]; a != b {
			return l.Errorf("vertex %d of graph %d and vertex %d of graph %d: want both ends in one graph", end[0], a, end[1], b)
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
	if name := r.file(kind + "_attributes"); r.files.Has(name) {
		t, err := lines.NumbersOf(ctx, r.files, name, n, r.guard, lines.RealField)
		if err != nil {
			return x, err
		}
		x = tensor.Of(int(n), t.Cols, t.Data)
	}
	if name := r.file(kind + "_labels"); r.files.Has(name) {
		t, err := lines.NumbersOf(ctx, r.files, name, n, r.guard, lines.IntegerField)
		if err != nil {
			return x, err
		}
		return appendOneHot(x, t, r.guard)
	}
	return x, nil
}
