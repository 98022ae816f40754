package table

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/cells"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// edgePlan says which columns of the edge table are read for what, and holds
// the edges.
type edgePlan struct {
	table                  cells.Table
	source, target, weight int // columns; −1 for no weight
	features               []int
	list                   dataset.EdgeList

	dropped, added int64
	firstUnknown   string // what and where
}

// readEdges reads the edge table into the list and learns its feature columns.
func (r *reading) readEdges() error {
	spec := r.spec.Edges
	if spec.File == "" {
		return nil
	}
	e := &r.edges
	var err error
	if e.table, err = r.table(spec.File, spec.Delimiter, spec.Header); err != nil {
		return err
	}
	if err := r.planEdges(); err != nil {
		return err
	}
	wanted := []int{e.source, e.target}
	if e.weight >= 0 {
		wanted = append(wanted, e.weight)
	}
	var stats []*columnStats
	if r.learning() {
		wanted = append(wanted, e.features...)
		stats = newStats(e.table, e.features)
	}
	err = e.table.Scan(r.ctx, wanted, func(line int64, row []cells.Cell) error {
		kept, err := r.addEdge(row, line)
		if err != nil || !kept {
			return err
		}
		return addRow(e.table, stats, row[len(row)-len(stats):], line)
	})
	if err != nil {
		return err
	}
	r.unknownNotes()
	if !r.learning() {
		return nil
	}
	r.prep.Source, r.prep.Target, r.prep.Weight = e.table.Columns()[e.source], e.table.Columns()[e.target], spec.Weight
	e.features, r.prep.Edge, err = r.learnColumns(e.table, e.features, stats, true)
	return err
}

// planEdges finds the columns that the spec names.
func (r *reading) planEdges() error {
	e, spec := &r.edges, r.spec.Edges
	var err error
	if e.source, err = columnOr(e.table, spec.Source, 0, "source"); err != nil {
		return err
	}
	if e.target, err = columnOr(e.table, spec.Target, 1, "target"); err != nil {
		return err
	}
	if e.source == e.target {
		return fmt.Errorf("dataset: %s: column %q is both the source and the target", e.table.At(0), e.table.Columns()[e.source])
	}
	e.weight = -1
	if spec.Weight != "" {
		if e.weight, err = columnNamed(e.table, spec.Weight, "weight"); err != nil {
			return err
		}
	}
	if e.features, err = columnsNamed(e.table, spec.Features, "edge feature"); err != nil {
		return err
	}
	if unused := e.unused(); len(unused) > 0 && r.learning() {
		r.note("%s: not used: %s (--weight or features of edges in a description would use them)", filepath.Base(r.spec.Edges.File), someOf(unused))
	}
	return nil
}

// unused returns the columns that have no use.
func (e *edgePlan) unused() []string {
	var names []string
	for i, name := range e.table.Columns() {
		if i != e.source && i != e.target && i != e.weight && !slices.Contains(e.features, i) {
			names = append(names, name)
		}
	}
	return names
}

// edgeBytes is what an edge costs in the list.
const edgeBytes = 12

// addEdge lists the edge of one row, or leaves it out.
func (r *reading) addEdge(row []cells.Cell, line int64) (kept bool, err error) {
	e := &r.edges
	var ends [2]int32
	for i := range ends {
		v, known, err := r.end(row[i], line)
		if err != nil {
			return false, fmt.Errorf("dataset: %s: %w", e.table.At(line), err)
		}
		if !known {
			e.dropped++
			return false, nil
		}
		ends[i] = v
	}
	if err := r.guard.Need("edges", 1, edgeBytes); err != nil {
		return false, err
	}
	e.list.Src = append(e.list.Src, ends[0])
	e.list.Dst = append(e.list.Dst, ends[1])
	if e.weight >= 0 {
		w, ok := row[2].Number()
		if !ok || math.Abs(w) > math.MaxFloat32 {
			return false, fmt.Errorf("dataset: %s: weight %q is not a finite number", e.table.At(line), row[2])
		}
		e.list.Weight = append(e.list.Weight, float32(w))
	}
	return true, nil
}

