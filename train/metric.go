package train

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/tensor"
)

// Metric is what a run is scored by.
type Metric int

// The metrics. All but the errors are better when larger.
const (
	AutoMetric Metric = iota // by the data set, or the task
	Accuracy                 // the share of items whose class is predicted
	F1                       // macro F1: the mean over classes of 2pr/(p+r)
	F1Micro                  // F1 of all decisions together
	ROCAUC                   // area under the ROC curve, the mean over targets or classes
	MAE                      // mean absolute error
	RMSE                     // root of the mean squared error
)

var metricNames = [...]string{AutoMetric: "auto", Accuracy: "accuracy", F1: "f1", F1Micro: "f1-micro", ROCAUC: "roc-auc", MAE: "mae", RMSE: "rmse"}

func (m Metric) String() string { return metricNames[m] }

// MarshalText writes the metric's name.
func (m Metric) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads it.
func (m *Metric) UnmarshalText(text []byte) error {
	for i, name := range metricNames {
		if name == string(text) {
			*m = Metric(i)
			return nil
		}
	}
	return fmt.Errorf("train: metric %q is not one of %s", text, strings.Join(metricNames[:], ", "))
}

func ofDataset(m dataset.Metric) Metric {
	return map[dataset.Metric]Metric{dataset.Accuracy: Accuracy, dataset.F1: F1, dataset.ROCAUC: ROCAUC, dataset.MAE: MAE, dataset.RMSE: RMSE}[m]
}

// ChooseMetric returns what a set's predictions are scored by: the metric asked
// for, what its authors say, or what suits the loss that they were trained by.
//
// Errors: a metric that does not score such predictions.
func ChooseMetric(d *dataset.Dataset, l model.Loss, asked Metric) (Metric, error) {
	m := cmp.Or(asked, ofDataset(d.Metric), map[model.Loss]Metric{
		model.CrossEntropy: Accuracy, model.BinaryCrossEntropy: ROCAUC, model.SquaredError: MAE,
	}[l])
	return m, m.fits(l)
}

// fits checks that a metric can score what a loss trains.
func (m Metric) fits(l model.Loss) error {
	ok := map[model.Loss][]Metric{
		model.CrossEntropy:       {Accuracy, F1, F1Micro, ROCAUC},
		model.BinaryCrossEntropy: {Accuracy, F1, F1Micro, ROCAUC},
		model.SquaredError:       {MAE, RMSE},
	}[l]
	if !slices.Contains(ok, m) {
		names := make([]string, len(ok))
		for i, m := range ok {
			names[i] = m.String()
		}
		return fmt.Errorf("train: the metric %v does not score predictions trained by %v: want one of %s", m, l, strings.Join(names, ", "))
	}
	return nil
}

// sign orients a metric so that more is better.
func (m Metric) sign() float64 {
	if m == MAE || m == RMSE {
		return -1
	}
	return 1
}

// Score computes the metric of predictions over the listed items; NaN over
// none. pred holds logits, or values for errors.
//
// Shapes: pred has a row per vertex, a column per class or target.
func (m Metric) Score(pred tensor.Matrix, labels dataset.Labels, items []int32) float64 {
	return m.tally(&kernel.Ctx{}, pred, labels, items).score(nil, m)
}

// decisions calls f with what was predicted and what is true: a class per item,
// or, for 0/1 targets, 1 or 0 per present value, one column at a time.
func decisions(ctx *kernel.Ctx, pred tensor.Matrix, l dataset.Labels, items []int32, f func(column int, got, want int32)) {
	if l.Class != nil {
		got := make([]int32, len(items))
		kernel.Decide(ctx, pred, items, got)
		for k, i := range items {
			f(0, got[k], l.Class[i])
		}
		return
	}
	for _, i := range items {
		row := pred.Row(int(i))
		for j, y := range l.Value.Row(int(i)) {
			if y == y {
				f(j, positive(row[j]), int32(y))
			}
		}
	}
}

// positive is the decision at probability one half.
func positive(logit float32) int32 {
	if logit > 0 {
		return 1
	}
	return 0
}
