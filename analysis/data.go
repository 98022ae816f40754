package analysis

import (
	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/model"
)

// DataOf returns what costs depend on in a data set, and the loss that its task
// is trained with: the features that models read (log degrees where there are
// none), the columns of the prediction, and the items of the first split that a
// training step compares, which have labels.
func DataOf(d *dataset.Dataset) (Data, model.Loss) {
	data := Data{Name: d.Name, Graph: d.Graph, X: model.Features(d, false), Classes: d.Labels.Classes()}
	loss := model.CrossEntropy
	if d.Labels.Class == nil && d.Labels.Value.Cols > 0 {
		data.Classes, loss = d.Labels.Value.Cols, model.BinaryCrossEntropy
		if d.Task == dataset.VertexRegression || d.Task == dataset.GraphRegression {
			loss = model.SquaredError
		}
	}
	if len(d.Splits) > 0 {
		data.Items = d.Labels.Labelled(d.Splits[0].Train)
		data.Targets, data.Values = int64(len(data.Items)), d.Labels.Value
		data.Present = data.Targets
		if loss != model.CrossEntropy {
			data.Present = kernel.CountValues(data.Values, data.Items)
		}
	}
	return data, loss
}
