package dataset

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

var directionNames = [...]string{AsStated: "stated", Directed: "directed", Undirected: "undirected"}

// String returns the direction's text.
func (d Direction) String() string { return directionNames[d] }

// MarshalText writes the direction's text.
func (d Direction) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (d *Direction) UnmarshalText(text []byte) error {
	i := slices.Index(directionNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("dataset: direction %q is not one of %s", text, strings.Join(directionNames[:], ", "))
	}
	*d = Direction(i)
	return nil
}

// splitForms are the texts of splits, for errors and help texts.
const splitForms = "random:TRAIN,VAL,TEST[:SEED] (shares), per-class:TRAIN,VAL,TEST[:SEED] (counts), column:NAME, file:PATH, or the name of one of the set's own splits"

// MarshalText writes the split as the command line takes it, such as
// "random:0.6,0.2,0.2:1"; the set's first own split is the empty text.
func (s SplitSpec) MarshalText() ([]byte, error) {
	var text string
	switch s.Kind {
	case OwnSplit:
		text = s.Name
	case RandomSplit:
		text = fmt.Sprintf("random:%g,%g,%g:%d", s.Fractions[0], s.Fractions[1], s.Fractions[2], s.Seed)
	case PerClassSplit:
		text = fmt.Sprintf("per-class:%d,%d,%d:%d", s.PerClass, s.Val, s.Test, s.Seed)
	case ColumnSplit:
		text = "column:" + s.Column
	case FileSplit:
		text = "file:" + s.File
	default:
		return nil, fmt.Errorf("dataset: split: unknown kind %d", s.Kind)
	}
	return []byte(text), nil
}

// IsZero reports whether the split is the set's first own one: then files leave
// it out.
func (s SplitSpec) IsZero() bool { return s == SplitSpec{} }

// UnmarshalText reads a split:
//
//	random:0.6,0.2,0.2         shares of the labelled items
//	random:0.6,0.2,0.2:7       the same, drawn with seed 7 instead of 0
//	per-class:20,500,1000      20 of each class, then 500 and 1000 of the others
//	column:fold                what a column of the vertex table says
//	file:parts.csv             a word per item, or a table of ids and words
//	public                     one of the set's own splits, by its name
//
// Errors: numbers that are none, or that the kind refuses.
func (s *SplitSpec) UnmarshalText(text []byte) error {
	kind, rest, found := strings.Cut(string(text), ":")
	out := SplitSpec{}
	var err error
	switch {
	case found && kind == "random":
		out.Kind = RandomSplit
		out.Seed, err = splitNumbers(rest, func(w []string) (err error) {
			for i := 0; i < len(w) && err == nil; i++ {
				out.Fractions[i], err = strconv.ParseFloat(w[i], 64)
			}
			return err
		})
	case found && kind == "per-class":
		out.Kind = PerClassSplit
		out.Seed, err = splitNumbers(rest, func(w []string) (err error) {
			for i, to := range []*int{&out.PerClass, &out.Val, &out.Test} {
				if err == nil {
					*to, err = strconv.Atoi(w[i])
				}
			}
			return err
		})
	case found && kind == "column":
		out.Kind, out.Column = ColumnSplit, rest
	case found && kind == "file":
		out.Kind, out.File = FileSplit, rest
	default:
		out.Name = string(text)
	}
	if err != nil {
		return fmt.Errorf("dataset: split %q: want %s", text, splitForms)
	}
	if err := out.Validate(); err != nil {
		return err
	}
	*s = out
	return nil
}

// splitNumbers reads "a,b,c" or "a,b,c:seed".
func splitNumbers(text string, read func(words []string) error) (seed uint64, err error) {
	numbers, last, found := strings.Cut(text, ":")
	if found {
		if seed, err = strconv.ParseUint(last, 10, 64); err != nil {
			return 0, err
		}
	}
	words := strings.Split(numbers, ",")
	if len(words) != 3 {
		return 0, fmt.Errorf("%d numbers, want 3", len(words))
	}
	return seed, read(words)
}

// specText is a TableSpec under the keys that [ReadTableSpec] reads.
type specText struct {
	Vertices *vertexText `yaml:"vertices,omitempty" json:"vertices,omitempty"`
	Edges    *edgeText   `yaml:"edges,omitempty" json:"edges,omitempty"`
	Task     string      `yaml:"task,omitempty" json:"task,omitempty"`
	Split    *splitText  `yaml:"split,omitempty" json:"split,omitempty"`
	Unknown  string      `yaml:"unknown,omitempty" json:"unknown,omitempty"`
	Scale    string      `yaml:"scale,omitempty" json:"scale,omitempty"`
}

