package train

import (
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
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

// scoring is what a rank compares its predictions with: labels of its vertices, and
// the items of the split that it scores for all. One rank scores all of a set.
type scoring struct {
	labels dataset.Labels
	values tensor.Matrix // the labels' values as they are learnt
	split  dataset.Split
	val    program.Target
}

// target lists the items that have a label, with what they are compared with; the
// mean goes over as many values of all ranks.
func (s scoring) target(items []int32, all int64) program.Target {
	rows := s.labels.Labelled(items)
	return program.Target{Items: kernel.Items{Rows: rows, Total: all}, Class: s.labels.Class, Value: s.values}
}

// ofRank returns what a rank has of what one rank scores: of the vertices that it
// has, which ascend, it scores those that it leads in.
func (s scoring) ofRank(vertices []int32, local func(tensor.Matrix) tensor.Matrix, leads func(v int32) bool) scoring {
	out := scoring{labels: dataset.Labels{Names: s.labels.Names}, split: dataset.Split{Name: s.split.Name}}
	if s.labels.Class != nil {
		out.labels.Class = make([]int32, len(vertices))
		for i, v := range vertices {
			out.labels.Class[i] = s.labels.Class[v]
		}
	}
	if s.labels.Value.Cols > 0 {
		out.labels.Value, out.values = local(s.labels.Value), local(s.values)
	}
	for k, to := range [3]*[]int32{&out.split.Train, &out.split.Val, &out.split.Test} {
		for _, v := range [3][]int32{s.split.Train, s.split.Val, s.split.Test}[k] {
			if i, has := slices.BinarySearch(vertices, v); has && leads(v) {
				*to = append(*to, int32(i))
			}
		}
	}
	return out
}
