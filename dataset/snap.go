package dataset

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"

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
var snapFormat = Format{
	Name:   "snap",
	About:  "SNAP edge lists: two integer ids on a line (*.txt, *.csv, *.edges)",
	Detect: detectSNAP,
	Read:   readSNAP,
}

// detectSNAP takes a file whose whole lines are comments or two integers, or
// three numbers of which the first two are integers.
func detectSNAP(p Probe) Score {
	columns := 0
	for _, line := range p.Lines() {
		if isBlank(line) || isSNAPComment(line) {
			continue
		}
		n, ok := edgeColumns(line)
		if !ok || columns != 0 && n != columns {
			return No
		}
		columns = n
	}
	switch {
	case columns == 0:
		return No
	case columns == 2 && slices.Contains([]string{".txt", ".edges", ".edgelist", ".el"}, p.Ext()):
		return Likely
	}
	return Possible
}

// edgeColumns counts the fields of a line, false where it lists no edge.
func edgeColumns(line []byte) (int, bool) {
	n := 0
	w := words{rest: line, comma: true}
	for field, ok := w.next(); ok; field, ok = w.next() {
		_, isInt := parseInt(field)
		if _, isReal := parseReal(field); !isInt && (n < 2 || !isReal) {
			return n, false
		}
		n++
	}
	return n, n == 2 || n == 3
}

func isSNAPComment(line []byte) bool { return line[0] == '#' || line[0] == '%' }

func readSNAP(ctx context.Context, path string, opt Options) (*Dataset, error) {
	l, g, err := openLines(ctx, path, opt.Limits)
	if err != nil {
		return nil, err
	}
	defer l.close()
	s, err := parseSNAP(l)
	if err != nil {
		return nil, err
	}
	labels, err := s.readLabels(ctx, path, opt.Limits)
	if err != nil {
		return nil, err
	}
	d := &Dataset{}
	e := s.edges(path)
	if err := g.counts(int64(e.n), int64(len(e.src))); err != nil {
		return nil, err
	}
	if d.Graph, err = e.build(opt); err != nil {
		return nil, err
	}
	d.X, d.IDs.Int = tensor.New(e.n, 0), s.ids.ids()
	if e.weight != nil {
		d.Notes = append(d.Notes, "the third column is read as the edges' weight")
	}
	if labels != nil {
		d.Task = VertexClassification
		d.Labels = labels.labels(&s.ids)
		d.Notes = append(d.Notes, "labels come from "+filepath.Base(labels.path))
	}
	return d, nil
}

// snapList is the content of an edge list.
type snapList struct {
	ids      idIndex
	src, dst []int32
	weight   []float32 // nil where there is no third column
	columns  int
	directed bool
}

func parseSNAP(l *lineReader) (*snapList, error) {
	s := &snapList{}
	for line, ok := l.next(); ok; line, ok = l.next() {
		if isBlank(line) {
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
	return s, l.err
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

func (s *snapList) parseEdge(l *lineReader, line []byte) error {
	w := words{rest: line, comma: true}
	u, err := s.parseVertex(l, &w, "first")
	if err != nil {
		return err
	}
	v, err := s.parseVertex(l, &w, "second")
	if err != nil {
		return err
	}
	columns := 2
	if word, ok := w.next(); ok {
		x, fault := realField(word)
		if fault != "" {
			return l.errorf("weight %s %s", show(word), fault)
		}
		s.weight = append(s.weight, x)
		columns = 3
	}
	if extra, ok := w.next(); ok {
		return l.errorf("%s after the weight: an edge list has two ids and at most a weight on a line", show(extra))
	}
	if s.columns != 0 && columns != s.columns {
		return l.errorf("%d columns, want %d as on the lines before", columns, s.columns)
	}
	s.columns = columns
	s.src, s.dst = append(s.src, u), append(s.dst, v)
	return nil
}

func (s *snapList) parseVertex(l *lineReader, w *words, which string) (int32, error) {
	word, ok := w.next()
	if !ok || len(word) == 0 {
		return 0, l.errorf("the %s id is blank: want two ids", which)
	}
	id, ok := parseInt(word)
	if !ok {
		return 0, l.errorf("%s id %s is not an integer", which, show(word))
	}
	k, err := s.ids.number(id)
	if err != nil {
		return 0, l.errorf("%v", err)
	}
	return k, nil
}

// edges puts the vertices into ascending order of ids.
func (s *snapList) edges(path string) *edgeList {
	if renumber := s.ids.sort(); renumber != nil {
		for i := range s.src {
			s.src[i], s.dst[i] = renumber[s.src[i]], renumber[s.dst[i]]
		}
	}
	return &edgeList{path: path, n: len(s.ids.list), src: s.src, dst: s.dst, weight: s.weight, undirected: !s.directed}
}
