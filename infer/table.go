package infer

import (
	"fmt"
	"strconv"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/tensor"
)

// Table is a result with a row per vertex, under the users' own ids.
type Table struct {
	IDs dataset.IDs
	// Class, where not nil, is a column called "prediction" of texts: those of
	// Classes with these numbers.
	Class   []int32
	Classes []string
	// Values has a column for each of Names.
	Names  []string
	Values tensor.Matrix
}

// Table lays a prediction out: the columns prob_<class>, or prob_<number> for
// targets that do not exclude each other, or value_<number>, one target being
// called value.
func (p *Prediction) Table(ids dataset.IDs) *Table {
	t := &Table{IDs: ids, Class: p.Class, Classes: p.Classes, Values: p.Probability}
	if p.Value.Cols > 0 {
		t.Values, t.Names = p.Value, numbered("value_", p.Value.Cols)
		if p.Value.Cols == 1 {
			t.Names = []string{"value"}
		}
		return t
	}
	if p.Class == nil {
		t.Names = numbered("prob_", t.Values.Cols)
		return t
	}
	for _, c := range p.Classes {
		t.Names = append(t.Names, "prob_"+c)
	}
	return t
}

// EmbeddingTable lays an embedding out: the columns h_0, h_1, ….
func EmbeddingTable(h tensor.Matrix, ids dataset.IDs) *Table {
	return &Table{IDs: ids, Names: numbered("h_", h.Cols), Values: h}
}

func numbered(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = prefix + strconv.Itoa(i)
	}
	return names
}

// Columns returns the names of all columns, the id's first.
func (t *Table) Columns() []string {
	names := []string{"id"}
	if t.Class != nil {
		names = append(names, "prediction")
	}
	return append(names, t.Names...)
}

// intID returns the integer that names vertex v; ids must not be texts.
func (t *Table) intID(v int) int64 {
	if t.IDs.Int != nil {
		return t.IDs.Int[v]
	}
	return int64(v)
}

// Validate checks that the parts have a row per vertex and names for columns.
func (t *Table) Validate() error {
	n := t.Values.Rows
	switch {
	case len(t.Names) != t.Values.Cols:
		return fmt.Errorf("infer: %d names for %d columns", len(t.Names), t.Values.Cols)
	case t.Class != nil && len(t.Class) != n,
		t.IDs.Int != nil && len(t.IDs.Int) != n,
		t.IDs.Text != nil && len(t.IDs.Text) != n:
		return fmt.Errorf("infer: %d predictions, %d ids for %d rows", len(t.Class), max(len(t.IDs.Int), len(t.IDs.Text)), n)
	}
	return nil
}
