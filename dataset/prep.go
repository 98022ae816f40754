package dataset

import (
	"errors"
	"fmt"
	"math"
)

// Prep is what preprocessing learnt from a user's tables. It is plain data,
// saved with the model as JSON or YAML, so that the same columns of another
// table become the same features: see table.Spec.Prep.
//
// A numeric cell x of a column becomes (x − Mean) / Scale, a missing one 0, the
// mean's place, when Fill is Mean. A category becomes len(Values) columns, of
// which the one of its value is 1.
type Prep struct {
	// ID names the vertex table's column of identifiers; empty where the
	// vertices were taken from the edge table alone.
	ID string `json:"id,omitempty" yaml:"id,omitempty"`
	// Label names the vertex table's column that is learnt; empty for none.
	Label string `json:"label,omitempty" yaml:"label,omitempty"`
	Task  Task   `json:"task" yaml:"task"`
	// Classes are the label values in the order of their class numbers; nil
	// for regression.
	Classes []string `json:"classes,omitempty" yaml:"classes,omitempty"`
	// Source, Target and Weight name the edge table's columns.
	Source string `json:"source,omitempty" yaml:"source,omitempty"`
	Target string `json:"target,omitempty" yaml:"target,omitempty"`
	Weight string `json:"weight,omitempty" yaml:"weight,omitempty"`
	// Directed says that an edge is one arc, source to target, not two.
	Directed bool `json:"directed" yaml:"directed"`
	// Vertex and Edge list the columns that became features, in the order in
	// which they fill Dataset.X and Dataset.EdgeX.
	Vertex []PrepColumn `json:"vertex" yaml:"vertex"`
	Edge   []PrepColumn `json:"edge,omitempty" yaml:"edge,omitempty"`
}

// PrepColumn is what was learnt about one column of a table.
type PrepColumn struct {
	// Name is the column's header; empty for degrees.
	Name string     `json:"name,omitempty" yaml:"name,omitempty"`
	Kind ColumnKind `json:"kind" yaml:"kind"`
	// Fill replaces a missing number, before scaling.
	Fill float64 `json:"fill,omitempty" yaml:"fill,omitempty"`
	// Mean and Scale map a number x to (x − Mean) / Scale; 0 and 1 leave it.
	Mean  float64 `json:"mean,omitempty" yaml:"mean,omitempty"`
	Scale float64 `json:"scale,omitempty" yaml:"scale,omitempty"`
	// Values are a category's texts, one feature each.
	Values []string `json:"values,omitempty" yaml:"values,omitempty"`
}

// ColumnKind says how a column became features.
type ColumnKind int

// The kinds of columns.
const (
	Numeric   ColumnKind = iota // one feature: the scaled number
	Category                    // one feature per known value
	InDegree                    // one feature: log(1 + in-degree), scaled; no column of a table
	OutDegree                   // one feature: log(1 + out-degree), scaled; no column of a table
)

var columnKindTexts = texts{"column kind", []string{
	Numeric: "numeric", Category: "category", InDegree: "in-degree", OutDegree: "out-degree",
}}

func (k ColumnKind) String() string { return columnKindTexts.of(int(k)) }

// MarshalText writes the kind's text. Errors: the value names no kind.
func (k ColumnKind) MarshalText() ([]byte, error) { return columnKindTexts.marshal(int(k)) }

// UnmarshalText reads what MarshalText writes. Errors: any other text; the
// error lists what is accepted.
func (k *ColumnKind) UnmarshalText(text []byte) error {
	v, err := columnKindTexts.unmarshal(text)
	if err == nil {
		*k = ColumnKind(v)
	}
	return err
}

// Width returns the number of features the column becomes.
func (c PrepColumn) Width() int {
	if c.Kind == Category {
		return len(c.Values)
	}
	return 1
}

// Scaled returns the feature of the number x.
func (c PrepColumn) Scaled(x float64) float32 {
	return float32((x - c.Mean) / c.Scale)
}

// Validate checks a Prep that was read from a file.
//
// Errors: the first of a number that is not finite, a scale that is not
// positive, a value, class or column that is listed twice, a column without a
// name.
func (p *Prep) Validate() error {
	if !taskTexts.has(int(p.Task)) {
		return fmt.Errorf("dataset: preprocessing: no task has the number %d", int(p.Task))
	}
	if err := distinct(p.Classes); err != nil {
		return fmt.Errorf("dataset: preprocessing: classes: %w", err)
	}
	if err := validateColumns(p.Vertex); err != nil {
		return fmt.Errorf("dataset: preprocessing: vertex %w", err)
	}
	if err := validateColumns(p.Edge); err != nil {
		return fmt.Errorf("dataset: preprocessing: edge %w", err)
	}
	return nil
}

func validateColumns(columns []PrepColumn) error {
	var names []string
	for i, c := range columns {
		if err := c.Validate(); err != nil {
			return fmt.Errorf("column %d %q: %w", i, c.Name, err)
		}
		if c.Name != "" {
			names = append(names, c.Name)
		}
	}
	if err := distinct(names); err != nil {
		return fmt.Errorf("columns: %w", err)
	}
	return nil
}

// Validate checks one column.
func (c PrepColumn) Validate() error {
	fromTable := c.Kind == Numeric || c.Kind == Category
	switch {
	case !columnKindTexts.has(int(c.Kind)):
		return fmt.Errorf("no column kind has the number %d", int(c.Kind))
	case fromTable && c.Name == "":
		return errors.New("it has no name")
	case c.Kind == Category:
		return distinct(c.Values)
	case !finite(c.Fill) || !finite(c.Mean):
		return fmt.Errorf("fill %v and mean %v must be finite", c.Fill, c.Mean)
	case !finite(c.Scale) || c.Scale <= 0:
		return fmt.Errorf("scale %v must be a positive number", c.Scale)
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// distinct checks that no text is listed twice.
func distinct(texts []string) error {
	seen := make(map[string]bool, len(texts))
	for _, text := range texts {
		if seen[text] {
			return fmt.Errorf("%q is listed twice", text)
		}
		seen[text] = true
	}
	return nil
}
