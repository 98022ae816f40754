package dataset

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"

	"github.com/weft-gnn/weft/tensor"
)

// ginFormat reads the text files of sets of graphs that GIN and DGCNN use: the
// number of graphs, then for each graph a line with its number of vertices and
// its class, and a line for each vertex with its tag, its degree, its
// neighbours, counted from 0 within the graph, and any attributes.
//
// Edges are undirected. X holds the attributes and then one column for each
// tag, 1 where the vertex has it. Folds in 10fold_idx become the splits
// "fold 1", "fold 2", …, which have no validation graphs.
//
// Source: Xu et al., "How powerful are graph neural networks?", ICLR 2019, and
// its code's load_data; Zhang et al., "An end-to-end deep learning architecture
// for graph classification", AAAI 2018.
var ginFormat = Format{
	Name:   "gin-txt",
	About:  "GIN's and DGCNN's text files of graph sets (NAME/NAME.txt, 10fold_idx/)",
	Detect: detectGIN,
	Read:   readGIN,
}

const ginFolds = "10fold_idx"

func detectGIN(p Probe) Score {
	if !p.Dir {
		return scoreGIN(p)
	}
	name := p.Base() + ".txt"
	if !p.Has(name) {
		return No
	}
	inner, err := probe(filepath.Join(p.Path, name))
	if err != nil {
		return No
	}
	return scoreGIN(inner)
}

// scoreGIN checks the lines of the first graph, as far as the head shows them.
func scoreGIN(p Probe) Score {
	lines := p.Lines()
	if len(lines) < 2 {
		return No
	}
	if n, ok := integersOn(lines[0]); !ok || n != 1 {
		return No
	}
	if n, ok := integersOn(lines[1]); !ok || n != 2 {
		return No
	}
	vertices, _ := parseInt(bytes.Fields(lines[1])[0])
	for _, line := range lines[2:min(int64(len(lines)), max(2+vertices, 2))] {
		word := bytes.Fields(line)
		if len(word) < 2 {
			return No
		}
		if degree, ok := parseInt(word[1]); !ok || degree < 0 || degree > int64(len(word)-2) {
			return No
		}
	}
	return Certain
}

func readGIN(ctx context.Context, name string, opt Options) (*Dataset, error) {
	fi, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	file := name
	if fi.IsDir() {
		file = filepath.Join(name, filepath.Base(name)+".txt")
	}
	l, g, err := openLines(ctx, file, opt.Limits)
	if err != nil {
		return nil, err
	}
	defer l.close()
	s, err := parseGIN(l)
	if err != nil {
		return nil, err
	}
	d, err := s.dataset(file, opt, g)
	if err != nil {
		return nil, err
	}
	d.Splits, err = readGINFolds(ctx, filepath.Dir(file), len(s.class), g)
	return d, err
}

// ginSet is the content of a file.
type ginSet struct {
	offset   []int64 // of the graphs' vertices
	class    []int64 // of each graph
	tag      []int64 // of each vertex
	x        []float32
	width    int // attributes of each vertex
	src, dst []int32
}

func (s *ginSet) dataset(file string, opt Options, g *guard) (*Dataset, error) {
	n := len(s.tag)
	if err := g.counts(int64(n), int64(len(s.src))); err != nil {
		return nil, err
	}
	e := edgeList{path: file, n: n, src: s.src, dst: s.dst, undirected: true}
	d := &Dataset{Task: GraphClassification, Offsets: s.offset, Labels: classLabels(s.class)}
	var err error
	if d.Graph, err = e.build(opt); err != nil {
		return nil, err
	}
	d.Graph.Graphs = s.offset
	attributes := tensor.Of(n, s.width, s.x)
	d.X, err = appendOneHot(attributes, &numberTable[int64]{cols: 1, data: s.tag}, g)
	return d, err
}

func parseGIN(l *lineReader) (*ginSet, error) {
	l.max = maxAdjacencyLine
	s := &ginSet{offset: []int64{0}, width: -1}
	line, ok := l.next()
	if l.err != nil {
		return nil, l.err
	}
	count, isInt := parseInt(bytes.TrimSpace(line))
	if !ok || !isInt || count < 0 {
		l.number = 1
		return nil, l.errorf("%s: want the number of graphs", show(line))
	}
	for k := range count {
		if err := s.parseGraph(l, k, count); err != nil {
			return nil, err
		}
	}
	for line, ok := l.next(); ok; line, ok = l.next() {
		if !isBlank(line) {
			return nil, l.errorf("more lines than those of %d graphs", count)
		}
	}
	s.width = max(s.width, 0)
	return s, l.err
}

