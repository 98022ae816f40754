package train

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/tensor"
	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"
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
	if len(items) == 0 {
		return math.NaN()
	}
	switch m {
	case MAE, RMSE:
		return m.deviation(pred, labels.Value, items)
	case ROCAUC:
		return rocAUC(pred, labels, items)
	case F1, F1Micro:
		return m.f1(pred, labels, items)
	}
	return accuracy(pred, labels, items)
}

// deviation is the mean absolute or root mean squared error of present values.
func (m Metric) deviation(pred, want tensor.Matrix, items []int32) float64 {
	sum, n := 0.0, 0
	for _, i := range items {
		for j, y := range want.Row(int(i)) {
			if d := float64(pred.Row(int(i))[j]) - float64(y); !math.IsNaN(float64(y)) {
				if m == RMSE {
					d *= d
				}
				sum += math.Abs(d)
				n++
			}
		}
	}
	if m == RMSE {
		return math.Sqrt(sum / float64(n))
	}
	return sum / float64(n)
}

// argmax returns the first column of the largest value.
func argmax(row []float32) int32 {
	best := 0
	for j, v := range row {
		if v > row[best] {
			best = j
		}
	}
	return int32(best)
}

// decisions calls f with what was predicted and what is true: a class per item,
// or, for 0/1 targets, 1 or 0 per present value, one column at a time.
func decisions(pred tensor.Matrix, l dataset.Labels, items []int32, f func(column int, got, want int32)) {
	for _, i := range items {
		row := pred.Row(int(i))
		if l.Class != nil {
			f(0, argmax(row), l.Class[i])
			continue
		}
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

func accuracy(pred tensor.Matrix, l dataset.Labels, items []int32) float64 {
	right, n := 0, 0
	decisions(pred, l, items, func(_ int, got, want int32) {
		n++
		if got == want {
			right++
		}
	})
	return float64(right) / float64(n)
}

// f1 counts true and false decisions per class. Classes that were neither
// predicted nor true are left out of the macro mean.
func (m Metric) f1(pred tensor.Matrix, l dataset.Labels, items []int32) float64 {
	type counts struct{ tp, fp, fn float64 }
	per := make([]counts, pred.Cols)
	decisions(pred, l, items, func(column int, got, want int32) {
		if l.Class == nil { // the positive decisions of a target
			per[column].tp += float64(got * want)
			per[column].fp += float64(got * (1 - want))
			per[column].fn += float64((1 - got) * want)
			return
		}
		if got == want {
			per[got].tp++
			return
		}
		per[got].fp++
		per[want].fn++
	})
	var all counts
	sum, present := 0.0, 0.0
	for _, c := range per {
		all = counts{all.tp + c.tp, all.fp + c.fp, all.fn + c.fn}
		if d := 2*c.tp + c.fp + c.fn; d > 0 {
			sum += 2 * c.tp / d
			present++
		}
	}
	if m == F1Micro {
		return 2 * all.tp / (2*all.tp + all.fp + all.fn)
	}
	return sum / present
}

// rocAUC is the mean area over targets, or over classes each against the
// rest; of two classes the area of the second. Targets that have one kind of
// item only have no curve and are left out.
func rocAUC(pred tensor.Matrix, l dataset.Labels, items []int32) float64 {
	sum, n := 0.0, 0.0
	for j := range pred.Cols {
		if l.Class != nil && pred.Cols == 2 && j == 0 {
			continue
		}
		if a := areaUnderROC(scores(pred, l, items, j)); !math.IsNaN(a) {
			sum += a
			n++
		}
	}
	return sum / n
}

// scored is an item's score and whether it is of the class.
type scored struct {
	y  float64
	is bool
}

// scores lists the items of one column: its log-odds where classes exclude
// each other, its logit otherwise.
func scores(pred tensor.Matrix, l dataset.Labels, items []int32, j int) []scored {
	var out []scored
	for _, i := range items {
		row := pred.Row(int(i))
		if l.Class == nil {
			if y := l.Value.Row(int(i))[j]; y == y {
				out = append(out, scored{float64(row[j]), y > 0.5})
			}
			continue
		}
		out = append(out, scored{logOdds(row, j), l.Class[i] == int32(j)})
	}
	return out
}

// logOdds is ln p_j/(1−p_j) of a softmax over the row.
func logOdds(row []float32, j int) float64 {
	top := math.Inf(-1)
	for c, v := range row {
		if c != j {
			top = max(top, float64(v))
		}
	}
	sum := 0.0
	for c, v := range row {
		if c != j {
			sum += math.Exp(float64(v) - top)
		}
	}
	return float64(row[j]) - top - math.Log(sum)
}

func areaUnderROC(s []scored) float64 {
	slices.SortFunc(s, func(a, b scored) int { return cmp.Compare(a.y, b.y) })
	y, is := make([]float64, len(s)), make([]bool, len(s))
	ones := 0
	for i, v := range s {
		y[i], is[i] = v.y, v.is
		if v.is {
			ones++
		}
	}
	if ones == 0 || ones == len(s) {
		return math.NaN()
	}
	tpr, fpr, _ := stat.ROC(nil, y, is, nil)
	return integrate.Trapezoidal(fpr, tpr)
}
