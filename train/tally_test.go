package train

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// TestTalliesAddUp: however items are shared out, tallies that travelled and were
// added score as one does. Sums of errors differ by rounding.
func TestTalliesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, columns := rapid.IntRange(0, 20).Draw(t, "items"), rapid.IntRange(1, 4).Draw(t, "columns")
		pred := tensor.New(n, columns)
		for i := range pred.Data {
			pred.Data[i] = float32(rapid.IntRange(-5, 5).Draw(t, "x")) / 4
		}
		m := rapid.SampledFrom([]Metric{Accuracy, F1, F1Micro, ROCAUC, MAE, RMSE}).Draw(t, "metric")
		l := dataset.Labels{}
		if values := m == MAE || m == RMSE; values || rapid.Bool().Draw(t, "0/1 targets") {
			l.Value = tensor.New(n, columns)
			for i := range l.Value.Data {
				l.Value.Data[i] = rapid.SampledFrom([]float32{0, 1, float32(math.NaN())}).Draw(t, "y")
			}
		} else {
			l.Class = rapid.SliceOfN(rapid.Int32Range(0, int32(columns-1)), n, n).Draw(t, "class")
		}
		ranks := make([][]int32, rapid.IntRange(1, 4).Draw(t, "ranks"))
		var all []int32
		for i := range int32(n) {
			all = append(all, i)
			to := &ranks[rapid.IntRange(0, len(ranks)-1).Draw(t, "rank")]
			*to = append(*to, i)
		}
		var words []float64
		for _, items := range ranks {
			words = append(words, m.tally(&kernel.Ctx{}, pred, l, items).words()...)
		}
		var sum tally
		for q := range ranks {
			one, rest := tallyOf(words)
			if words = rest; q == 0 {
				sum = one
			} else {
				sum.add(one)
			}
		}
		got, want := sum.score(nil, m), m.Score(pred, l, all)
		if len(words) > 0 || !(math.Abs(got-want) <= 1e-12 || math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("%v of %d ranks is %v, of one %v", m, len(ranks), got, want)
		}
	})
}
