package infer

import (
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
	return out, m.inUnit(d, out, nil)
}

// inUnit turns logits into outputs; their rows are those that [finite] says.
func (m *Model) inUnit(d *dataset.Dataset, out tensor.Matrix, vertices []int32) error {
	model.InUnit(out, m.Saved.Targets)
	return finite(d, out, vertices)
}
