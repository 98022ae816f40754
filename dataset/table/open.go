package table

import (
	"context"
	"fmt"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/cells"
)

// Open reads the graph that spec describes. Vertices are numbered in the
// order of the vertex table, or that in which the edge table names them;
// Dataset.IDs keeps the user's identifiers. What was learnt is in Dataset.Prep.
//
// Cost: two passes over each table; memory for the result, the identifiers and
// 12 bytes per edge, never for the tables.
// Errors: what [Spec.Validate] finds, and the first fault of a table with
// its file and line: a blank or repeated id, an edge to an unknown one, a column
// that is not there or has too many categories, a number that is none.
func Open(ctx context.Context, spec Spec, opt dataset.Options) (*dataset.Dataset, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	spec = spec.withPrep()
	g := opt.Limits.Guard(spec.Name(), spec.size())
	r := &reading{ctx: ctx, spec: spec, opt: opt, guard: g, keys: &keyIndex{guard: g}}
	r.prep = &dataset.Prep{Task: spec.Task}
	if spec.Prep != nil {
		r.prep = spec.Prep
	}
	r.out = &dataset.Dataset{Name: spec.Name(), Prep: r.prep}
	for _, step := range []func() error{
		r.readVertices, r.readEdges, r.buildGraph, r.fillVertices, r.fillEdges, r.degrees, r.chooseTask, r.chooseSplit,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	r.out.IDs = r.keys.ids()
	if err := r.out.Validate(); err != nil {
		return nil, err
	}
	return r.out, nil
}

// reading is one reading of a user's tables.
type reading struct {
	ctx   context.Context
	spec  Spec
	opt   dataset.Options
	guard *budget.Guard
	keys  *keyIndex
	prep  *dataset.Prep
	out   *dataset.Dataset

	vertices vertexPlan
	edges    edgePlan
	marks    *splitMarks // what the split column says; nil without one
}

// learning reports whether columns are learnt, not taken from an earlier Prep.
func (r *reading) learning() bool { return r.spec.Prep == nil }

// table opens a table and takes over its notes.
func (r *reading) table(path string, delimiter rune, header Header) (cells.Table, error) {
	t, err := cells.Open(path, cells.Layout{Delimiter: delimiter, Header: header.text()}, r.guard)
	if err == nil {
		r.out.Notes = append(r.out.Notes, t.Notes()...)
	}
	return t, err
}

func (r *reading) note(format string, args ...any) {
	r.out.Notes = append(r.out.Notes, fmt.Sprintf(format, args...))
}

// chooseTask sets the task where neither the user nor a label did.
func (r *reading) chooseTask() error {
	if !r.learning() || r.prep.Task != dataset.NoTask {
		return nil
	}
	if r.spec.Edges.File == "" {
		r.note("no label: there is nothing to learn")
		return nil
	}
	r.prep.Task = dataset.LinkPrediction
	r.note("no label: the task is %v", dataset.LinkPrediction)
	return nil
}

func newStats(t cells.Table, columns []int) []*columnStats {
	stats := make([]*columnStats, len(columns))
	for i, c := range columns {
		stats[i] = newColumnStats(t.Columns()[c])
	}
	return stats
}

func addRow(t cells.Table, stats []*columnStats, row []cells.Cell, line int64) error {
	for i, s := range stats {
		if err := s.add(row[i], line); err != nil {
			return fmt.Errorf("dataset: %s: %w", t.At(line), err)
		}
	}
	return nil
}

// learnColumns ends the learning of columns. A column without a single value is
// left out, unless it was named.
func (r *reading) learnColumns(t cells.Table, columns []int, stats []*columnStats, named bool) ([]int, []dataset.PrepColumn, error) {
	kept, learnt := []int{}, []dataset.PrepColumn{}
	for i, s := range stats {
		if s.empty() {
			if named {
				return nil, nil, fmt.Errorf("dataset: %s: column %q has no values", t.At(0), s.name)
			}
			r.note("column %s has no values and is left out", s.name)
			continue
		}
		c, err := s.learn(t, r.spec.Scale)
		if err != nil {
			return nil, nil, err
		}
		kept, learnt = append(kept, columns[i]), append(learnt, c)
	}
	if len(learnt) > 0 {
		r.note("%s from %s", featuresOf(width(learnt)), describeColumns(learnt, r.spec.Scale))
	}
	return kept, learnt, nil
}

// featuresOf is "1 feature" or "7 features".
func featuresOf(n int) string {
	if n == 1 {
		return "1 feature"
	}
	return fmt.Sprintf("%d features", n)
}

// describeColumns says what became of columns: "age (standardised), city (3
// values)".
func describeColumns(columns []dataset.PrepColumn, scale Scaling) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		switch {
		case c.Kind == dataset.Category:
			parts[i] = fmt.Sprintf("%s (%d values)", c.Name, len(c.Values))
		case scale == Standardise:
			parts[i] = c.Name + " (standardised)"
		default:
			parts[i] = c.Name
		}
	}
	return someOf(parts)
}

// A table is read twice, and somebody may write it meanwhile.

func grown(t cells.Table) error {
	return fmt.Errorf("dataset: %s has more rows than when it was first read", t.At(0))
}

func shrunk(t cells.Table) error {
	return fmt.Errorf("dataset: %s has fewer rows than when it was first read", t.At(0))
}

func putRow(encoders []*encoder, to []float32, row []cells.Cell) error {
	for i, e := range encoders {
		if err := e.put(to, row[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) encoderNotes(encoders []*encoder) {
	for _, e := range encoders {
		r.out.Notes = append(r.out.Notes, e.notes()...)
	}
}
