package layout

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/lines"
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
var ginFormat = dataset.Format{
	Name:   "gin-txt",
	About:  "GIN's and DGCNN's text files of graph sets (NAME/NAME.txt, 10fold_idx/)",
	Detect: detectGIN,
	Read:   readGIN,
}

const ginFolds = "10fold_idx"

func detectGIN(p dataset.Probe) dataset.Score {
	if !p.Dir {
		return scoreGIN(p)
	}
	name := p.Base() + ".txt"
	if !p.Has(name) {
		return dataset.No
	}
	inner, err := dataset.Look(filepath.Join(p.Path, name))
	if err != nil {
		return dataset.No
	}
	return scoreGIN(inner)
}

// scoreGIN checks the lines of the first graph, as far as the head shows them.
func scoreGIN(p dataset.Probe) dataset.Score {
	shown := p.Lines()
	if len(shown) < 2 {
		return dataset.No
	}
	if n, ok := integersOn(shown[0]); !ok || n != 1 {
		return dataset.No
	}
	if n, ok := integersOn(shown[1]); !ok || n != 2 {
		return dataset.No
	}
	vertices, _ := lines.Int(bytes.Fields(shown[1])[0])
	for _, line := range shown[2:min(int64(len(shown)), max(2+vertices, 2))] {
		word := bytes.Fields(line)
		if len(word) < 2 {
			return dataset.No
		}
		if degree, ok := lines.Int(word[1]); !ok || degree < 0 || degree > int64(len(word)-2) {
			return dataset.No
		}
	}
	return dataset.Certain
}

