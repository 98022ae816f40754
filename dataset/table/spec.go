// Package table makes graphs of users' own tables, CSV or Parquet files of
// vertices and edges with any identifiers. What is learnt of their columns is
// kept, so that a trained model can be applied to other tables.
package table

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/cells"
)

// Spec describes a graph in a user's own tables: CSV, TSV (gzip'ed or not)
// or Parquet files, one of vertices, one of edges, or both. [ReadSpec]
// reads one from a YAML file.
//
// Vertices alone are a graph without edges. Edges alone give the vertices that
// they name, with their degrees for features and links to be learnt.
//
// Numbers become one feature each, standardised; a column with text becomes one
// feature per value, if it has at most [MaxCategories]. A missing number is the
// column's mean, a missing category all zeros; a missing label is none. A cell is
// missing if it is blank, NA, N/A, NaN or null. Numbers are finite and decimal: in
// a column of numbers 1e400, inf or 0x10 is an error, with line and column.
type Spec struct {
	Vertices Vertices
	Edges    Edges
	// Task is what to learn. NoTask takes it from the label: vertex regression
	// if its values are numbers that are not whole, vertex classification
	// otherwise; without a label and with edges, link prediction.
	Task dataset.Task
	// Split of the labelled vertices; the zero value draws 60, 20 and 20 %.
	// The column of a ColumnSplit holds train, val and test, or whole numbers, the
	// folds: one split for each, that tests on it and validates on the next. A
	// FileSplit is a table of identifiers and the same, or of one word per line.
	// None is drawn where Prep is given, or where no vertex has a label then.
	Split   dataset.SplitSpec
	Unknown Unknown
	Scale   Scaling
	// Prep, where it is not nil, is what an earlier reading learnt: then Task,
	// Scale and the features come from it, so that a trained model can be
	// applied: Task and features that are named must be the same. A table without
	// the label column that was learnt is unlabelled.
	Prep *dataset.Prep
}

// Vertices describes a table with one row per vertex.
type Vertices struct {
	File string // "" for none
	ID   string // column of identifiers, any integers or texts; "" is the first
	// Features are the columns that become features; nil takes all that have no
	// other use, an empty list none. Without any, degrees are the features.
	Features  []string
	Label     string // column that is learnt; "" for none
	Delimiter rune   // of a text file; 0 detects it
	Header    Header
}

// Edges describes a table with one row per edge.
type Edges struct {
	File   string // "" for none
	Source string // column of the first end's identifier; "" is the first
	Target string // column of the second end's; "" is the second
	Weight string // column of weights; "" for none: every weight is 1
	// Features are the columns that become edge features.
	Features []string
	// Direction says whether an edge is one arc, source to target; AsStated is
	// both arcs.
	Direction dataset.Direction
	Delimiter rune
	Header    Header
}

// Unknown says what to do with an edge to an identifier that the vertex table
// lacks.
type Unknown int

// The policies.
const (
	RefuseUnknown Unknown = iota // an error that names the identifier and line
	AddUnknown                   // a vertex whose features and label are all missing
	DropUnknown                  // the edge is left out
)