// end returns the vertex that an edge's row names; false where it is to be left
// out.
func (r *reading) end(c cells.Cell, line int64) (v int32, known bool, err error) {
	if v, known = r.keys.find(c); known {
		return v, true, nil
	}
	if n, s, isInt := c.ID(); !isInt && s == "" && n == 0 {
		return 0, false, errBlankID
	}
	if r.spec.Vertices.File == "" {
		v, _, err = r.keys.add(c, line)
		return v, err == nil, err
	}
	if r.edges.firstUnknown == "" {
		r.edges.firstUnknown = fmt.Sprintf("%s at %s", c, r.edges.table.At(line))
	}
	switch r.spec.Unknown {
	case AddUnknown:
		r.edges.added++
		v, _, err = r.keys.add(c, line)
		return v, err == nil, err
	case DropUnknown:
		return 0, false, nil
	}
	return 0, false, dataset.Lacking(dataset.UnknownOption, "id %s is not in %s: add its row, or say what becomes of unknown ids", c, r.spec.Vertices.File)
}

func (r *reading) unknownNotes() {
	e := &r.edges
	if e.added > 0 {
		r.note("%d vertices added that only edges name, such as %s", e.added, e.firstUnknown)
	}
	if e.dropped > 0 {
		r.note("%d edges to unknown ids dropped, such as %s", e.dropped, e.firstUnknown)
	}
}

// buildGraph makes the graph of the listed edges, or one without any.
func (r *reading) buildGraph() error {
	e := &r.edges
	n := r.keys.len()
	e.list.Path, e.list.N = r.spec.Edges.File, n
	e.list.Undirected = r.spec.Edges.Direction != dataset.Directed
	e.list.Keep = len(r.prep.Edge) > 0
	if err := r.guard.Counts(int64(n), 2*int64(len(e.list.Src))); err != nil {
		return err
	}
	if e.table == nil {
		g, err := graph.FromCOO(n, nil, nil, nil, graph.Policy{})
		r.out.Graph = g
		return err
	}
	g, err := e.list.Build(r.opt)
	if err != nil {
		return err
	}
	r.out.Graph = g
	if unused := unusedRows(g, len(e.list.Src)); unused > 0 && e.weight >= 0 {
		r.note("%d edges repeat others: the first weight stays", unused)
	}
	if e.list.Keep && r.opt.Duplicates == dataset.LayoutDefault {
		r.note("edges have features: repeated ones are kept")
	}
	if r.learning() {
		r.prep.Directed = !r.opt.IsUndirected(e.list.Undirected)
	}
	if r.spec.Edges.Direction == dataset.AsStated && r.opt.Direction == dataset.AsStated && r.learning() {
		r.note("edges are taken both ways; --directed, or directed: true, keeps them from source to target")
	}
	return nil
}

// unusedRows counts the rows of the edge list that no arc of g came from.
func unusedRows(g *graph.Graph, rows int) int {
	if g.Listing == nil {
		return 0 // every row became the arc of its number
	}
	used := make([]bool, rows)
	for _, row := range g.Listing {
		if !used[row] {
			used[row] = true
			rows--
		}
	}
	return rows
}

// fillEdges makes the second pass over the edge table, for its features.
func (r *reading) fillEdges() error {
	e := &r.edges
	if len(r.prep.Edge) == 0 || e.table == nil {
		return nil
	}
	rows := len(e.list.Src)
	if err := r.guard.NeedMatrix("edge features", int64(rows), int64(width(r.prep.Edge)), 4); err != nil {
		return err
	}
	r.out.EdgeX = tensor.New(rows, width(r.prep.Edge))
	encoders := newEncoders(r.prep.Edge)
	i := 0
	wanted := append([]int{e.source, e.target}, e.features...)
	err := e.table.Scan(r.ctx, wanted, func(line int64, row []cells.Cell) error {
		if !r.knows(row[0]) || !r.knows(row[1]) {
			return nil // dropped before
		}
		if i == rows {
			return grown(e.table)
		}
		if err := putRow(encoders, r.out.EdgeX.Row(i), row[2:]); err != nil {
			return fmt.Errorf("dataset: %s: %w", e.table.At(line), err)
		}
		i++
		return nil
	})
	r.encoderNotes(encoders)
	if err == nil && i < rows {
		err = shrunk(e.table)
	}
	return err
}

func (r *reading) knows(c cells.Cell) bool {
	_, ok := r.keys.find(c)
	return ok
}
