package model

import (
	"encoding/json"
	"fmt"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// Saved is a trained model: all that is needed to apply it, also to data that
// training did not see. It is one safetensors file, its description in the
// header's metadata.
type Saved struct {
	Model   string  `json:"model"`
	Options Options `json:"options"`
	// Features and Out are the numbers of columns it reads and gives.
	Features int          `json:"features"`
	Out      int          `json:"out"`
	Loss     Loss         `json:"loss"`
	Task     dataset.Task `json:"task"`
	// Classes are the label names, in the order of the columns it gives.
	Classes []string `json:"classes,omitempty"`
	// Targets says how the targets of a regression were scaled; nil for classes.
	Targets []Scaling `json:"targets,omitempty"`
	// RowNormalize says that feature rows are divided by their sums first.
	RowNormalize bool `json:"row_normalize,omitempty"`
	// Storage is how features and activations are kept, as in training.
	Storage program.Storage `json:"storage,omitempty"`
	// Degrees says that the data had no features and log(1 + in-degree) took
	// their place.
	Degrees bool `json:"degrees,omitempty"`
	// Prep is what preprocessing learnt from a user's tables.
	Prep *dataset.Prep `json:"prep,omitempty"`
	// Epoch is the epoch whose weights these are, from 0.
	Epoch int    `json:"epoch"`
	Data  string `json:"data"`
	Seed  uint64 `json:"seed"`
	// Weights are the parameters by name.
	Weights map[string]tensor.Matrix `json:"-"`
}

// metadataKey is where a safetensors file holds the description.
const metadataKey = "weft"

// Write writes the model to a file, whole or not at all.
func (s *Saved) Write(path string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("model: %w", err)
	}
	return tensor.WriteSafetensors(path, s.Weights, map[string]string{"format": "pt", metadataKey: string(text)})
}

// ReadSaved reads a model that Write wrote, one of All or of the caller's own.
//
// Errors: a file that is no safetensors file, was not written by weft, or lacks
// a parameter or holds one of another shape or with a value that is not finite.
func ReadSaved(path string, own ...Model) (*Saved, error) {
	weights, meta, err := tensor.ReadSafetensors(path)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	text, ok := meta[metadataKey]
	if !ok {
		return nil, fmt.Errorf("model: %s was not written by weft: its metadata has no %q", path, metadataKey)
	}
	s := &Saved{Weights: weights}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		return nil, fmt.Errorf("model: %s: metadata: %w", path, err)
	}
	return s, s.check(path, own)
}

// check compares the weights with what the model declares.
func (s *Saved) check(path string, own []Model) error {
	m, err := ByName(s.Model, own...)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := validTargets(s.Targets, s.Out); err != nil {
		return fmt.Errorf("model: %s: %w", path, err)
	}
	p, err := m.Declare(NamedWidths(s.Features, s.Out, s.Options), s.Options)
	if err != nil {
		return fmt.Errorf("model: %s: %w", path, err)
	}
	for name, of := range p.ParamTypes() {
		w, ok := s.Weights[name]
		if !ok {
			return fmt.Errorf("model: %s lacks the parameter %q", path, name)
		}
		if w.Rows != of.Rows.N || w.Cols != of.Cols.N {
			return fmt.Errorf("model: %s: parameter %q is %v, want %d×%d", path, name, w, of.Rows.N, of.Cols.N)
		}
		if row, col, found := w.NonFinite(); found {
			return fmt.Errorf("model: %s: parameter %q is %v in row %d, column %d", path, name, w.Row(row)[col], row, col)
		}
	}
	return nil
}
