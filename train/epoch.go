package train

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/weft-gnn/weft/kernel"
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
	pred, err := t.session.Value(evalProgram, "logits")
	if err != nil {
		return err
	}
	scores, err := t.scores(ctx, pred)
	if err != nil {
		return err
	}
	e.Train, e.Val, e.Test, e.ValLoss = scores[0], scores[1], scores[2], scores[3]
	t.state.Epoch++
	last := [3]float64{e.Train, e.Val, e.Test}
	t.state.Last = finiteScores(last)
	if t.known.split.Val.Items == 0 {
		return nil
	}
	e.Best, t.state.Done = t.state.Stop.observe(e.Epoch, e.ValLoss, t.problem.metric.sign()*e.Val)
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
		if name, ok := strings.CutPrefix(slot, paramPrefix); ok {
			out[name], _ = t.session.Slot(slot) // Slots lists what Slot finds
		}
	}
	return out
}

// scores are the metric of each part of the split and the mean loss of the
// validation part, over what all ranks tally.
func (t *Trainer) scores(ctx context.Context, pred tensor.Matrix) (out [4]float64, err error) {
	metric, scored, s := t.problem.metric, t.inUnit(pred), t.mine.split
	words := []float64{t.lossOf(pred, t.mine.val)}
	for _, items := range [3][]int32{s.Train, s.Val, s.Test} {
		words = append(words, metric.tally(t.session.Ctx(), scored, t.mine.labels, items).words()...)
	}
	ranks, err := gather(ctx, t, words)
	if err != nil {
		return out, err
	}
	var sum [3]tally
	for q, its := range ranks {
		out[3] += its[0]
		its = its[1:]
		for k := range sum {
			var one tally
			if one, its = tallyOf(its); q == 0 {
				sum[k] = one
			} else {
				sum[k].add(one)
			}
		}
	}
	for k, one := range sum {
		out[k] = one.score(t.session.Ctx().Pool, metric)
	}
	if out[3] /= float64(t.mine.val.Total); t.mine.val.Total == 0 {
		out[3] = math.NaN()
	}
	return out, nil
}

// lossOf is the sum of the losses of predictions over a target, in float64.
func (t *Trainer) lossOf(pred tensor.Matrix, target program.Target) (sum float64) {
	if len(target.Rows) == 0 {
		return 0 // of kernels no list is one of all
	}
	if t.problem.loss == model.CrossEntropy {
		return kernel.SumCrossEntropy(t.session.Ctx(), pred, target.Class, target.Items)
	}
	for _, i := range target.Rows {
		row := pred.Row(int(i))
		for j, y := range target.Value.Row(int(i)) {
			if y == y {
				sum += valueLoss(t.problem.loss, float64(row[j]), float64(y))
			}
		}
	}
	return sum
}

func valueLoss(l model.Loss, x, y float64) float64 {
	if l == model.SquaredError {
		return (x - y) * (x - y)
	}
	return max(x, 0) - x*y + math.Log1p(math.Exp(-math.Abs(x)))
}