func (s *ginSet) parseGraph(l *lineReader, k, count int64) error {
	line, ok := l.next()
	if !ok {
		return s.cutShort(l, "the file ends after %d of %d graphs", k, count)
	}
	w := words{rest: line}
	n, isCount := w.int()
	class, isClass := w.int()
	if _, more := w.next(); !isCount || !isClass || n < 0 || more {
		return l.errorf("graph %d: %s: want its number of vertices and its class", k, show(line))
	}
	first := int64(len(s.tag))
	if n > math.MaxInt32-first {
		return &LimitError{Path: fmt.Sprintf("%s:%d", l.name, l.number), What: "vertices of a graph", Want: n, Max: math.MaxInt32 - first}
	}
	for v := range n {
		line, ok := l.next()
		if !ok {
			return s.cutShort(l, "the file ends after %d of %d vertices of graph %d", v, n, k)
		}
		if err := s.parseVertex(l, line, first, n); err != nil {
			return err
		}
	}
	s.class = append(s.class, class)
	s.offset = append(s.offset, first+n)
	return nil
}

func (s *ginSet) cutShort(l *lineReader, format string, args ...any) error {
	if l.err != nil {
		return l.err
	}
	return l.errorf(format, args...)
}

// parseVertex reads "tag degree neighbours… attributes…" of a graph of n
// vertices whose first is number first of the set.
func (s *ginSet) parseVertex(l *lineReader, line []byte, first, n int64) error {
	w := words{rest: line}
	tag, isTag := w.int()
	degree, isDegree := w.int()
	if !isTag || !isDegree || degree < 0 {
		return l.errorf("vertex %s: want its tag, its degree and its neighbours", show(line))
	}
	v := int32(len(s.tag))
	for i := range degree {
		field, ok := w.next()
		if !ok {
			return l.errorf("%d neighbours, want %d", i, degree)
		}
		u, ok := parseInt(field)
		if !ok {
			return l.errorf("neighbour %s is not an integer", show(field))
		}
		if u < 0 || u >= n {
			return l.errorf("neighbour %d is out of range, want 0 to %d", u, n-1)
		}
		s.src, s.dst = append(s.src, int32(first+u)), append(s.dst, v)
	}
	width := 0
	for field, ok := w.next(); ok; field, ok = w.next() {
		x, fault := realField(field)
		if fault != "" {
			return l.errorf("attribute %s %s", show(field), fault)
		}
		s.x = append(s.x, x)
		width++
	}
	if s.width >= 0 && width != s.width {
		return l.errorf("%d attributes after the neighbours, want %d as for the vertices before", width, s.width)
	}
	s.width = width
	s.tag = append(s.tag, tag)
	return nil
}

// readGINFolds reads the folds in the folder dir, of graphs 0 to graphs−1.
func readGINFolds(ctx context.Context, dir string, graphs int, g *guard) ([]Split, error) {
	set := &fileSet{FS: os.DirFS(dir), path: dir}
	var splits []Split
	for k := 1; ; k++ {
		train := path.Join(ginFolds, fmt.Sprintf("train_idx-%d.txt", k))
		test := path.Join(ginFolds, fmt.Sprintf("test_idx-%d.txt", k))
		if !set.has(train) && !set.has(test) {
			break
		}
		s := Split{Name: fmt.Sprintf("fold %d", k)}
		taken := make([]string, graphs)
		var err error
		if s.Train, err = readIndices(ctx, set, train, taken, g); err != nil {
			return nil, err
		}
		if s.Test, err = readIndices(ctx, set, test, taken, g); err != nil {
			return nil, err
		}
		splits = append(splits, s)
	}
	return splits, checkGINFolds(set, len(splits))
}

// checkGINFolds refuses a folder whose folds are not numbered 1, 2, ….
func checkGINFolds(set *fileSet, folds int) error {
	names, err := fs.Glob(set, ginFolds+"/*_idx-*.txt")
	if err != nil {
		return fmt.Errorf("dataset: %s: %w", set.path, err)
	}
	if len(names) != 2*folds {
		return fmt.Errorf("dataset: %s: %d files of folds, %d of them train_idx-k.txt or test_idx-k.txt with k = 1, 2, …",
			filepath.Join(set.path, ginFolds), len(names), 2*folds)
	}
	return nil
}
