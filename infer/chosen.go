package infer

import (
	"errors"
	"fmt"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// PredictChosen applies the model to the given vertices of a set alone, a row for
// each, in order: to the vertices around them, or to all where the model reads
// more than those. The result is the same.
//
// Errors: as [Model.Predict]; a vertex that the set does not have.
func (m *Model) PredictChosen(d *dataset.Dataset, vertices []int32) (*Prediction, error) {
	pred, err := m.chosen(d, vertices)
	if err != nil {
		return nil, err
	}
	if err := m.inUnit(d, pred, vertices); err != nil {
		return nil, err
	}
	return m.prediction(pred), nil
}

// chosen returns the logits of the given vertices.
func (m *Model) chosen(d *dataset.Dataset, vertices []int32) (tensor.Matrix, error) {
	p, err := m.Prepare(d)
	var spread *program.NotLocalError
	if errors.As(err, &spread) {
		return m.chosenOfAll(d, vertices)
	}
	if err != nil {
		return tensor.Matrix{}, err
	}
	q := p.Query()
	defer q.Close()
	return q.Logits(vertices)
}

// chosenOfAll runs the model over the whole set.
func (m *Model) chosenOfAll(d *dataset.Dataset, vertices []int32) (tensor.Matrix, error) {
	all, err := m.logits(d)
	if err != nil {
		return all, err
	}
	out := tensor.New(len(vertices), all.Cols)
	for i, v := range vertices {
		if v < 0 || int(v) >= all.Rows {
			return out, fmt.Errorf("infer: vertex %d is out of range, want 0 ≤ id < %d", v, all.Rows)
		}
		copy(out.Row(i), all.Row(int(v)))
	}
	return out, nil
}

// VerticesCalled returns the numbers of the vertices with the given ids, in order.
//
// Cost: O(n) whatever the number of ids.
// Errors: ids that no vertex has, all of them.
func VerticesCalled(d *dataset.Dataset, ids ...string) ([]int32, error) {
	number := map[string]int32{}
	for _, id := range ids {
		number[id] = -1
	}
	for v := range d.Graph.N {
		if id := d.IDs.Of(v); number[id] < 0 {
			number[id] = int32(v)
		}
	}
	var out []int32
	var missing []string
	for _, id := range ids {
		if v := number[id]; v >= 0 {
			out = append(out, v)
		} else {
			missing = append(missing, id)
		}
	}
	if missing != nil {
		return nil, fmt.Errorf("infer: %s has no vertex called %s", d.Name, strings.Join(missing, " or "))
	}
	return out, nil
}

// ChosenIDs returns what the given vertices are called, for a [Table] of them.
func ChosenIDs(ids dataset.IDs, vertices []int32) dataset.IDs {
	var out dataset.IDs
	for _, v := range vertices {
		switch {
		case ids.Text != nil:
			out.Text = append(out.Text, ids.Text[v])
		case ids.Int != nil:
			out.Int = append(out.Int, ids.Int[v])
		default:
			out.Int = append(out.Int, int64(v))
		}
	}
	return out
}
