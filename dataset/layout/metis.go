package layout

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/lines"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// metisFormat reads the graph files of METIS: line i lists the neighbours of
// vertex i, counted from 1.
//
// Every edge is listed at both ends, so Options.Direction changes nothing; a
// file that lists one end only, an end twice with different weights, or a loop
// is faulty. Weights and sizes of vertices become the columns of X, in the
// order in which they are listed.
//
// Source: Karypis, METIS 5.1.0 manual, section 4.1.1.
var metisFormat = dataset.Format{
	Name:   "metis",
	About:  "METIS graph files: the neighbours of a vertex on each line (*.graph)",
	Detect: detectMETIS,
	Read:   readMETIS,
}

// maxVertexWeights is far more than partitioners take.
const maxVertexWeights = 1 << 10

// detectMETIS looks for a header of two to four counts and lines of integers.
// By content alone that is taken for METIS only where the lines differ in
// length, unlike those of a table.
func detectMETIS(p dataset.Probe) dataset.Score {
	isNamed := slices.Contains([]string{".graph", ".mgraph", ".metis"}, p.Ext())
	lengths := map[int]bool{}
	header := false
	for _, line := range p.Lines() {
		if len(line) > 0 && line[0] == '%' {
			continue
		}
		n, ok := integersOn(line)
		if !ok || !header && (n < 2 || n > 4) {
			return dataset.No
		}
		if header {
			lengths[n] = true
		}
		header = true
	}
	switch {
	case header && isNamed:
		return dataset.Certain
	case header && len(lengths) > 1:
		return dataset.Possible
	}
	return dataset.No
}

// integersOn counts the integers on a line, false where it has another field.
func integersOn(line []byte) (int, bool) {
	n := 0
	w := lines.Words{Rest: line}
	for field, ok := w.Next(); ok; field, ok = w.Next() {
		if _, isInt := lines.Int(field); !isInt {
			return n, false
		}
		n++
	}
	return n, true
}

func readMETIS(ctx context.Context, path string, opt dataset.Options) (*dataset.Dataset, error) {
	l, g, err := lines.Open(ctx, path, opt.Limits)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	m, err := parseMETIS(l, g)
	if err != nil {
		return nil, err
	}
	return m.dataset(path, opt)
}

func (m *metisGraph) dataset(path string, opt dataset.Options) (*dataset.Dataset, error) {
	e := dataset.EdgeList{Path: path, N: m.n, Src: m.src, Dst: m.dst, Weight: m.weight}
	opt.Direction = dataset.AsStated
	d := &dataset.Dataset{X: tensor.Of(m.n, m.features(), m.x), IDs: dataset.IDs{Int: countFrom(1, m.n)}}
	var err error
	if d.Graph, err = e.Build(opt); err != nil {
		return nil, err
	}
	if err := checkMirrored(path, d.Graph); err != nil {
		return nil, err
	}
	if m.features() > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("weights and sizes of vertices are read as %d features", m.features()))
	}
	return d, nil
}

// metisGraph is the content of a METIS file.
type metisGraph struct {
	n           int
	edges       int64
	sizes       bool // a line starts with the vertex's size,
	constraints int  // then has so many weights of the vertex,
	weighted    bool // and a weight after each neighbour

	src, dst []int32
	weight   []float32
	x        []float32 // constraints + sizes columns
}

// features is the number of columns of x.
func (m *metisGraph) features() int {
	if m.sizes {
		return m.constraints + 1
	}
	return m.constraints
}

func parseMETIS(l *lines.Reader, g *budget.Guard) (*metisGraph, error) {
	m := &metisGraph{}
	header, ok := nextMETIS(l)
	for ok && lines.IsBlank(header) {
		header, ok = nextMETIS(l)
	}
	switch {
	case l.Err != nil:
		return nil, l.Err
	case !ok:
		return nil, l.Errorf("no header: want the numbers of vertices and edges")
	}
	if err := m.parseHeader(l, header, g); err != nil {
		return nil, err
	}
	for v := range m.n {
		fields, ok := nextVertex(l)
		switch {
		case l.Err != nil:
			return nil, l.Err
		case !ok && v < m.n-1:
			return nil, l.Errorf("the file ends after the lines of %d of %d vertices", v, m.n)
		}
		// The empty line of a last vertex without edges may lack its end.
		if err := m.parseVertex(l, int32(v), fields); err != nil {
			return nil, err
		}
	}
	return m, m.parseEnd(l)
}

// nextMETIS returns the next line that is no comment.
func nextMETIS(l *lines.Reader) ([]byte, bool) {
	line, ok := l.Next()
	for ok && len(line) > 0 && line[0] == '%' {
		line, ok = l.Next()
	}
	return line, ok
}

// nextVertex begins the next line that is no comment.
func nextVertex(l *lines.Reader) (*lines.Fields, bool) {
	f, ok := l.Fields()
	for ok && f.Starts('%') {
		f.Skip()
		f, ok = l.Fields()
	}
	return f, ok
}

