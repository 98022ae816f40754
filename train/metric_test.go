package train_test

import (
	"math"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/tensor"
	"github.com/weft-gnn/weft/train"
	"pgregory.net/rapid"
)

func items(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// TestScores has values worked out by hand.
func TestScores(t *testing.T) {
	pred := tensor.Of(4, 3, []float32{
		3, 1, 0, // 0
		0, 2, 1, // 1
		0, 5, 1, // 1
		1, 0, 2, // 2
	})
	l := dataset.Labels{Class: []int32{0, 1, 2, 2}, Names: []string{"a", "b", "c"}}
	for m, want := range map[train.Metric]float64{
		train.Accuracy: 0.75,
		train.F1Micro:  0.75,
		// a: p=r=1; b: p=1/2, r=1 → 2/3; c: p=1, r=1/2 → 2/3
		train.F1: (1 + 2.0/3 + 2.0/3) / 3,
	} {
		if got := m.Score(pred, l, items(4)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v = %v, want %v", m, got, want)
		}
	}
	values := dataset.Labels{Value: tensor.Of(2, 2, []float32{1, 2, 3, float32(math.NaN())})}
	errs := tensor.Of(2, 2, []float32{2, 2, 0, 9})
	if got := train.MAE.Score(errs, values, items(2)); got != 4.0/3 {
		t.Errorf("MAE = %v, want 4/3", got)
	}
	if got, want := train.RMSE.Score(errs, values, items(2)), math.Sqrt(10.0/3); math.Abs(got-want) > 1e-12 {
		t.Errorf("RMSE = %v, want %v", got, want)
	}
	if !math.IsNaN(train.Accuracy.Score(pred, l, nil)) {
		t.Error("the score of no items is not NaN")
	}
}

// TestROCAUCCountsPairs: the area is the probability that a positive outranks
// a negative, ties counting one half.
func TestROCAUCCountsPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "n")
		pred, want := tensor.New(n, 1), tensor.New(n, 1)
		for i := range n {
			pred.Data[i] = float32(rapid.IntRange(-4, 4).Draw(t, "x"))
			want.Data[i] = float32(rapid.IntRange(0, 1).Draw(t, "y"))
		}
		wins, pairs := 0.0, 0.0
		for i := range n {
			for j := range n {
				if want.Data[i] == 1 && want.Data[j] == 0 {
					pairs++
					switch {
					case pred.Data[i] > pred.Data[j]:
						wins++
					case pred.Data[i] == pred.Data[j]:
						wins += 0.5
					}
				}
			}
		}
		got := train.ROCAUC.Score(pred, dataset.Labels{Value: want}, items(n))
		if pairs == 0 {
			if !math.IsNaN(got) {
				t.Fatalf("no pairs, area %v", got)
			}
			return
		}
		if math.Abs(got-wins/pairs) > 1e-9 {
			t.Fatalf("area %v, pairs say %v", got, wins/pairs)
		}
	})
}

func TestSchedules(t *testing.T) {
	for _, c := range []struct {
		s           train.Schedule
		epoch, of   int
		want        float64
		description string
	}{
		{train.Schedule{}, 7, 10, 1, "constant"},
		{train.Schedule{Warmup: 4}, 0, 10, 0.25, "first of the warm-up"},
		{train.Schedule{Warmup: 4}, 3, 10, 1, "last of the warm-up"},
		{train.Schedule{Kind: train.Cosine}, 0, 10, 1, "start of the cosine"},
		{train.Schedule{Kind: train.Cosine}, 5, 10, 0.5, "middle of the cosine"},
		{train.Schedule{Kind: train.StepDown, Every: 3, Gamma: 0.5}, 6, 10, 0.25, "second step"},
	} {
		if got := c.s.At(c.epoch, c.of); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.description, got, c.want)
		}
	}
	if (train.Schedule{Kind: train.StepDown}).Validate() == nil {
		t.Error("a step schedule without steps is valid")
	}
}
