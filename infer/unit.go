package infer

import (
	"fmt"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/tensor"
)

// outputs are the logits, or for regression the values in the unit of the targets
// that training read.
//
// Shapes: n × C.
func (m *Model) outputs(d *dataset.Dataset) (tensor.Matrix, error) {
	out, err := m.logits(d)
	if err != nil {
		return out, err
	}
	model.InUnit(out, m.Saved.Targets)
	if v, _, found := out.NonFinite(); found {
		return out, fmt.Errorf("infer: %s: the value of vertex %s is beyond float32", d.Name, d.IDs.Of(v))
	}
	return out, nil
}
