package infer

import (
	"math"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/tensor"
)

// Prediction is what a model says of every vertex. It holds probabilities for
// classification and values for regression.
type Prediction struct {
	// Class is the most probable class of each vertex, the first of equals;
	// nil for regression and for targets that do not exclude each other.
	Class []int32
	// Classes are the classes' names.
	Classes []string
	// Probability has a column per class, or per target; no columns for
	// regression.
	Probability tensor.Matrix
	// Value has a column per regression target, in the unit of the data that the
	// model was trained on.
	Value tensor.Matrix
}

// Predict applies the model to every vertex of a set, labelled or not.
// Probabilities are softmax(logits) over classes that exclude each other and
// σ(logit) for targets that do not.
//
// Errors: as [Model.Embed].
func (m *Model) Predict(d *dataset.Dataset) (*Prediction, error) {
	pred, err := m.outputs(d)
	if err != nil {
		return nil, err
	}
	return m.prediction(pred), nil
}

// prediction says what outputs mean, which it overwrites.
func (m *Model) prediction(pred tensor.Matrix) *Prediction {
	out := &Prediction{Classes: m.Saved.Classes}
	switch m.Saved.Loss {
	case model.SquaredError:
		out.Value = pred
	case model.BinaryCrossEntropy:
		out.Probability = pred
		for i, x := range pred.Data {
			pred.Data[i] = float32(1 / (1 + math.Exp(-float64(x))))
		}
	default:
		out.Probability, out.Class = pred, make([]int32, pred.Rows)
		for v := range pred.Rows {
			out.Class[v] = softmax(pred.Row(v))
		}
	}
	return out
}

// softmax replaces logits by probabilities and returns the largest one's place.
func softmax(row []float32) int32 {
	best := 0
	for j, x := range row {
		if x > row[best] {
			best = j
		}
	}
	top, sum := float64(row[best]), 0.0
	for _, x := range row {
		sum += math.Exp(float64(x) - top)
	}
	for j, x := range row {
		row[j] = float32(math.Exp(float64(x)-top) / sum)
	}
	return int32(best)
}
