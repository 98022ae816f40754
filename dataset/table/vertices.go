package table

import (
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/cells"
	"github.com/weft-gnn/weft/tensor"
)

// vertexPlan says which columns of the vertex table are read for what.
type vertexPlan struct {
	table            cells.Table
	id, label, split int // columns; −1 for none
	features         []int
	rows             int // vertices with a row; others were added for edges
}

// readVertices numbers the vertices and learns their columns.
func (r *reading) readVertices() error {
	v := &r.vertices
	v.label, v.split = -1, -1
	spec := r.spec.Vertices
	if spec.File == "" {
		return nil
	}
	var err error
	if v.table, err = r.table(spec.File, spec.Delimiter, spec.Header); err != nil {
		return err
	}
	if err := r.planVertices(); err != nil {
		return err
	}
	if r.learning() {
		r.prep.ID = v.table.Columns()[v.id]
	}
	return r.learnVertices()
}

// planVertices finds the columns that the spec names.
func (r *reading) planVertices() error {
	v, spec := &r.vertices, r.spec.Vertices
	var err error
	if v.id, err = columnOr(v.table, spec.ID, 0, "id"); err != nil {
		return err
	}
	switch {
	case spec.Label == "":
	case !r.learning() && spec.Label == r.prep.Label && !slices.Contains(v.table.Columns(), spec.Label):
		r.note("the table has no label column %q: all vertices are unlabelled", spec.Label)
	default:
		if v.label, err = columnNamed(v.table, spec.Label, "label"); err != nil {
			return err
		}
	}
	if r.spec.Split.Kind == dataset.ColumnSplit {
		if v.split, err = columnNamed(v.table, r.spec.Split.Column, "split"); err != nil {
			return err
		}
	}
	if spec.Features == nil {
		for i := range v.table.Columns() {
			if i != v.id && i != v.label && i != v.split {
				v.features = append(v.features, i)
			}
		}
		return nil
	}
	v.features, err = columnsNamed(v.table, spec.Features, "feature")
	return err
}

// learnVertices makes the first pass over the vertex table.
func (r *reading) learnVertices() error {
	v := &r.vertices
	wanted := []int{v.id}
	var label *labelStats
	var stats []*columnStats
	if r.learning() {
		if v.label >= 0 {
			wanted = append(wanted, v.label)
			label = newLabelStats(r.spec.Vertices.Label)
		}
		wanted = append(wanted, v.features...)
		stats = newStats(v.table, v.features)
	}
	err := v.table.Scan(r.ctx, wanted, func(line int64, row []cells.Cell) error {
		if err := r.newVertex(row[0], line); err != nil {
			return err
		}
		row = row[1:]
		if label != nil {
			if err := label.add(row[0], line); err != nil {
				return fmt.Errorf("dataset: %s: %w", v.table.At(line), err)
			}
			row = row[1:]
		}
		return addRow(v.table, stats, row, line)
	})
	if err != nil {
		return err
	}
	v.rows = r.keys.len()
	if !r.learning() {
		return nil
	}
	if v.features, r.prep.Vertex, err = r.learnColumns(v.table, v.features, stats, r.spec.Vertices.Features != nil); err != nil {
		return err
	}
	return r.learnLabel(label)
}

// newVertex numbers the vertex of one row of the vertex table.
func (r *reading) newVertex(id cells.Cell, line int64) error {
	t := r.vertices.table
	v, isNew, err := r.keys.add(id, line)
	if err != nil {
		return fmt.Errorf("dataset: %s: column %q: %w", t.At(line), t.Columns()[r.vertices.id], err)
	}
	if !isNew {
		return fmt.Errorf("dataset: %s: id %s stands at %s already", t.At(line), id, t.At(r.keys.lines[v]))
	}
	return nil
}

func (r *reading) learnLabel(label *labelStats) error {
	if label == nil {
		return nil
	}
	note, err := label.learn(r.vertices.table, r.prep)
	if err != nil {
		return err
	}
	r.prep.Label = label.name
	if note != "" {
		r.note("%s", note)
	}
	if label.missing > 0 {
		r.note("label %s: %d vertices are unlabelled", label.name, label.missing)
	}
	return nil
}

// fillVertices makes the second pass over the vertex table: features, labels
// and the split column.
func (r *reading) fillVertices() error {
	n := r.keys.len()
	if err := r.guard.NeedMatrix("features", int64(n), int64(width(r.prep.Vertex)), 4); err != nil {
		return err
	}
	r.out.X = tensor.New(n, width(r.prep.Vertex))
	labels := newLabeller(r.prep, n)
	v := &r.vertices
	encoders := newEncoders(r.prep.Vertex)[:len(v.features)]
	if v.table != nil {
		if err := r.encodeVertices(encoders, labels); err != nil {
			return err
		}
	}
	for i := v.rows; i < n; i++ {
		for _, e := range encoders {
			// A vertex without a row lacks every value.
			if err := e.put(r.out.X.Row(i), cells.Cell{}); err != nil {
				return fmt.Errorf("dataset: %w", err)
			}
		}
	}
	r.out.Labels = labels.out
	r.out.Notes = append(r.out.Notes, labels.notes()...)
	r.encoderNotes(encoders)
	return nil
}

func (r *reading) encodeVertices(encoders []*encoder, labels *labeller) error {
	v := &r.vertices
	wanted := slices.Clone(v.features)
	if v.label >= 0 {
		wanted = append(wanted, v.label)
	}
	if v.split >= 0 {
		wanted = append(wanted, v.split)
		r.marks = newSplitMarks(r.keys.len())
	}
	i := 0
	err := v.table.Scan(r.ctx, wanted, func(line int64, row []cells.Cell) error {
		if i == v.rows {
			return grown(v.table)
		}
		err := putRow(encoders, r.out.X.Row(i), row)
		rest := row[len(encoders):]
		if v.label >= 0 && err == nil {
			err = labels.put(i, rest[0])
			rest = rest[1:]
		}
		if v.split >= 0 {
			r.marks.put(int32(i), rest[0])
		}
		i++
		if err != nil {
			return fmt.Errorf("dataset: %s: %w", v.table.At(line), err)
		}
		return nil
	})
	if err == nil && i < v.rows {
		err = shrunk(v.table)
	}
	return err
}
