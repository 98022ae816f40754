package train

import (
	"math"
	"testing"
)

func TestSpreadOf(t *testing.T) {
	result := func(seed uint64, test float64) *Result {
		return &Result{Seed: seed, Score: Score{Test: &test}}
	}
	s := SpreadOf([]*Result{result(4, 0.5), result(5, 0.9), result(6, 0.7)})
	// Deviations −0.2, 0.2 and 0: a variance of 0.08/2.
	if math.Abs(*s.Mean.Test-0.7) > 1e-15 || math.Abs(*s.Std.Test-0.2) > 1e-15 {
		t.Errorf("got %v ± %v, want 0.7 ± 0.2", *s.Mean.Test, *s.Std.Test)
	}
	if s.Mean.Val != nil || s.Std.Train != nil {
		t.Error("parts without items have scores")
	}
	if len(s.Seeds) != 3 || s.Seeds[1].Seed != 5 || *s.Seeds[1].Test != 0.9 {
		t.Errorf("seeds %+v", s.Seeds)
	}
}
