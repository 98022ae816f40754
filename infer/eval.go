package infer

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/tensor"
)

// Scorer computes a metric of predictions over the listed items; pred holds
// logits, or values, a row per vertex. train.Metric is one.
type Scorer interface {
	Score(pred tensor.Matrix, labels dataset.Labels, items []int32) float64
}

// Evaluation is a metric on each part of a split. A score is nil where the part
// is empty, or has too few kinds of label for the metric.
type Evaluation struct {
	Score Parts[*float64] `json:"score"`
	N     Parts[int]      `json:"n"` // the items scored
}

// Parts is a value for each part of a split.
type Parts[T any] struct {
	Train T `json:"train"`
	Val   T `json:"val"`
	Test  T `json:"test"`
}

// Eval scores the model on the first split of a set with labels; a set without
// a split is scored whole, as its test part. Classes are matched by name, in
// whatever order the set numbers them.
//
// Errors: as [Model.Embed]; a set without labels, of another task, or with a
// class that the model does not know.
func (m *Model) Eval(d *dataset.Dataset, by Scorer) (*Evaluation, error) {
	labels, err := m.labels(d)
	if err != nil {
		return nil, err
	}
	e, s := &Evaluation{}, splitOf(d)
	if len(s.Train)+len(s.Val)+len(s.Test) == 0 {
		return nil, fmt.Errorf("infer: %s has no labels to compare with", d.Name)
	}
	pred, err := m.outputs(d)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		items []int32
		score **float64
		n     *int
	}{{s.Train, &e.Score.Train, &e.N.Train}, {s.Val, &e.Score.Val, &e.N.Val}, {s.Test, &e.Score.Test, &e.N.Test}} {
		*part.n = len(part.items)
		if v := by.Score(pred, labels, part.items); !math.IsNaN(v) {
			*part.score = &v
		}
	}
	return e, nil
}

// splitOf returns the first split of a set, or all of its labelled items as the
// test part of one.
func splitOf(d *dataset.Dataset) dataset.Split {
	if len(d.Splits) > 0 {
		return d.Splits[0]
	}
	var s dataset.Split
	for i := range d.Items() {
		if d.Labelled(i) {
			s.Test = append(s.Test, int32(i))
		}
	}
	return s
}

// labels returns a set's labels, with the model's numbers of the classes.
func (m *Model) labels(d *dataset.Dataset) (dataset.Labels, error) {
	l, s := d.Labels, m.Saved
	if d.Task != s.Task {
		return l, fmt.Errorf("infer: the task of %s is %v, the model was trained for %v", d.Name, d.Task, s.Task)
	}
	if s.Loss != model.CrossEntropy {
		if l.Value.Cols != s.Out {
			return l, fmt.Errorf("infer: %s has %d targets per vertex, the model predicts %d", d.Name, l.Value.Cols, s.Out)
		}
		return l, nil
	}
	if l.Class == nil {
		return l, fmt.Errorf("infer: %s has no labels to compare with", d.Name)
	}
	if slices.Equal(l.Names, s.Classes) {
		return l, nil
	}
	return renumber(l, s.Classes, d.Name)
}

// renumber gives labels the numbers that their names have in classes.
func renumber(l dataset.Labels, classes []string, set string) (dataset.Labels, error) {
	number := map[string]int32{}
	for i, name := range classes {
		number[name] = int32(i)
	}
	out := dataset.Labels{Class: slices.Clone(l.Class), Names: classes}
	for i, c := range l.Class {
		if c < 0 {
			continue
		}
		n, known := number[l.Names[c]]
		if !known {
			return l, fmt.Errorf("infer: %s has the class %q, which the model does not know", set, l.Names[c])
		}
		out.Class[i] = n
	}
	return out, nil
}
