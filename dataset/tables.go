package dataset

import (
	"context"
	"fmt"
)

// OpenTables reads the graph that spec describes. Vertices are numbered in the
// order of the vertex table, or that in which the edge table names them;
// Dataset.IDs keeps the user's identifiers. What was learnt is in Dataset.Prep.
//
// Cost: two passes over each table; memory for the result, the identifiers and
// 12 bytes per edge, never for the tables.
// Errors: what [TableSpec.Validate] finds, and the first fault of a table with
// its file and line: a blank or repeated id, an edge to an unknown one, a column
// that is not there or has too many categories, a number that is none.
func OpenTables(ctx context.Context, spec TableSpec, opt Options) (*Dataset, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	spec = spec.withPrep()
	g := opt.Limits.guard(spec.name(), spec.size())
	r := &tableRead{ctx: ctx, spec: spec, opt: opt, guard: g, keys: &keyIndex{guard: g}}
	r.prep = &Prep{Task: spec.Task}
	if spec.Prep != nil {
		r.prep = spec.Prep
	}
	r.out = &Dataset{Name: spec.name(), Prep: r.prep}
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

// tableRead is one reading of a user's tables.
type tableRead struct {
	ctx   context.Context
	spec  TableSpec
	opt   Options
	guard *guard
	keys  *keyIndex
	prep  *Prep
	out   *Dataset

	vertices vertexPlan
	edges    edgePlan
	marks    *splitMarks // what the split column says; nil without one
}

// learning reports whether columns are learnt, not taken from an earlier Prep.
func (r *tableRead) learning() bool { return r.spec.Prep == nil }

// table opens a table and takes over its notes.
func (r *tableRead) table(path string, delimiter rune, header Header) (table, error) {
	t, err := openTable(path, textLayout{delimiter, header.text()}, r.guard)
	if err == nil {
		r.out.Notes = append(r.out.Notes, t.notes()...)
	}
	return t, err
}

func (r *tableRead) note(format string, args ...any) {
	r.out.Notes = append(r.out.Notes, fmt.Sprintf(format, args...))
}

// chooseTask sets the task where neither the user nor a label did.
func (r *tableRead) chooseTask() error {
	if !r.learning() || r.prep.Task != NoTask {
		return nil
	}
	if r.spec.Edges.File == "" {
		r.note("no label: there is nothing to learn")
		return nil
	}
	r.prep.Task = LinkPrediction
	r.note("no label: the task is %v", LinkPrediction)
	return nil
}

func newStats(t table, columns []int) []*columnStats {
	stats := make([]*columnStats, len(columns))
	for i, c := range columns {
		stats[i] = newColumnStats(t.columns()[c])
	}
	return stats
}

func addRow(t table, stats []*columnStats, row []cell, line int64) error {
	for i, s := range stats {
		if err := s.add(row[i], line); err != nil {
			return fmt.Errorf("dataset: %s: %w", t.at(line), err)
		}
	}
	return nil
}

// learnColumns ends the learning of columns. A column without a single value is
// left out, unless it was named.
func (r *tableRead) learnColumns(t table, columns []int, stats []*columnStats, named bool) ([]int, []PrepColumn, error) {
	kept, learnt := []int{}, []PrepColumn{}
	for i, s := range stats {
		if s.empty() {
			if named {
				return nil, nil, fmt.Errorf("dataset: %s: column %q has no values", t.at(0), s.name)
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
		r.note("%d features from %s", width(learnt), describeColumns(learnt, r.spec.Scale))
	}
	return kept, learnt, nil
}

// describeColumns says what became of columns: "age (standardised), city (3
// values)".
func describeColumns(columns []PrepColumn, scale Scaling) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		switch {
		case c.Kind == Category:
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

func grown(t table) error {
	return fmt.Errorf("dataset: %s has more rows than when it was first read", t.at(0))
}

func shrunk(t table) error {
	return fmt.Errorf("dataset: %s has fewer rows than when it was first read", t.at(0))
}

func putRow(encoders []*encoder, to []float32, row []cell) error {
	for i, e := range encoders {
		if err := e.put(to, row[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *tableRead) encoderNotes(encoders []*encoder) {
	for _, e := range encoders {
		r.out.Notes = append(r.out.Notes, e.notes()...)
	}
}
