package train_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/train"
)

// TestScoresThatAreNone: the ROC curve of validation items of one class does not
// exist. The run ends, can be resumed, and says null.
func TestScoresThatAreNone(t *testing.T) {
	d := *open(t, "karate")
	d.Splits = []dataset.Split{{Name: "one class", Train: []int32{0, 33}, Val: []int32{1, 2}, Test: []int32{3, 32}}}
	c, dir := config(t, "gcn", 4), filepath.Join(t.TempDir(), "run")
	c.Metric, c.Patience = train.ROCAUC, 100
	want, weights := run(t, c, &d, train.Settings{})
	if want.Score.Val != nil || want.BestEpoch != nil || want.Score.Test == nil {
		t.Errorf("scores %+v, best epoch %v; want no validation score and no best epoch", want.Score, want.BestEpoch)
	}
	stopAfter(t, c, &d, dir, 2)
	tr, err := train.Resume(dir, &d, 0, train.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	got, err := tr.Train(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sameLoss(t, "resumed", got.Loss, want.Loss)
	sameWeights(t, "resumed", tr.Model(), weights)
}

// TestPredictionsBeyondFloat32: a step that throws the weights far out leaves a
// loss that is finite and errors that are not. The epoch is logged, and the
// run is kept.
func TestPredictionsBeyondFloat32(t *testing.T) {
	d := *open(t, "karate")
	d.Task = dataset.VertexRegression
	d.Labels = dataset.Labels{Value: d.X.Clone()}
	c, dir := config(t, "gat", 1), filepath.Join(t.TempDir(), "run") // ELU: no unit is dead
	c.LR, c.Metric = 1e25, train.RMSE
	r, _ := run(t, c, &d, train.Settings{Dir: dir})
	if r.Score.Train != nil || lines(t, filepath.Join(dir, "metrics.jsonl")) != 1 {
		t.Errorf("score %v, want none, and one line of metrics", r.Score.Train)
	}
}

func TestRatesOutOfRange(t *testing.T) {
	accepted := func(set func(*train.Config)) bool {
		c := config(t, "gcn", 1)
		set(&c)
		return c.Validate() == nil
	}
	for _, v := range []float64{-1, math.NaN(), math.Inf(1), 1e39} {
		if accepted(func(c *train.Config) { c.LR = v }) {
			t.Errorf("the learning rate %v is accepted", v)
		}
		if accepted(func(c *train.Config) { c.Decay.Lambda = v }) {
			t.Errorf("the weight decay %v is accepted", v)
		}
	}
	if accepted(func(c *train.Config) { c.Options.Dropout = 1 - 1e-12 }) { // 1 in float32
		t.Error("a dropout of 1 − 10⁻¹² is accepted")
	}
	for _, v := range []float64{0, 1e-50} { // 0 in float32: nothing would be learnt
		if accepted(func(c *train.Config) { c.LR = v }) {
			t.Errorf("the learning rate %v is accepted", v)
		}
		if !accepted(func(c *train.Config) { c.Decay.Lambda = v }) {
			t.Errorf("the weight decay %v is refused", v)
		}
	}
}

// TestFeaturesThatAreNone: one value that is NaN or infinite, even of a vertex
// without arcs in no part of the split, is found before training.
func TestFeaturesThatAreNone(t *testing.T) {
	d := *open(t, "karate")
	for _, v := range []float64{math.NaN(), math.Inf(-1)} {
		d.X = d.X.Clone()
		d.X.Row(4)[2] = float32(v)
		_, err := train.New(config(t, "gcn", 5), &d, train.Settings{})
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("feature 2 (counted from 0) of vertex 5 is %v", v)) {
			t.Errorf("got %v, want feature 2 of vertex 5, the fifth", err)
		}
	}
}

// TestLastStepBeyondFloat32: no loss follows that could tell.
func TestLastStepBeyondFloat32(t *testing.T) {
	c := config(t, "gcn", 1)
	c.LR, c.Optimizer, c.Decay.Lambda = 1e38, program.SGDKind, 1e38
	tr, err := train.New(c, open(t, "karate"), train.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if _, err := tr.Train(t.Context()); err == nil || !strings.Contains(err.Error(), "not finite") {
		t.Errorf("got %v, want that the weights are not finite", err)
	}
}