// Validate checks what can be checked without reading the tables, and returns
// the first fault.
func (s Spec) Validate() error {
	if s.Vertices.File == "" && s.Edges.File == "" {
		return errors.New("dataset: neither a vertex table nor an edge table is given")
	}
	for _, check := range []func() error{s.validateTask, s.Vertices.validate, s.validateSplit, s.validatePrep} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (s Spec) validateTask() error {
	switch s.Task {
	case dataset.NoTask:
	case dataset.LinkPrediction:
		if s.Vertices.Label != "" {
			return fmt.Errorf("dataset: label %q is given, but the task is %v", s.Vertices.Label, s.Task)
		}
		if s.Edges.File == "" {
			return fmt.Errorf("dataset: task %v needs an edge table", s.Task)
		}
	case dataset.VertexClassification, dataset.VertexRegression:
		if s.Vertices.Label == "" && s.Prep == nil {
			return dataset.Lacking(dataset.LabelOption, "dataset: task %v needs a label column in the vertex table", s.Task)
		}
	default:
		return fmt.Errorf("dataset: task %v: tables hold one graph, so the task is one of %v, %v, %v", s.Task, dataset.VertexClassification, dataset.VertexRegression, dataset.LinkPrediction)
	}
	return nil
}

// validatePrep checks what was learnt earlier, and that the tables it needs are
// given.
func (s Spec) validatePrep() error {
	if s.Prep == nil {
		return nil
	}
	if needed := tableColumns(s.Prep.Vertex); len(needed) > 0 && s.Vertices.File == "" {
		return dataset.Lacking(dataset.VerticesOption, "dataset: the model was trained with the features %s: a vertex table is needed", someOf(needed))
	}
	if err := s.Prep.Validate(); err != nil {
		return err
	}
	if s.Task != dataset.NoTask && s.Task != s.Prep.Task {
		return fmt.Errorf("dataset: the model was trained for %v, not for %v", s.Prep.Task, s.Task)
	}
	if err := sameColumns("features", s.Vertices.Features, s.Prep.Vertex); err != nil {
		return err
	}
	return sameColumns("edge features", s.Edges.Features, s.Prep.Edge)
}

// sameColumns checks that columns, where some are named, are those that were
// learnt.
func sameColumns(what string, named []string, learnt []dataset.PrepColumn) error {
	want := tableColumns(learnt)
	if named == nil || slices.Equal(slices.Sorted(slices.Values(named)), slices.Sorted(slices.Values(want))) {
		return nil
	}
	has := "none"
	if len(want) > 0 {
		has = someOf(want)
	}
	return fmt.Errorf("dataset: the %s %s are named, but the model was trained with %s: leave them out", what, someOf(named), has)
}

func (v Vertices) validate() error {
	if v.File == "" && (v.Label != "" || v.ID != "" || len(v.Features) > 0) {
		return dataset.Lacking(dataset.VerticesOption, "dataset: columns of the vertex table are named, but no vertex table is given")
	}
	if v.Label != "" && slices.Contains(v.Features, v.Label) {
		return fmt.Errorf("dataset: column %q is both the label and a feature: the model would read the answer", v.Label)
	}
	return nil
}

func (s Spec) validateSplit() error {
	if err := s.Split.Validate(); err != nil {
		return err
	}
	if s.Split.Kind == dataset.ColumnSplit && s.Vertices.File == "" {
		return dataset.Lacking(dataset.VerticesOption, "dataset: split by column %q needs a vertex table", s.Split.Column)
	}
	if s.Split.Kind == dataset.ColumnSplit && slices.Contains(s.Vertices.Features, s.Split.Column) {
		return fmt.Errorf("dataset: column %q is both the split and a feature", s.Split.Column)
	}
	return nil
}

// withPrep fills the columns' names that are not given from what was learnt.
func (s Spec) withPrep() Spec {
	p := s.Prep
	if p == nil {
		return s
	}
	first := func(a *string, b string) {
		if *a == "" {
			*a = b
		}
	}
	if s.Vertices.File != "" {
		first(&s.Vertices.ID, p.ID)
		first(&s.Vertices.Label, p.Label)
		s.Vertices.Features = tableColumns(p.Vertex)
	}
	if s.Edges.File != "" {
		first(&s.Edges.Source, p.Source)
		first(&s.Edges.Target, p.Target)
		first(&s.Edges.Weight, p.Weight)
		s.Edges.Features = tableColumns(p.Edge)
		if s.Edges.Direction == dataset.AsStated && p.Directed {
			s.Edges.Direction = dataset.Directed
		}
	}
	s.Task = p.Task
	return s
}

// tableColumns returns the names of the columns that come from a table.
func tableColumns(columns []dataset.PrepColumn) []string {
	names := []string{}
	for _, c := range columns {
		if c.Kind == dataset.Numeric || c.Kind == dataset.Category {
			names = append(names, c.Name)
		}
	}
	return names
}

// resolve makes relative paths relative to folder dir.
func (s *Spec) resolve(dir string) {
	for _, path := range s.paths() {
		if !filepath.IsAbs(*path) {
			*path = filepath.Join(dir, *path)
		}
	}
}

// size returns the bytes of the tables on disk, 0 for those that are missing.
func (s Spec) size() int64 {
	var sum int64
	for _, path := range []string{s.Vertices.File, s.Edges.File} {
		if fi, err := os.Stat(path); err == nil {
			sum += fi.Size()
		}
	}
	return sum
}

// Name returns what the set is called: its first table without extension.
func (s Spec) Name() string {
	if s.Vertices.File != "" {
		return dataset.Stem(filepath.Base(s.Vertices.File))
	}
	return dataset.Stem(filepath.Base(s.Edges.File))
}

// width returns the number of features that the columns become together.
func width(columns []dataset.PrepColumn) int {
	w := 0
	for _, c := range columns {
		w += c.Width()
	}
	return w
}

// Header says whether the first line of a text table names its columns.
type Header int

// The choices. DetectHeader takes a first line of nothing but numbers for data.
const (
	DetectHeader Header = iota
	WithHeader
	WithoutHeader // the columns are called 1, 2, …
)

// Absolute returns the description with absolute paths, so that it means the
// same in another folder.
func (s Spec) Absolute() (Spec, error) {
	for _, path := range s.paths() {
		abs, err := filepath.Abs(*path)
		if err != nil {
			return s, fmt.Errorf("dataset: %w", err)
		}
		*path = abs
	}
	return s, nil
}

// paths returns the paths of files that the description has.
func (s *Spec) paths() []*string {
	var out []*string
	for _, path := range []*string{&s.Vertices.File, &s.Edges.File, &s.Split.File} {
		if *path != "" && !cells.IsURL(*path) {
			out = append(out, path)
		}
	}
	return out
}