type vertexText struct {
	File      string    `yaml:"file" json:"file"`
	ID        string    `yaml:"id,omitempty" json:"id,omitempty"`
	Features  *[]string `yaml:"features,omitempty" json:"features,omitempty"`
	Label     string    `yaml:"label,omitempty" json:"label,omitempty"`
	Delimiter quoted    `yaml:"delimiter,omitempty" json:"delimiter,omitempty"`
	Header    *bool     `yaml:"header,omitempty" json:"header,omitempty"`
}

type edgeText struct {
	File      string   `yaml:"file" json:"file"`
	Source    string   `yaml:"source,omitempty" json:"source,omitempty"`
	Target    string   `yaml:"target,omitempty" json:"target,omitempty"`
	Weight    string   `yaml:"weight,omitempty" json:"weight,omitempty"`
	Features  []string `yaml:"features,omitempty" json:"features,omitempty"`
	Directed  *bool    `yaml:"directed,omitempty" json:"directed,omitempty"`
	Delimiter quoted   `yaml:"delimiter,omitempty" json:"delimiter,omitempty"`
	Header    *bool    `yaml:"header,omitempty" json:"header,omitempty"`
}

type splitText struct {
	Random *[3]float64 `yaml:"random,omitempty" json:"random,omitempty"`
	Column string      `yaml:"column,omitempty" json:"column,omitempty"`
	File   string      `yaml:"file,omitempty" json:"file,omitempty"`
	Seed   uint64      `yaml:"seed,omitempty" json:"seed,omitempty"`
}

// text returns the description's keys and values. What preprocessing learnt is
// not among them: it lies with the model.
func (s TableSpec) text() (specText, error) {
	out := specText{Vertices: s.Vertices.text(), Edges: s.Edges.text()}
	if s.Task != NoTask {
		out.Task = s.Task.String()
	}
	switch s.Split.Kind {
	case OwnSplit:
		if s.Split.Seed != 0 {
			out.Split = &splitText{Seed: s.Split.Seed}
		}
	case RandomSplit:
		out.Split = &splitText{Random: &s.Split.Fractions, Seed: s.Split.Seed}
	case ColumnSplit:
		out.Split = &splitText{Column: s.Split.Column}
	case FileSplit:
		out.Split = &splitText{File: s.Split.File}
	default:
		return out, fmt.Errorf("dataset: a description of tables has no key for this split: it goes beside them")
	}
	out.Unknown = [...]string{RefuseUnknown: "", AddUnknown: "add", DropUnknown: "drop"}[s.Unknown]
	if s.Scale == Unscaled {
		out.Scale = "none"
	}
	return out, nil
}

func (v VertexTable) text() *vertexText {
	if v.File == "" {
		return nil
	}
	out := &vertexText{File: v.File, ID: v.ID, Label: v.Label, Delimiter: delimiterText(v.Delimiter), Header: v.Header.text()}
	if v.Features != nil {
		out.Features = &v.Features
	}
	return out
}

func (e EdgeTable) text() *edgeText {
	if e.File == "" {
		return nil
	}
	out := &edgeText{
		File: e.File, Source: e.Source, Target: e.Target, Weight: e.Weight, Features: e.Features,
		Delimiter: delimiterText(e.Delimiter), Header: e.Header.text(),
	}
	if e.Direction != AsStated {
		directed := e.Direction == Directed
		out.Directed = &directed
	}
	return out
}

func (h Header) text() *bool {
	if h == DetectHeader {
		return nil
	}
	with := h == WithHeader
	return &with
}

// quoted is a text that is written in double quotes: go-yaml writes a tab
// bare.
type quoted string

// MarshalYAML writes the text in quotes.
func (q quoted) MarshalYAML() ([]byte, error) { return []byte(strconv.Quote(string(q))), nil }

func delimiterText(r rune) quoted {
	if r == 0 {
		return ""
	}
	return quoted(r)
}

// MarshalYAML writes the description as [ReadTableSpec] reads it.
func (s TableSpec) MarshalYAML() (any, error) { return s.text() }

// MarshalJSON writes the same keys.
func (s TableSpec) MarshalJSON() ([]byte, error) {
	text, err := s.text()
	if err != nil {
		return nil, err
	}
	return json.Marshal(text)
}

// UnmarshalYAML reads what MarshalYAML writes; relative paths stay so.
func (s *TableSpec) UnmarshalYAML(text []byte) error {
	spec, err := parseTableSpec("tables", text)
	*s = spec
	return err
}
