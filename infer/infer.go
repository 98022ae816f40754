// Package infer applies trained models: it scores them, predicts, and returns
// what their hidden layers make of each vertex.
//
// A model runs over all vertices at once, layer by layer, or as a [Prepared] one
// over those around a single vertex, with the same result. Every vertex has all
// of its neighbours: nothing is sampled, and the result is a function of the
// weights and the data alone.
package infer

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/tensor"
)

// Model is a trained model. It is read only: goroutines may share one.
type Model struct {
	// Saved is what training kept. It must not be changed.
	Saved *model.Saved
	// Path is the file it was read from.
	Path string

	declared model.Model
	threads  int
}

// modelFile is the model in a run directory.
const modelFile = "model.safetensors"

// Load reads the model of a run directory, or a model file. It will run on so
// many threads; 0 stands for 1, and the results do not depend on it. own are
// the caller's models, beside those of package model.
//
// Errors: no such file, or one that holds no model that weft can run.
func Load(path string, threads int, own ...model.Model) (*Model, error) {
	if fi, err := os.Stat(path); err == nil && fi.IsDir() {
		path = filepath.Join(path, modelFile)
	}
	s, err := model.ReadSaved(path, own...)
	if err != nil {
		return nil, fmt.Errorf("infer: %w", err)
	}
	m, err := model.ByName(s.Model, own...)
	if err != nil {
		return nil, fmt.Errorf("infer: %s: %w", path, err)
	}
	return &Model{Saved: s, Path: path, declared: m, threads: threads}, nil
}

// features returns what the model reads of a set.
//
// Errors: another number of features than it was trained with; one that is NaN
// or infinite.
func (m *Model) features(d *dataset.Dataset) (tensor.Matrix, error) {
	s := m.Saved
	switch {
	case s.Degrees:
		return model.Degrees(d.Graph), nil
	case d.X.Cols != s.Features:
		return tensor.Matrix{}, fmt.Errorf("infer: %s has %d features per vertex, the model reads %d: it was trained on %s", d.Name, d.X.Cols, s.Features, s.Data)
	}
	x := model.Features(d, s.RowNormalize)
	if err := model.CheckFeatures(d, x); err != nil {
		return tensor.Matrix{}, fmt.Errorf("infer: %w", err)
	}
	return x, nil
}

// declaration is one of a model's programs.
type declaration func(model.Widths, model.Options) (*program.Program, error)

// compile compiles a declaration for a set, and returns what it reads of it.
func (m *Model) compile(d *dataset.Dataset, declare declaration) (*program.Program, tensor.Matrix, error) {
	x, err := m.features(d)
	if err != nil {
		return nil, x, err
	}
	p, err := declare(model.NamedWidths(m.Saved.Features, m.Saved.Out, m.Saved.Options), m.Saved.Options)
	if err != nil {
		return nil, x, fmt.Errorf("infer: %w", err)
	}
	f := program.Facts{Env: program.ExtentOf(d.Graph, p).Env(), Weighted: d.Graph.Weight != nil, Steps: 1, Storage: m.Saved.Storage}
	p.Widths(f.Env)
	f.Env["nnz"] = program.Nonzeros(x)
	if p, err = program.Compile(p, f, nil); err != nil {
		return nil, x, fmt.Errorf("infer: %w", err)
	}
	return p, x, nil
}

// session makes a session over all vertices of a set, with weights and features.
func (m *Model) session(d *dataset.Dataset, p *program.Program, x tensor.Matrix) (*runtime.Session, error) {
	o := runtime.Options{Threads: m.threads}
	if p.Reads(program.SparseEntries) {
		entries := program.SparseOf(x)
		o.Features = &entries
	}
	s, err := runtime.New(d.Graph, o, p)
	if err != nil {
		return nil, fmt.Errorf("infer: %s: %w", d.Name, model.NameVertex(d, err))
	}
	if err := m.fill(s, p, x); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// run compiles a declaration, runs it over all vertices with the trained
// weights, and returns a copy of its one output.
func (m *Model) run(d *dataset.Dataset, declare declaration) (tensor.Matrix, error) {
	p, x, err := m.compile(d, declare)
	if err != nil {
		return tensor.Matrix{}, err
	}
	s, err := m.session(d, p, x)
	if err != nil {
		return tensor.Matrix{}, err
	}
	defer s.Close()
	if _, err := s.Run(0, 0, program.Target{}); err != nil {
		return tensor.Matrix{}, fmt.Errorf("infer: %w", err)
	}
	out, err := s.Value(0, p.Outputs[0].Name)
	if err != nil {
		return tensor.Matrix{}, fmt.Errorf("infer: %w", err)
	}
	return out.Clone(), finite(d, out, nil)
}

// finite returns the error of a value that is not finite: row i of out is of
// vertices[i], or of vertex i where these are nil.
func finite(d *dataset.Dataset, out tensor.Matrix, vertices []int32) error {
	v, _, found := out.NonFinite()
	if !found {
		return nil
	}
	if vertices != nil {
		v = int(vertices[v])
	}
	return fmt.Errorf("infer: %s: what the model makes of vertex %s is beyond float32", d.Name, d.IDs.Of(v))
}

// fill gives a session its weights and features.
func (m *Model) fill(s *runtime.Session, p *program.Program, x tensor.Matrix) error {
	for name := range p.ParamTypes() {
		to, err := s.Slot("param." + name)
		if err != nil {
			return fmt.Errorf("infer: %w", err)
		}
		from := m.Saved.Weights[name] // model.ReadSaved checked names and shapes
		for r := range to.Rows {
			copy(to.Row(r), from.Row(r))
		}
	}
	if p.Reads(program.SparseInput) {
		return s.Bind(program.SparseInput, x)
	}
	return nil
}

// logits runs the whole model.
//
// Shapes: n × C.
func (m *Model) logits(d *dataset.Dataset) (tensor.Matrix, error) {
	return m.run(d, m.declared.Declare)
}

// Embed returns what the last layer reads of each vertex: the output of the
// last hidden layer, its activation applied. A model of one layer has none, and
// gives back its features.
//
// Shapes: n × k, k being the hidden width.
// Cost: that of all layers but the last.
// Errors: a set whose features are not those the model was trained on, or not
// finite; features so large that the result is not.
func (m *Model) Embed(d *dataset.Dataset) (tensor.Matrix, error) {
	return m.run(d, m.declared.DeclareEmbedding)
}
