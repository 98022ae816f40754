package layout

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/idindex"
	"github.com/weft-gnn/weft/dataset/internal/lines"
	"github.com/weft-gnn/weft/tensor"
)

// snapFormat reads edge lists as the Stanford Network Analysis Project
// publishes them: two integers on a line, separated by blanks or a comma, and
// comments behind # or %. A third column is the edges' weight.
//
// Edges are undirected unless a comment says "Directed graph". Vertices are
// numbered in ascending order of their ids, which need not be contiguous.
//
// A file X-groundtruth.txt or X-…labels.txt beside X.txt has the vertices'
// classes: an id and a class on a line, or only a class for each vertex in
// ascending order of ids. Vertices that only it names have no edges.
//
// Source: https://snap.stanford.edu/data/
var snapFormat = dataset.Format{
	Name:   "snap",
	About:  "SNAP edge lists: two integer ids on a line (*.txt, *.csv, *.edges)",
	Detect: detectSNAP,
	Read:   readSNAP,
}

// detectSNAP takes a file whose whole lines are comments or two integers, or
// three numbers of which the first two are integers.
func detectSNAP(p dataset.Probe) dataset.Score {
	columns := 0
	for _, line := range p.Lines() {
		if lines.IsBlank(line) || isSNAPComment(line) {
			continue
		}
		n, ok := edgeColumns(line)
		if !ok || columns != 0 && n != columns {
			return dataset.No
		}
		columns = n
	}
	switch {
	case columns == 0:
		return dataset.No
	case columns == 2 && slices.Contains([]string{".txt", ".edges", ".edgelist", ".el"}, p.Ext()):
		return dataset.Likely
	}
	return dataset.Possible
}

// edgeColumns counts the fields of a line, false where it lists no edge.
func edgeColumns(line []byte) (int, bool) {
	n := 0
	w := lines.Words{Rest: line, Comma: true}
	for field, ok := w.Next(); ok; field, ok = w.Next() {
		_, isInt := lines.Int(field)
		if _, isReal := lines.Real(field); !isInt && (n < 2 || !isReal) {
			return n, false
		}
		n++
	}
	return n, n == 2 || n == 3
}

func isSNAPComment(line []byte) bool { return line[0] == '#' || line[0] == '%' }

func readSNAP(ctx context.Context, path string, opt dataset.Options) (*dataset.Dataset, error) {
	l, g, err := lines.Open(ctx, path, opt.Limits)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	s, err := parseSNAP(l)
	if err != nil {
		return nil, err
	}
	labels, err := s.readLabels(ctx, path, opt.Limits)
	if err != nil {
		return nil, err
	}
	d := &dataset.Dataset{}
	e := s.edges(path)
	if err := g.Counts(int64(e.N), int64(len(e.Src))); err != nil {
		return nil, err
	}
	if d.Graph, err = e.Build(opt); err != nil {
		return nil, err
	}
	d.X, d.IDs.Int = tensor.New(e.N, 0), s.ids.IDs()
	if e.Weight != nil {
		d.Notes = append(d.Notes, "the third column is read as the edges' weight")
	}
	if labels != nil {
		d.Task = dataset.VertexClassification
		d.Labels = labels.labels(&s.ids)
		d.Notes = append(d.Notes, "labels come from "+filepath.Base(labels.path))
	}
	return d, nil
}

// snapList is the content of an edge list.
type snapList struct {
	ids      idindex.Index
	src, dst []int32
	weight   []float32 // nil where there is no third column
	columns  int
	directed bool
}

func parseSNAP(l *lines.Reader) (*snapList, error) {
	s := &snapList{}
	for line, ok := l.Next(); ok; line, ok = l.Next() {
		if lines.IsBlank(line) {
			continue
		}
		if isSNAPComment(line) {
			s.noteComment(line)
			continue
		}
		if err := s.parseEdge(l, line); err != nil {
			return nil, err
		}
	}
	return s, l.Err
}

// noteComment takes the direction from comments such as
// "# Directed graph (each unordered pair of nodes is saved once)".
func (s *snapList) noteComment(line []byte) {
	if s.columns == 0 && len(line) < 1<<10 {
		text := bytes.ToLower(line)
		if bytes.Contains(text, []byte("directed graph")) {
			s.directed = !bytes.Contains(text, []byte("undirected graph"))
		}
	}
}

func (s *snapList) parseEdge(l *lines.Reader, line []byte) error {
	w := lines.Words{Rest: line, Comma: true}
	u, err := s.parseVertex(l, &w, "first")
	if err != nil {
		return err
	}
	v, err := s.parseVertex(l, &w, "second")
	if err != nil {
		return err
	}
	columns := 2
	if word, ok := w.Next(); ok {
		x, fault := lines.RealField(word)
		if fault != "" {
			return l.Errorf("weight %s %s", lines.Quote(word), fault)
		}
		s.weight = append(s.weight, x)
		columns = 3
	}
	if extra, ok := w.Next(); ok {
		return l.Errorf("%s after the weight: an edge list has two ids and at most a weight on a line", lines.Quote(extra))
	}
	if s.columns != 0 && columns != s.columns {
		return l.Errorf("%d columns, want %d as on the lines before", columns, s.columns)
	}
	s.columns = columns
	s.src, s.dst = append(s.src, u), append(s.dst, v)
	return nil
}

func (s *snapList) parseVertex(l *lines.Reader, w *lines.Words, which string) (int32, error) {
	word, ok := w.Next()
	if !ok || len(word) == 0 {
		return 0, l.Errorf("the %s id is blank: want two ids", which)
	}
	id, ok := lines.Int(word)
	if !ok {
		return 0, l.Errorf("%s id %s is not an integer", which, lines.Quote(word))
	}
	k, err := s.ids.Number(id)
	if err != nil {
		return 0, l.Errorf("%v", err)
	}
	return k, nil
}

// edges puts the vertices into ascending order of ids.
func (s *snapList) edges(path string) *dataset.EdgeList {
	if renumber := s.ids.Sort(); renumber != nil {
		for i := range s.src {
			s.src[i], s.dst[i] = renumber[s.src[i]], renumber[s.dst[i]]
		}
	}
	return &dataset.EdgeList{Path: path, N: len(s.ids.List), Src: s.src, Dst: s.dst, Weight: s.weight, Undirected: !s.directed}
}
