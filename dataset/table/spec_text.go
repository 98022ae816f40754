package table

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/weft-gnn/weft/dataset"
)

// specText is a Spec under the keys that [ReadSpec] reads.
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
func (s Spec) text() (specText, error) {
	out := specText{Vertices: s.Vertices.text(), Edges: s.Edges.text()}
	if s.Task != dataset.NoTask {
		out.Task = s.Task.String()
	}
	switch s.Split.Kind {
	case dataset.OwnSplit:
		if s.Split.Seed != 0 {
			out.Split = &splitText{Seed: s.Split.Seed}
		}
	case dataset.RandomSplit:
		out.Split = &splitText{Random: &s.Split.Fractions, Seed: s.Split.Seed}
	case dataset.ColumnSplit:
		out.Split = &splitText{Column: s.Split.Column}
	case dataset.FileSplit:
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

func (v Vertices) text() *vertexText {
	if v.File == "" {
		return nil
	}
	out := &vertexText{File: v.File, ID: v.ID, Label: v.Label, Delimiter: delimiterText(v.Delimiter), Header: v.Header.text()}
	if v.Features != nil {
		out.Features = &v.Features
	}
	return out
}

func (e Edges) text() *edgeText {
	if e.File == "" {
		return nil
	}
	out := &edgeText{
		File: e.File, Source: e.Source, Target: e.Target, Weight: e.Weight, Features: e.Features,
		Delimiter: delimiterText(e.Delimiter), Header: e.Header.text(),
	}
	if e.Direction != dataset.AsStated {
		directed := e.Direction == dataset.Directed
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

// MarshalYAML writes the description as [ReadSpec] reads it.
func (s Spec) MarshalYAML() (any, error) { return s.text() }

// MarshalJSON writes the same keys.
func (s Spec) MarshalJSON() ([]byte, error) {
	text, err := s.text()
	if err != nil {
		return nil, err
	}
	return json.Marshal(text)
}

// UnmarshalYAML reads what MarshalYAML writes; relative paths stay so.
func (s *Spec) UnmarshalYAML(text []byte) error {
	spec, err := parseSpec("tables", text)
	*s = spec
	return err
}
