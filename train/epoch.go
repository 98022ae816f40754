package train

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// epoch runs one training step and evaluates.
func (t *Trainer) epoch(ctx context.Context) (Epoch, error) {
	n := t.state.Epoch
	e := Epoch{Epoch: n, Epochs: t.cfg.Epochs, LR: t.cfg.LR * t.cfg.Schedule.At(n, t.cfg.Epochs)}
	t.lr.Data[0] = float32(e.LR)
	if err := t.once(); err != nil {
		return e, err
	}
	if t.among() {
		t.rank.SetStep(n)
		t.set.Rank.Comm.SetStep(n)
	}
	start, before := time.Now(), t.sent()
	counted, err := t.session.Run(stepProgram, uint32(n), t.step)
	if err != nil {
		return e, err
	}
	e.Step, t.state.Sent = time.Since(start), t.sent().Minus(before)
	t.state.Counted, t.state.StepMS = counted, append(t.state.StepMS, float32(e.Step.Seconds()*1e3))
	loss, err := t.session.Value(stepProgram, "loss")
	if err != nil {
		return e, err
	}
	e.Loss = float64(loss.Data[0])
	t.state.Loss = append(t.state.Loss, loss.Data[0])
	return e, t.evaluate(ctx, &e)
}

// once does what is computed once per run, so that no step counts it.
func (t *Trainer) once() error {
	for _, p := range []int{stepProgram, evalProgram} {
		if _, err := t.session.Prelude(p); err != nil {
			return err
		}
	}
	return nil
}

// evaluate scores the parameters as they are, and keeps them when they are the
// best so far.
func (t *Trainer) evaluate(ctx context.Context, e *Epoch) error {
	if _, err := t.session.Run(evalProgram, uint32(e.Epoch), program.Target{}); err != nil {
		return err
	}
	mine, err := t.session.Value(evalProgram, "logits")
	if err != nil {
		return err
	}
	pred, err := t.gathered(ctx, mine)
	if err != nil {
		return err
	}
	metric, scored := t.problem.metric, t.inUnit(pred)
	e.Train = metric.Score(scored, t.d.Labels, t.split.Train)
	e.Val = metric.Score(scored, t.d.Labels, t.split.Val)
	e.Test = metric.Score(scored, t.d.Labels, t.split.Test)
	e.ValLoss = t.lossOf(pred, t.targets["val"])
	t.state.Epoch++
	last := [3]float64{e.Train, e.Val, e.Test}
	t.state.Last = finiteScores(last)
	if len(t.split.Val) == 0 {
		return nil
	}
	e.Best, t.state.Done = t.state.Stop.observe(e.Epoch, e.ValLoss, metric.sign()*e.Val)
	if e.Best {
		t.state.Score = finiteScores(last)
		t.keepBest()
	}
	return nil
}

// keepBest copies the parameters.
func (t *Trainer) keepBest() {
	if t.best == nil {
		t.best = map[string]tensor.Matrix{}
	}
	for name, m := range t.params() {
		if kept, ok := t.best[name]; ok {
			copy(kept.Data, m.Flat())
			continue
		}
		t.best[name] = m.Clone()
	}
}

// params returns the parameters by name, aliasing the session.
func (t *Trainer) params() map[string]tensor.Matrix {
	out := map[string]tensor.Matrix{}
	for _, slot := range t.session.Slots() {
		if name, ok := strings.CutPrefix(slot, "param."); ok {
			out[name], _ = t.session.Slot(slot) // Slots lists what Slot finds
		}
	}
	return out
}

// lossOf is the mean loss of predictions over a target, in float64; NaN over
// nothing.
func (t *Trainer) lossOf(pred tensor.Matrix, target program.Target) float64 {
	if target.Total == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, i := range target.Rows {
		row := pred.Row(int(i))
		if t.problem.loss == model.CrossEntropy {
			if c := target.Class[i]; c >= 0 {
				sum += logSumExp(row) - float64(row[c])
			}
			continue
		}
		for j, y := range target.Value.Row(int(i)) {
			if y == y {
				sum += valueLoss(t.problem.loss, float64(row[j]), float64(y))
			}
		}
	}
	return sum / float64(target.Total)
}

func logSumExp(row []float32) float64 {
	top := float64(row[0])
	for _, v := range row {
		top = max(top, float64(v))
	}
	sum := 0.0
	for _, v := range row {
		sum += math.Exp(float64(v) - top)
	}
	return top + math.Log(sum)
}

func valueLoss(l model.Loss, x, y float64) float64 {
	if l == model.SquaredError {
		return (x - y) * (x - y)
	}
	return max(x, 0) - x*y + math.Log1p(math.Exp(-math.Abs(x)))
}
