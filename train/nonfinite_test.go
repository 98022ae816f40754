package train_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/weft-gnn/weft/dataset"
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
	c, dir := config(t, "gcn", 1), filepath.Join(t.TempDir(), "run")
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
	for _, v := range []float64{0, 1e-50} { // 0 in float32: nothing would be learnt
		if accepted(func(c *train.Config) { c.LR = v }) {
			t.Errorf("the learning rate %v is accepted", v)
		}
		if !accepted(func(c *train.Config) { c.Decay.Lambda = v }) {
			t.Errorf("the weight decay %v is refused", v)
		}
	}
}
