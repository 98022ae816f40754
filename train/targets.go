package train

import (
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/tensor"
)

// scalings are those that give the targets of the training items mean 0 and
// standard deviation 1, one a column; nil unless the loss is the squared error.
// Targets that are all equal keep their scale.
func scalings(l model.Loss, targets []dataset.Moments) []model.Scaling {
	if l != model.SquaredError {
		return nil
	}
	out := make([]model.Scaling, len(targets))
	for j, m := range targets {
		out[j] = model.Scaling{Mean: m.Mean, Scale: 1}
		if m.Deviation > 0 {
			out[j].Scale = m.Deviation
		}
	}
	return out
}

// learnt returns the values that the model learns, and the values themselves
// where they are not scaled.
func learnt(value tensor.Matrix, targets []model.Scaling) tensor.Matrix {
	if len(targets) == 0 {
		return value
	}
	out := tensor.New(value.Rows, value.Cols)
	for i := range value.Rows {
		for j, y := range value.Row(i) {
			out.Row(i)[j] = targets[j].Learnt(y)
		}
	}
	return out
}

// inUnit returns predictions in the unit of the data's targets. It overwrites
// what an earlier call returned.
func (t *Trainer) inUnit(pred tensor.Matrix) tensor.Matrix {
	if len(t.problem.targets) == 0 {
		return pred
	}
	if t.unit.Rows != pred.Rows {
		t.unit = tensor.New(pred.Rows, pred.Cols)
	}
	for i := range pred.Rows {
		copy(t.unit.Row(i), pred.Row(i))
	}
	model.InUnit(t.unit, t.problem.targets)
	return t.unit
}
