package train_test

import (
	"log/slog"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
	"github.com/weft-gnn/weft/train"
)

// valued returns the karate club with targets y(v), where y is not NaN, of
// which the columns have the given units: y·scale + offset.
func valued(t *testing.T, units ...[2]float64) *dataset.Dataset {
	t.Helper()
	karate := open(t, "karate")
	d := *karate
	d.Task, d.Labels = dataset.VertexRegression, dataset.Labels{Value: tensor.New(d.Graph.N, len(units))}
	for v := range d.Graph.N {
		for j, u := range units {
			d.Labels.Value.Row(v)[j] = float32(math.Sin(float64(v+j))*u[0] + u[1])
		}
	}
	d.Labels.Value.Row(0)[0] = float32(math.NaN()) // missing
	return &d
}

// TestTargetsHaveAnyUnit: what is learnt does not depend on the targets' unit,
// and scores are in it.
func TestTargetsHaveAnyUnit(t *testing.T) {
	c := config(t, "gcn", 60)
	c.Metric, c.LR = train.MAE, 0.01
	plain, _ := run(t, c, valued(t, [2]float64{1, 0}), train.Settings{})
	for _, unit := range [][2]float64{{1000, 0}, {1, -2}, {1e-6, 1e-5}, {4096, 65536}} {
		got, saved := run(t, c, valued(t, unit), train.Settings{})
		for i := range plain.Loss {
			// Targets are rounded to float32 once in their unit: up to 2⁻²⁴·16 of
			// the scale with the largest offset, and 60 steps make of it what they do.
			if math.Abs(float64(got.Loss[i]-plain.Loss[i])) > 2e-3*float64(plain.Loss[i]) {
				t.Fatalf("unit %v: the loss of epoch %d is %v, want %v", unit, i, got.Loss[i], plain.Loss[i])
			}
		}
		if ratio := *got.Score.Test / *plain.Score.Test / unit[0]; math.Abs(ratio-1) > 0.01 {
			t.Errorf("unit %v: mean absolute error %v, want %v times %v", unit, *got.Score.Test, unit[0], *plain.Score.Test)
		}
		if len(saved.Targets) != 1 || math.Abs(saved.Targets[0].Scale/unit[0]-0.7) > 0.3 {
			t.Errorf("unit %v: kept %+v", unit, saved.Targets)
		}
	}
}

// TestTargetsOfSeveralUnits: each column has its own scaling, from the training
// items that have a target.
func TestTargetsOfSeveralUnits(t *testing.T) {
	d := valued(t, [2]float64{2, 5}, [2]float64{0, 7})
	c := config(t, "mlp", 3)
	_, saved := run(t, c, d, train.Settings{})
	sum, squares, n := 0.0, 0.0, 0.0
	for _, v := range d.Splits[0].Train {
		if y := float64(d.Labels.Value.Row(int(v))[0]); y == y {
			sum, squares, n = sum+y, squares+y*y, n+1
		}
	}
	if int(n) != len(d.Splits[0].Train)-1 {
		t.Fatalf("%v of %d training items have a target: the missing one is not among them", n, len(d.Splits[0].Train))
	}
	want := model.Scaling{Mean: sum / n, Scale: math.Sqrt(squares/n - sum*sum/n/n)}
	if got := saved.Targets[0]; math.Abs(got.Mean-want.Mean) > 1e-9 || math.Abs(got.Scale-want.Scale) > 1e-9 {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := saved.Targets[1], (model.Scaling{Mean: 7, Scale: 1}); got != want {
		t.Errorf("equal targets: got %+v, want %+v", got, want)
	}
}

// TestClassesAreNotScaled: 0/1 targets stay 0 and 1.
func TestClassesAreNotScaled(t *testing.T) {
	d := valued(t, [2]float64{0, 1}, [2]float64{0, 0})
	d.Labels.Value.Row(0)[0] = 1
	d.Task = dataset.VertexClassification
	if _, saved := run(t, config(t, "gcn", 2), d, train.Settings{}); saved.Targets != nil {
		t.Errorf("kept %+v", saved.Targets)
	}
}

// TestResumedTimes: the times of a run that was resumed are those of all its
// epochs, and a run that is resumed with nothing left to do keeps what it
// counted.
func TestResumedTimes(t *testing.T) {
	d, c := open(t, "karate"), config(t, "gcn", 6)
	dir := filepath.Join(t.TempDir(), "run")
	first, _ := run(t, c, d, train.Settings{Dir: dir})
	resume := func(epochs int) (*train.Result, string) {
		t.Helper()
		var log strings.Builder
		tr, err := train.Resume(dir, d, epochs, train.Settings{Log: slog.New(slog.NewTextHandler(&log, nil))})
		r, _ := toTheEnd(t, tr, err)
		return r, log.String()
	}
	second, said := resume(9)
	if second.Time.TotalS <= first.Time.TotalS || strings.Contains(said, "has done its") {
		t.Errorf("%v s after %v s; said %s", second.Time.TotalS, first.Time.TotalS, said)
	}
	third, said := resume(0)
	if third.Time != second.Time || third.Counted != second.Counted || third.Counted.Work == 0 {
		t.Errorf("resumed with nothing to do: %+v %+v, want %+v %+v", third.Time, third.Counted, second.Time, second.Counted)
	}
	if !strings.Contains(said, "has done its 9 epochs") {
		t.Errorf("said %s", said)
	}
}

// TestResumedAfterPatience: it is said that more epochs change nothing.
func TestResumedAfterPatience(t *testing.T) {
	d, c := open(t, "karate"), config(t, "gcn", 500)
	c.Patience, c.LR, c.Optimizer = 3, 1e-30, program.SGDKind // nothing improves
	dir := filepath.Join(t.TempDir(), "run")
	done, _ := run(t, c, d, train.Settings{Dir: dir})
	var log strings.Builder
	tr, err := train.Resume(dir, d, 1000, train.Settings{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	again, err := tr.Train(t.Context())
	if err != nil || again.Epochs != done.Epochs || !strings.Contains(log.String(), "3 of them without improvement") {
		t.Errorf("%d epochs after %d, %v; said %s", again.Epochs, done.Epochs, err, log.String())
	}
}
