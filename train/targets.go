package train

import (
	"math"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/tensor"
)

// scalings are those that give the targets of the training items mean 0 and
// standard deviation 1, one a column; nil unless the loss is the squared error.
// Missing targets are left out, and targets that are all equal keep their scale.
func scalings(l model.Loss, labels dataset.Labels, items []int32) []model.Scaling {
	if l != model.SquaredError {
		return nil
	}
	out := make([]model.Scaling, labels.Value.Cols)
	for j := range out {
		n, mean, squares := 0.0, 0.0, 0.0 // Welford's update
		for _, i := range items {
			y := float64(labels.Value.Row(int(i))[j])
			if math.IsNaN(y) {
				continue
			}
			n++
			d := y - mean
			mean += d / n
			squares += d * (y - mean)
		}
		out[j] = model.Scaling{Mean: mean, Scale: 1}
		if squares > 0 {
			out[j].Scale = math.Sqrt(squares / n)
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
