package dataset

import (
	"bytes"
	"context"
	"fmt"
	"slices"

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
var metisFormat = Format{
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
func detectMETIS(p Probe) Score {
	isNamed := slices.Contains([]string{".graph", ".mgraph", ".metis"}, p.Ext())
	lengths := map[int]bool{}
	header := false
	for _, line := range p.Lines() {
		if len(line) > 0 && line[0] == '%' {
			continue
		}
		n, ok := integersOn(line)
		if !ok || !header && (n < 2 || n > 4) {
			return No
		}
		if header {
			lengths[n] = true
		}
		header = true
	}
	switch {
	case header && isNamed:
		return Certain
	case header && len(lengths) > 1:
		return Possible
	}
	return No
}

// integersOn counts the integers on a line, false where it has another field.
func integersOn(line []byte) (int, bool) {
	n := 0
	w := words{rest: line}
	for field, ok := w.next(); ok; field, ok = w.next() {
		if _, isInt := parseInt(field); !isInt {
			return n, false
		}
		n++
	}
	return n, true
}

func readMETIS(ctx context.Context, path string, opt Options) (*Dataset, error) {
	l, g, err := openLines(ctx, path, opt.Limits)
	if err != nil {
		return nil, err
	}
	defer l.close()
	m, err := parseMETIS(l, g)
	if err != nil {
		return nil, err
	}
	return m.dataset(path, opt)
}

func (m *metisGraph) dataset(path string, opt Options) (*Dataset, error) {
	e := edgeList{path: path, n: m.n, src: m.src, dst: m.dst, weight: m.weight}
	opt.Direction = AsStated
	d := &Dataset{X: tensor.Of(m.n, m.features(), m.x), IDs: IDs{Int: countFrom(1, m.n)}}
	var err error
	if d.Graph, err = e.build(opt); err != nil {
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

func parseMETIS(l *lineReader, g *guard) (*metisGraph, error) {
	l.max = maxAdjacencyLine
	m := &metisGraph{}
	header, ok := nextMETIS(l)
	for ok && isBlank(header) {
		header, ok = nextMETIS(l)
	}
	switch {
	case l.err != nil:
		return nil, l.err
	case !ok:
		return nil, l.errorf("no header: want the numbers of vertices and edges")
	}
	if err := m.parseHeader(l, header, g); err != nil {
		return nil, err
	}
	for v := range m.n {
		line, ok := nextMETIS(l)
		switch {
		case l.err != nil:
			return nil, l.err
		case !ok && v < m.n-1:
			return nil, l.errorf("the file ends after the lines of %d of %d vertices", v, m.n)
		}
		// The empty line of a last vertex without edges may lack its end.
		if err := m.parseVertex(l, int32(v), line); err != nil {
			return nil, err
		}
	}
	return m, m.parseEnd(l)
}

// nextMETIS returns the next line that is no comment.
func nextMETIS(l *lineReader) ([]byte, bool) {
	line, ok := l.next()
	for ok && len(line) > 0 && line[0] == '%' {
		line, ok = l.next()
	}
	return line, ok
}

func (m *metisGraph) parseHeader(l *lineReader, line []byte, g *guard) error {
	word := bytes.Fields(line)
	if len(word) < 2 || len(word) > 4 {
		return l.errorf("header %s: want vertices, edges and at most a format and the number of vertex weights", show(line))
	}
	n, ok := parseInt(word[0])
	if !ok || n < 0 {
		return l.errorf("number of vertices %s: want 0 or more", show(word[0]))
	}
	if m.edges, ok = parseInt(word[1]); !ok || m.edges < 0 {
		return l.errorf("number of edges %s: want 0 or more", show(word[1]))
	}
	if len(word) > 2 {
		if err := m.parseKind(l, word[2]); err != nil {
			return err
		}
	}
	if len(word) > 3 {
		k, ok := parseInt(word[3])
		if !ok || k < 1 || k > maxVertexWeights || m.constraints == 0 {
			return l.errorf("number of vertex weights %s: want 1 to %d, and a format whose second digit is 1", show(word[3]), maxVertexWeights)
		}
		m.constraints = int(k)
	}
	if err := g.counts(n, saturatedProduct(2, m.edges)); err != nil {
		return l.at(err)
	}
	m.n = int(n)
	return l.at(g.need("vertex ids", n, 8))
}

// parseKind reads the format's digits: sizes, vertex weights, edge weights.
func (m *metisGraph) parseKind(l *lineReader, word []byte) error {
	digits := append([]byte("00"), word...)
	for _, c := range digits {
		if c != '0' && c != '1' || len(word) > 3 {
			return l.errorf("format %s: want up to three digits 0 or 1 for sizes, vertex weights and edge weights", show(word))
		}
	}
	digits = digits[len(digits)-3:]
	m.sizes, m.weighted = digits[0] == '1', digits[2] == '1'
	if digits[1] == '1' {
		m.constraints = 1
	}
	return nil
}

func (m *metisGraph) parseVertex(l *lineReader, v int32, line []byte) error {
	w := words{rest: line}
	for i := range m.features() {
		field, ok := w.next()
		if !ok {
			return l.errorf("vertex %d has %d weights and sizes, want %d", v+1, i, m.features())
		}
		x, err := parseMETISWeight(l, field)
		if err != nil {
			return err
		}
		m.x = append(m.x, x)
	}
	for field, ok := w.next(); ok; field, ok = w.next() {
		if err := m.parseNeighbour(l, v, field); err != nil {
			return err
		}
		if !m.weighted {
			continue
		}
		if field, ok = w.next(); !ok {
			return l.errorf("the last neighbour of vertex %d has no edge weight", v+1)
		}
		x, err := parseMETISWeight(l, field)
		if err != nil {
			return err
		}
		m.weight = append(m.weight, x)
	}
	return nil
}

func (m *metisGraph) parseNeighbour(l *lineReader, v int32, field []byte) error {
	u, ok := parseInt(field)
	switch {
	case !ok:
		return l.errorf("neighbour %s of vertex %d is not an integer", show(field), v+1)
	case u < 1 || u > int64(m.n):
		return l.errorf("neighbour %d of vertex %d is out of range, want 1 to %d", u, v+1, m.n)
	case u == int64(v)+1:
		return l.errorf("vertex %d lists itself: METIS graphs have no loops", u)
	case int64(len(m.src)) == saturatedProduct(2, m.edges):
		return l.errorf("more neighbours than the header's %d edges have ends", m.edges)
	}
	m.src, m.dst = append(m.src, int32(u-1)), append(m.dst, v)
	return nil
}

// parseMETISWeight reads a weight. METIS wants integers of at least 0 for
// vertices and 1 for edges; any finite number does here.
func parseMETISWeight(l *lineReader, field []byte) (float32, error) {
	x, fault := realField(field)
	if fault != "" {
		return 0, l.errorf("weight %s %s", show(field), fault)
	}
	return x, nil
}

// parseEnd checks that nothing is missing and nothing follows.
func (m *metisGraph) parseEnd(l *lineReader) error {
	for line, ok := nextMETIS(l); ok; line, ok = nextMETIS(l) {
		if !isBlank(line) {
			return l.errorf("more lines than the header's %d vertices", m.n)
		}
	}
	if l.err != nil {
		return l.err
	}
	if int64(len(m.src)) != 2*m.edges {
		return l.errorf("%d neighbours in all, want two for each of the header's %d edges", len(m.src), m.edges)
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
