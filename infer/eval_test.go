package infer_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/tensor"
)

// share scores by the share of items whose label is the first of the largest.
type share struct{}

func (share) Score(pred tensor.Matrix, l dataset.Labels, items []int32) float64 {
	right := 0
	for _, i := range items {
		if slices.Max(pred.Row(int(i))) == pred.Row(int(i))[l.Class[i]] {
			right++
		}
	}
	return float64(right) / float64(len(items)) // NaN of none
}

func TestEval(t *testing.T) {
	d := karate(t)
	gcn, _ := model.ByName("gcn")
	m := load(t, untrained(t, gcn, d, model.CrossEntropy, 2), 1)
	e, err := m.Eval(d, share{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Predict(d)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for _, i := range d.Splits[0].Test {
		if p.Class[i] == d.Labels.Class[i] {
			right++
		}
	}
	if want := float64(right) / 18; *e.Score.Test != want || e.N.Test != 18 || e.N.Train != 8 || e.N.Val != 8 {
		t.Errorf("got test %v, n %+v; want %v of 18, 8 and 8", *e.Score.Test, e.N, want)
	}

	// The same classes under other numbers are the same classes.
	swapped := *d
	swapped.Labels = dataset.Labels{Names: []string{d.Labels.Names[1], d.Labels.Names[0]}, Class: slices.Clone(d.Labels.Class)}
	for i := range swapped.Labels.Class {
		swapped.Labels.Class[i] = 1 - swapped.Labels.Class[i]
	}
	s, err := m.Eval(&swapped, share{})
	if err != nil {
		t.Fatal(err)
	}
	if *s.Score.Test != *e.Score.Test || *s.Score.Train != *e.Score.Train {
		t.Errorf("with classes renumbered: test %v, train %v, want %v, %v", *s.Score.Test, *s.Score.Train, *e.Score.Test, *e.Score.Train)
	}
}

// TestEvalWithoutSplit: everything labelled is scored, as the test part.
func TestEvalWithoutSplit(t *testing.T) {
	d := karate(t)
	gcn, _ := model.ByName("gcn")
	m := load(t, untrained(t, gcn, d, model.CrossEntropy, 2), 1)
	d.Splits = nil
	d.Labels.Class[3], d.Labels.Class[9] = -1, -1
	e, err := m.Eval(d, share{})
	if err != nil {
		t.Fatal(err)
	}
	if e.N.Test != 32 || e.N.Train != 0 || e.Score.Train != nil || e.Score.Test == nil || math.IsNaN(*e.Score.Test) {
		t.Errorf("got %+v, n %+v; want 32 test items and no training score", e.Score, e.N)
	}
}

func TestEvalRefuses(t *testing.T) {
	gcn, _ := model.ByName("gcn")
	m := load(t, untrained(t, gcn, karate(t), model.CrossEntropy, 2), 1)
	for _, c := range []struct {
		name, want string
		spoil      func(d *dataset.Dataset)
	}{
		{"task", "the task of karate is vertex-regression, the model was trained for vertex-classification", func(d *dataset.Dataset) { d.Task = dataset.VertexRegression }},
		{"class", `the class "Mr. X", which the model does not know`, func(d *dataset.Dataset) { d.Labels.Names = []string{"Mr. X", "Officer"} }},
		{"no labels", "no labels to compare with", func(d *dataset.Dataset) { d.Labels = dataset.Labels{} }},
		{"none labelled", "no labels to compare with", func(d *dataset.Dataset) {
			d.Splits = nil
			for i := range d.Labels.Class {
				d.Labels.Class[i] = -1
			}
		}},
	} {
		d := karate(t)
		c.spoil(d)
		if _, err := m.Eval(d, share{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want …%s", c.name, err, c.want)
		}
	}
	regression := untrained(t, gcn, karate(t), model.SquaredError, 3)
	regression.Task = dataset.VertexRegression
	d := karate(t)
	d.Task, d.Labels = dataset.VertexRegression, dataset.Labels{Value: tensor.New(d.Graph.N, 2)}
	if _, err := load(t, regression, 1).Eval(d, share{}); err == nil || !strings.Contains(err.Error(), "2 targets per vertex, the model predicts 3") {
		t.Errorf("targets: got %v", err)
	}
}