func readGIN(ctx context.Context, name string, opt dataset.Options) (*dataset.Dataset, error) {
	fi, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	file := name
	if fi.IsDir() {
		file = filepath.Join(name, filepath.Base(name)+".txt")
	}
	l, g, err := lines.Open(ctx, file, opt.Limits)
	if err != nil {
		return nil, err
	}
	defer l.Close()
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

func (s *ginSet) dataset(file string, opt dataset.Options, g *budget.Guard) (*dataset.Dataset, error) {
	n := len(s.tag)
	if err := g.Counts(int64(n), int64(len(s.src))); err != nil {
		return nil, err
	}
	e := dataset.EdgeList{Path: file, N: n, Src: s.src, Dst: s.dst, Undirected: true}
	d := &dataset.Dataset{Task: dataset.GraphClassification, Offsets: s.offset, Labels: classLabels(s.class)}
	var err error
	if d.Graph, err = e.Build(opt); err != nil {
		return nil, err
	}
	d.Graph.Graphs = s.offset
	attributes := tensor.Of(n, s.width, s.x)
	d.X, err = appendOneHot(attributes, &lines.Table[int64]{Cols: 1, Data: s.tag}, g)
	return d, err
}

func parseGIN(l *lines.Reader) (*ginSet, error) {
	s := &ginSet{offset: []int64{0}, width: -1}
	line, ok := l.Next()
	if l.Err != nil {
		return nil, l.Err
	}
	count, isInt := lines.Int(bytes.TrimSpace(line))
	if !ok || !isInt || count < 0 {
		l.Number = 1
		return nil, l.Errorf("%s: want the number of graphs", lines.Quote(line))
	}
	for k := range count {
		if err := s.parseGraph(l, k, count); err != nil {
			return nil, err
		}
	}
	for line, ok := l.Next(); ok; line, ok = l.Next() {
		if !lines.IsBlank(line) {
			return nil, l.Errorf("more lines than those of %d graphs", count)
		}
	}
	s.width = max(s.width, 0)
	return s, l.Err
}

func (s *ginSet) parseGraph(l *lines.Reader, k, count int64) error {
	line, ok := l.Next()
	if !ok {
		return l.Errorf("the file ends after %d of %d graphs", k, count)
	}
	w := lines.Words{Rest: line}
	n, isCount := w.Int()
	class, isClass := w.Int()
	if _, more := w.Next(); !isCount || !isClass || n < 0 || more {
		return l.Errorf("graph %d: %s: want its number of vertices and its class", k, lines.Quote(line))
	}
	first := int64(len(s.tag))
	if n > math.MaxInt32-first {
		return &budget.LimitError{Path: fmt.Sprintf("%s:%d", l.Name, l.Number), What: "vertices of a graph", Want: n, Max: math.MaxInt32 - first}
	}
	for v := range n {
		fields, ok := l.Fields()
		if !ok {
			return l.Errorf("the file ends after %d of %d vertices of graph %d", v, n, k)
		}
		if err := s.parseVertex(l, fields, first, n); err != nil {
			return err
		}
	}
	s.class = append(s.class, class)
	s.offset = append(s.offset, first+n)
	return nil
}

// parseVertex reads "tag degree neighbours… attributes…" of a graph of n
// vertices whose first is number first of the set.
func (s *ginSet) parseVertex(l *lines.Reader, w *lines.Fields, first, n int64) error {
	tag, isTag := w.Int()
	degree, isDegree := w.Int()
	if !isTag || !isDegree || degree < 0 {
		return l.Errorf("want a vertex's tag, its degree, its neighbours and any attributes, in numbers")
	}
	v := int32(len(s.tag))
	for i := range degree {
		field, ok := w.Next()
		if !ok {
			return l.Errorf("%d neighbours, want %d", i, degree)
		}
		u, ok := lines.Int(field)
		if !ok {
			return l.Errorf("neighbour %s is not an integer", lines.Quote(field))
		}
		if u < 0 || u >= n {
			return l.Errorf("neighbour %d is out of range, want 0 to %d", u, n-1)
		}
		s.src, s.dst = append(s.src, int32(first+u)), append(s.dst, v)
	}
	width := 0
	for field, ok := w.Next(); ok; field, ok = w.Next() {
		x, fault := lines.RealField(field)
		if fault != "" {
			return l.Errorf("attribute %s %s", lines.Quote(field), fault)
		}
		s.x = append(s.x, x)
		width++
	}
	if s.width >= 0 && width != s.width {
		return l.Errorf("%d attributes after the neighbours, want %d as for the vertices before", width, s.width)
	}
	if l.Err != nil {
		return l.Err
	}
	s.width = width
	s.tag = append(s.tag, tag)
	return nil
}

// readGINFolds reads the folds in the folder dir, of graphs 0 to graphs−1.
func readGINFolds(ctx context.Context, dir string, graphs int, g *budget.Guard) ([]dataset.Split, error) {
	set := &lines.Files{FS: os.DirFS(dir), Path: dir}
	var splits []dataset.Split
	for k := 1; ; k++ {
		train := path.Join(ginFolds, fmt.Sprintf("train_idx-%d.txt", k))
		test := path.Join(ginFolds, fmt.Sprintf("test_idx-%d.txt", k))
		if !set.Has(train) && !set.Has(test) {
			break
		}
		s := dataset.Split{Name: fmt.Sprintf("fold %d", k)}
		taken := make([]string, graphs)
		var err error
		if s.Train, err = lines.Indices(ctx, set, train, taken, g); err != nil {
			return nil, err
		}
		if s.Test, err = lines.Indices(ctx, set, test, taken, g); err != nil {
			return nil, err
		}
		splits = append(splits, s)
	}
	return splits, checkGINFolds(set, len(splits))
}

// checkGINFolds refuses a folder whose folds are not numbered 1, 2, ….
func checkGINFolds(set *lines.Files, folds int) error {
	names, err := fs.Glob(set, ginFolds+"/*_idx-*.txt")
	if err != nil {
		return fmt.Errorf("dataset: %s: %w", set.Path, err)
	}
	if len(names) != 2*folds {
		return fmt.Errorf("dataset: %s: %d files of folds, %d of them train_idx-k.txt or test_idx-k.txt with k = 1, 2, …",
			filepath.Join(set.Path, ginFolds), len(names), 2*folds)
	}
	return nil
}
