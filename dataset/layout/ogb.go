package layout

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/lines"
	"github.com/weft-gnn/weft/tensor"
)

// ogbFormat reads the raw text files of the Open Graph Benchmark's homogeneous
// sets, a folder or zip archive as OGB downloads it, for tasks on vertices
// (ogbn-…, raw/node-label.csv.gz) and on graphs (ogbg-…, raw/graph-label.csv.gz).
//
// What the files leave open (the kind of task, the classes, the metric, whether
// a listed edge stands for both directions) comes from OGB's master.csv in or
// beside the folder, else from the set's name. Where neither says it, edges are
// arcs as listed and the labels' values decide the task.
//
// Targets of a binary task are 0/1 values, NaN where one is missing. Edges that
// carry features are kept when parallel. Vertices are numbered from 0 through
// the whole set.
//
// Source: Hu et al., "Open Graph Benchmark", NeurIPS 2020, and its code's
// io/read_graph_raw.py.
var ogbFormat = dataset.Format{
	Name:   "ogb",
	About:  "OGB raw sets: a folder or zip with raw/edge.csv.gz, raw/num-node-list.csv.gz, …",
	Detect: detectOGB,
	Read:   readOGB,
}

var (
	errHetero    = errors.New("a graph of several kinds of vertices or edges: weft reads graphs of one kind")
	errOGBBinary = errors.New("the raw files are binary (raw/data.npz): only OGB's text layout is read")
)

// ogbMarks are files that only raw folders of OGB have: its text layout's, its
// binary layout's and its heterogeneous layout's. The reader refuses the last two.
var ogbMarks = []string{"edge.csv.gz", "edge.csv", "data.npz", "triplet-type-list.csv.gz"}

func detectOGB(p dataset.Probe) dataset.Score {
	for _, mark := range ogbMarks {
		inside := slices.ContainsFunc(p.Names, func(n string) bool { return strings.HasSuffix("/"+n, "/raw/"+mark) })
		if inside || p.Dir && (isFile(filepath.Join(p.Path, "raw", mark)) || p.Base() == "raw" && p.Has(mark)) {
			return dataset.Certain
		}
	}
	return dataset.No
}

func isFile(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular()
}

func readOGB(ctx context.Context, name string, opt dataset.Options) (*dataset.Dataset, error) {
	if filepath.Base(name) == "raw" {
		name = filepath.Dir(name)
	}
	files, err := lines.OpenFiles(name)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	r := &ogbReader{files: files, guard: opt.Limits.Guard(name, files.Bytes)}
	if err := r.findRoot(); err != nil {
		return nil, err
	}
	whole, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	names := []string{dataset.Stem(filepath.Base(whole)), dataset.PlainStem(filepath.Base(whole)), path.Base(r.root)}
	if r.meta, err = findOGBMeta(ctx, name, names, r.guard); err != nil {
		return nil, err
	}
	return r.read(ctx, opt)
}

// ogbReader reads the files of one set.
type ogbReader struct {
	files *lines.Files
	root  string // the folder of raw/ and split/ in files
	guard *budget.Guard
	meta  ogbMeta

	offset []int64 // of the graphs' vertices
	rows   []int64 // of the graphs' edges
}

// findRoot finds the folder raw: at the top or, in archives, one folder below.
func (r *ogbReader) findRoot() error {
	for _, mark := range ogbMarks {
		for _, pattern := range []string{"raw/" + mark, "*/raw/" + mark} {
			found, err := fs.Glob(r.files, pattern)
			if err != nil {
				return fmt.Errorf("dataset: %s: %w", r.files.Path, err)
			}
			if len(found) == 0 {
				continue
			}
			r.root = path.Dir(path.Dir(found[0]))
			switch mark {
			case "data.npz":
				return fmt.Errorf("dataset: %s: %w", r.files.Path, errOGBBinary)
			case "triplet-type-list.csv.gz":
				return fmt.Errorf("dataset: %s: %w", r.files.Path, errHetero)
			}
			return nil
		}
	}
	return fmt.Errorf("dataset: %s: no file raw/edge.csv.gz", r.files.Path)
}

// file returns the path of a text file in the set, gzip'ed or not; false where
// there is none.
func (r *ogbReader) file(name string) (string, bool) {
	for _, ext := range []string{".csv.gz", ".csv"} {
		if f := path.Join(r.root, name+ext); r.files.Has(f) {
			return f, true
		}
	}
	return path.Join(r.root, name+".csv.gz"), false
}

