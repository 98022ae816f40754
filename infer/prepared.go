package infer

import (
	"fmt"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/runtime"
	"github.com/weft-gnn/weft/tensor"
)

// Prepared is a model beside a set, ready to be asked about single vertices:
// what the graph alone determines, such as degrees, is computed. It is read
// only: goroutines may share one, each asking by a [Query] of its own.
type Prepared struct {
	model *Model
	set   *dataset.Dataset
	local *runtime.Local
}

// Prepare makes a model ready to answer about single vertices of a set.
//
// Cost: a pass over the graph and the features; a copy of features kept as their
// entries.
// Errors: as [Model.Embed]; a [program.NotLocalError] for a model that reads more
// than the vertices around one, such as the sum over all.
func (m *Model) Prepare(d *dataset.Dataset) (*Prepared, error) {
	p, x, err := m.compile(d, m.declared.Declare)
	if err != nil {
		return nil, err
	}
	once, query := program.Apart(p)
	inputs, err := m.once(d, once, x)
	if err != nil {
		return nil, err
	}
	for name, w := range m.Saved.Weights {
		inputs[program.Param{Name: name}.Slot()] = w
	}
	e := program.ExtentOf(d.Graph, query)
	inputs[program.SparseInput] = x
	if query.Reads(program.SparseEntries) {
		entries := program.SparseOf(x)
		e.X, inputs[program.SparseEntries] = entries.Block, entries.Values
	}
	local, err := runtime.NewLocal(query, e, inputs)
	if err != nil {
		return nil, fmt.Errorf("infer: %w", err)
	}
	return &Prepared{m, d, local}, nil
}

// once returns the outputs of a program that is run once over the whole set.
func (m *Model) once(d *dataset.Dataset, p *program.Program, x tensor.Matrix) (map[string]tensor.Matrix, error) {
	values := map[string]tensor.Matrix{}
	if len(p.Outputs) == 0 {
		return values, nil
	}
	s, err := m.session(d, p, x)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if _, err := s.Prelude(0); err != nil {
		return nil, fmt.Errorf("infer: %w", err)
	}
	for _, o := range p.Outputs {
		v, err := s.Value(0, o.Name)
		if err != nil {
			return nil, fmt.Errorf("infer: %w", err)
		}
		values[o.Name] = v.Clone()
	}
	return values, nil
}

// Hops returns how far away vertices are that decide about one.
func (p *Prepared) Hops() int { return p.local.Hops() }

// Query answers questions about vertices, one after the other, in memory that it
// keeps. It is used by one goroutine at a time, and runs in it alone.
type Query struct {
	*runtime.Query
	p *Prepared
}

// Query returns a new query. It is to be closed.
func (p *Prepared) Query() *Query { return &Query{p.local.Query(), p} }

// Logits returns what the model makes of the given vertices, a row for each, in
// order, from the vertices around them alone.
//
// Contract: the rows have the same bits as where the model runs over the whole
// set. They hold until the next call. Nothing is allocated unless more vertices
// and edges lie around these than around any before.
// Errors: a vertex that the set does not have; features so large that the result
// is not finite.
func (q *Query) Logits(vertices []int32) (tensor.Matrix, error) {
	out, err := q.Run(vertices)
	if err != nil {
		return out, fmt.Errorf("infer: %w", err)
	}
	return out, finite(q.p.set, out, vertices)
}
