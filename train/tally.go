package train

import (
	"math"
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// tally is what a metric needs of the predictions of some items. Tallies of ranks
// add up to that of all their items, so that no rank needs another's predictions.
type tally struct {
	items float64
	// sums are: of accuracy the right decisions and all, of an error its sum and the
	// values, of F1 the true positives, false positives and false negatives of each
	// class.
	sums []float64
	// curves are the items of each column of the area under the ROC curve, which
	// depends on their order and is no sum.
	curves [][]scored
}

// tally counts the predictions of the listed items.
func (m Metric) tally(ctx *kernel.Ctx, pred tensor.Matrix, l dataset.Labels, items []int32) tally {
	t := tally{items: float64(len(items))}
	switch m {
	case MAE, RMSE:
		t.sums = m.deviations(pred, l.Value, items)
	case ROCAUC:
		for j := range pred.Cols {
			if l.Class == nil || pred.Cols != 2 || j == 1 { // of two classes the second
				t.curves = append(t.curves, scores(pred, l, items, j))
			}
		}
	case F1, F1Micro:
		t.sums = confusions(ctx, pred, l, items)
	default:
		t.sums = rights(ctx, pred, l, items)
	}
	return t
}

// add adds another rank's tally of the same metric.
func (t *tally) add(o tally) {
	t.items += o.items
	for i, n := range o.sums {
		t.sums[i] += n
	}
	for j, s := range o.curves {
		t.curves[j] = append(t.curves[j], s...)
	}
}

// score is the metric; NaN over no items.
func (t tally) score(pool *kernel.Pool, m Metric) float64 {
	switch {
	case t.items == 0:
		return math.NaN()
	case m == RMSE:
		return math.Sqrt(t.sums[0] / t.sums[1])
	case m == ROCAUC:
		return meanArea(pool, t.curves)
	case m == F1, m == F1Micro:
		return m.f1(t.sums)
	}
	return t.sums[0] / t.sums[1]
}

// words are the tally as it travels.
func (t tally) words() []float64 {
	out := append([]float64{t.items, float64(len(t.sums)), float64(len(t.curves))}, t.sums...)
	for _, c := range t.curves {
		out = append(out, float64(len(c)))
		for _, s := range c {
			out = append(out, s.y, map[bool]float64{true: 1}[s.is])
		}
	}
	return out
}

// tallyOf reads a tally, and returns the words after it.
func tallyOf(words []float64) (t tally, rest []float64) {
	t.items = words[0]
	sums, curves := int(words[1]), int(words[2])
	t.sums, rest = words[3:3+sums], words[3+sums:]
	for range curves {
		c := make([]scored, int(rest[0]))
		rest = rest[1:]
		for i := range c {
			c[i] = scored{rest[2*i], rest[2*i+1] != 0}
		}
		t.curves, rest = append(t.curves, c), rest[2*len(c):]
	}
	return t, rest
}

// rights counts right decisions, and all.
func rights(ctx *kernel.Ctx, pred tensor.Matrix, l dataset.Labels, items []int32) []float64 {
	n := make([]float64, 2)
	decisions(ctx, pred, l, items, func(_ int, got, want int32) {
		if n[1]++; got == want {
			n[0]++
		}
	})
	return n
}

// deviations sums the absolute or squared errors of present values, and counts these.
func (m Metric) deviations(pred, want tensor.Matrix, items []int32) []float64 {
	n := make([]float64, 2)
	for _, i := range items {
		for j, y := range want.Row(int(i)) {
			if d := float64(pred.Row(int(i))[j]) - float64(y); !math.IsNaN(float64(y)) {
				if m == RMSE {
					d *= d
				}
				n[0] += math.Abs(d)
				n[1]++
			}
		}
	}
	return n
}

// confusions counts true positives, false positives and false negatives: three
// numbers a class.
func confusions(ctx *kernel.Ctx, pred tensor.Matrix, l dataset.Labels, items []int32) []float64 {
	n := make([]float64, 3*pred.Cols)
	decisions(ctx, pred, l, items, func(column int, got, want int32) {
		switch {
		case l.Class == nil: // the positive decisions of a target
			n[3*column] += float64(got * want)
			n[3*column+1] += float64(got * (1 - want))
			n[3*column+2] += float64((1 - got) * want)
		case got == want:
			n[3*got]++
		default:
			n[3*got+1]++
			n[3*want+2]++
		}
	})
	return n
}

// f1 is 2tp/(2tp + fp + fn): of all classes together, or the mean over them. Classes
// that were neither predicted nor true are left out of the mean.
func (m Metric) f1(n []float64) float64 {
	var all [3]float64
	sum, present := 0.0, 0.0
	for c := range slices.Chunk(n, 3) {
		all = [3]float64{all[0] + c[0], all[1] + c[1], all[2] + c[2]}
		if d := 2*c[0] + c[1] + c[2]; d > 0 {
			sum += 2 * c[0] / d
			present++
		}
	}
	if m == F1Micro {
		return 2 * all[0] / (2*all[0] + all[1] + all[2])
	}
	return sum / present
}

// scored is an item's score and whether it is of the class.
type scored struct {
	y  float64
	is bool
}

// scores lists the items of one column: its log-odds where classes exclude
// each other, its logit otherwise.
func scores(pred tensor.Matrix, l dataset.Labels, items []int32, j int) []scored {
	out := make([]scored, 0, len(items))
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