func (r *ogbReader) read(ctx context.Context, opt dataset.Options) (*dataset.Dataset, error) {
	if err := r.readCounts(ctx); err != nil {
		return nil, err
	}
	d := &dataset.Dataset{Metric: r.meta.metric}
	if r.meta.source == "" {
		d.Notes = append(d.Notes, "no master.csv knows this set: edges are arcs as listed, and the labels' values decide the task")
	}
	n := r.offset[len(r.offset)-1]
	e, err := r.readEdges(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.guard.Counts(n, int64(len(e.Src))); err != nil {
		return nil, err
	}
	if d.X, err = r.readFeatures(ctx, "raw/node-feat", n); err != nil {
		return nil, err
	}
	x, err := r.readFeatures(ctx, "raw/edge-feat", int64(len(e.Src)))
	if err != nil {
		return nil, err
	}
	if err := buildWithFeatures(d, e, x, opt); err != nil {
		return nil, err
	}
	items, err := r.readLabels(ctx, d)
	if err != nil {
		return nil, err
	}
	d.Splits, err = r.readSplits(ctx, items)
	return d, err
}

// readCounts reads how many vertices and edges each graph has.
func (r *ogbReader) readCounts(ctx context.Context) error {
	nodes, err := r.readColumn(ctx, "raw/num-node-list")
	if err != nil {
		return err
	}
	if r.rows, err = r.readColumn(ctx, "raw/num-edge-list"); err != nil {
		return err
	}
	if len(nodes) != len(r.rows) {
		return fmt.Errorf("dataset: %s: %d graphs in num-node-list and %d in num-edge-list", r.files.Path, len(nodes), len(r.rows))
	}
	r.offset = make([]int64, len(nodes)+1)
	for k, n := range nodes {
		r.offset[k+1] = r.offset[k] + n
	}
	return nil
}

// readColumn reads one count on each line. The counts' sum fits 32 bits.
func (r *ogbReader) readColumn(ctx context.Context, name string) ([]int64, error) {
	file, _ := r.file(name)
	l, err := r.files.Lines(ctx, file, r.guard)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	var counts []int64
	sum := int64(0)
	err = l.Records(func(line []byte) error {
		w := lines.Words{Rest: line, Comma: true}
		n, ok := w.Int()
		if _, more := w.Next(); !ok || more || n < 0 {
			return l.Errorf("%s is not a count", lines.Quote(line))
		}
		if n > math.MaxUint32-sum {
			return l.At(&budget.LimitError{What: "vertices or edges", Want: n, Max: math.MaxUint32 - sum})
		}
		sum += n
		counts = append(counts, n)
		return nil
	})
	return counts, err
}

func (r *ogbReader) readEdges(ctx context.Context) (*dataset.EdgeList, error) {
	n := r.offset[len(r.offset)-1]
	if n > math.MaxInt32 {
		return nil, &budget.LimitError{Path: r.files.Path, What: "vertices", Want: n, Max: math.MaxInt32}
	}
	file, _ := r.file("raw/edge")
	l, err := r.files.Lines(ctx, file, r.guard)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	e := &dataset.EdgeList{Path: l.Name, N: int(n), Undirected: r.meta.inverse}
	e.Src, e.Dst, err = parseOGBEdges(l, r.offset, r.rows)
	return e, err
}

// parseOGBEdges reads rows[k] edges "u,v" of each graph k, whose vertices are
// counted from 0, and numbers their vertices from offset[k].
func parseOGBEdges(l *lines.Reader, offset, rows []int64) (src, dst []int32, err error) {
	k, left := -1, int64(0)
	err = l.Records(func(line []byte) error {
		for left == 0 {
			if k++; k == len(rows) {
				return l.Errorf("more edges than num-edge-list counts")
			}
			left = rows[k]
		}
		left--
		n := offset[k+1] - offset[k]
		end, err := l.Pair(line)
		if err != nil {
			return err
		}
		for _, v := range end {
			if v < 0 || v >= n {
				return l.Errorf("vertex %d of graph %d is out of range, want 0 to %d", v, k, n-1)
			}
		}
		src, dst = append(src, int32(offset[k]+end[0])), append(dst, int32(offset[k]+end[1]))
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	total := int64(0)
	for _, m := range rows {
		total += m
	}
	if int64(len(src)) != total {
		return nil, nil, l.Errorf("the file ends after %d of the %d edges that num-edge-list counts", len(src), total)
	}
	return src, dst, nil
}

// readFeatures reads a matrix of n rows; it has no columns where there is no file.
func (r *ogbReader) readFeatures(ctx context.Context, name string, n int64) (tensor.Matrix, error) {
	file, ok := r.file(name)
	if !ok {
		return tensor.New(int(n), 0), nil
	}
	t, err := lines.NumbersOf(ctx, r.files, file, n, r.guard, lines.RealField)
	if err != nil {
		return tensor.Matrix{}, err
	}
	return tensor.Of(int(n), t.Cols, t.Data), nil
}