func (m *metisGraph) parseHeader(l *lines.Reader, line []byte, g *budget.Guard) error {
	word := bytes.Fields(line)
	if len(word) < 2 || len(word) > 4 {
		return l.Errorf("header %s: want vertices, edges and at most a format and the number of vertex weights", lines.Quote(line))
	}
	n, ok := lines.Int(word[0])
	if !ok || n < 0 {
		return l.Errorf("number of vertices %s: want 0 or more", lines.Quote(word[0]))
	}
	if m.edges, ok = lines.Int(word[1]); !ok || m.edges < 0 {
		return l.Errorf("number of edges %s: want 0 or more", lines.Quote(word[1]))
	}
	if len(word) > 2 {
		if err := m.parseKind(l, word[2]); err != nil {
			return err
		}
	}
	if len(word) > 3 {
		k, ok := lines.Int(word[3])
		if !ok || k < 1 || k > maxVertexWeights || m.constraints == 0 {
			return l.Errorf("number of vertex weights %s: want 1 to %d, and a format whose second digit is 1", lines.Quote(word[3]), maxVertexWeights)
		}
		m.constraints = int(k)
	}
	if err := g.Counts(n, budget.Product(2, m.edges)); err != nil {
		return l.At(err)
	}
	m.n = int(n)
	return l.At(g.Need("vertex ids", n, 8))
}

// parseKind reads the format's digits: sizes, vertex weights, edge weights.
func (m *metisGraph) parseKind(l *lines.Reader, word []byte) error {
	digits := append([]byte("00"), word...)
	for _, c := range digits {
		if c != '0' && c != '1' || len(word) > 3 {
			return l.Errorf("format %s: want up to three digits 0 or 1 for sizes, vertex weights and edge weights", lines.Quote(word))
		}
	}
	digits = digits[len(digits)-3:]
	m.sizes, m.weighted = digits[0] == '1', digits[2] == '1'
	if digits[1] == '1' {
		m.constraints = 1
	}
	return nil
}

func (m *metisGraph) parseVertex(l *lines.Reader, v int32, w *lines.Fields) error {
	for i := range m.features() {
		field, ok := w.Next()
		if !ok {
			return l.Errorf("vertex %d has %d weights and sizes, want %d", v+1, i, m.features())
		}
		x, err := parseMETISWeight(l, field)
		if err != nil {
			return err
		}
		m.x = append(m.x, x)
	}
	for field, ok := w.Next(); ok; field, ok = w.Next() {
		if err := m.parseNeighbour(l, v, field); err != nil {
			return err
		}
		if !m.weighted {
			continue
		}
		if field, ok = w.Next(); !ok {
			return l.Errorf("the last neighbour of vertex %d has no edge weight", v+1)
		}
		x, err := parseMETISWeight(l, field)
		if err != nil {
			return err
		}
		m.weight = append(m.weight, x)
	}
	return l.Err
}

func (m *metisGraph) parseNeighbour(l *lines.Reader, v int32, field []byte) error {
	u, ok := lines.Int(field)
	switch {
	case !ok:
		return l.Errorf("neighbour %s of vertex %d is not an integer", lines.Quote(field), v+1)
	case u < 1 || u > int64(m.n):
		return l.Errorf("neighbour %d of vertex %d is out of range, want 1 to %d", u, v+1, m.n)
	case u == int64(v)+1:
		return l.Errorf("vertex %d lists itself: METIS graphs have no loops", u)
	case int64(len(m.src)) == budget.Product(2, m.edges):
		return l.Errorf("more neighbours than the header's %d edges have ends", m.edges)
	}
	m.src, m.dst = append(m.src, int32(u-1)), append(m.dst, v)
	return nil
}

// parseMETISWeight reads a weight. METIS wants integers of at least 0 for
// vertices and 1 for edges; any finite number does here.
func parseMETISWeight(l *lines.Reader, field []byte) (float32, error) {
	x, fault := lines.RealField(field)
	if fault != "" {
		return 0, l.Errorf("weight %s %s", lines.Quote(field), fault)
	}
	return x, nil
}

// parseEnd checks that nothing is missing and nothing follows.
func (m *metisGraph) parseEnd(l *lines.Reader) error {
	for line, ok := nextMETIS(l); ok; line, ok = nextMETIS(l) {
		if !lines.IsBlank(line) {
			return l.Errorf("more lines than the header's %d vertices", m.n)
		}
	}
	if l.Err != nil {
		return l.Err
	}
	if int64(len(m.src)) != 2*m.edges {
		return l.Errorf("%d neighbours in all, want two for each of the header's %d edges", len(m.src), m.edges)
	}
	return nil
}

// checkMirrored checks that A = Aᵀ. Rows are visited in ascending order and are
// sorted, so the next entry of row u that was not met yet must name the row.
func checkMirrored(path string, g *graph.Graph) error {
	next := slices.Clone(g.Ptr[:g.N])
	for v := range g.N {
		for i := g.Ptr[v]; i < g.Ptr[v+1]; i++ {
			u := g.Src[i]
			j := next[u]
			if j == g.Ptr[u+1] || g.Src[j] != int32(v) {
				a, b := int64(v), int64(u)
				if j < g.Ptr[u+1] && int64(g.Src[j]) < a {
					a, b = b, int64(g.Src[j])
				}
				return fmt.Errorf("dataset: %s: vertex %d lists %d as its neighbour, but not the other way round", path, a+1, b+1)
			}
			if g.Weight != nil && g.Weight[i] != g.Weight[j] {
				return fmt.Errorf("dataset: %s: edge %d–%d has the weights %v and %v at its ends", path, v+1, u+1, g.Weight[i], g.Weight[j])
			}
			next[u]++
		}
	}
	return nil
}
