package kernel

import "github.com/weft-gnn/weft/tensor"

// Loss names a loss of a value x against a target t.
type Loss uint8

// The losses.
const (
	SquaredError  Loss = iota // (x − t)²
	AbsoluteError             // |x − t|
	LogisticError             // −t·ln σ(x) − (1 − t)·ln(1 − σ(x)): binary cross-entropy of a logit
	losses
)

// lossSpec is what there is to know about one loss.
type lossSpec struct {
	name     string
	work     int64 // operations per labelled value, its addition to the sum included
	gradWork int64
	value    func(x, t float32) float32
	slope    func(x, t float32) float32 // ∂value/∂x
}

var lossSpecs = [losses]lossSpec{
	SquaredError:  {"squared-error", 3, 3, squaredError, squaredErrorSlope},
	AbsoluteError: {"absolute-error", 3, 3, absoluteError, absoluteErrorSlope},
	LogisticError: {"logistic-error", 8, 3, logisticError, logisticErrorSlope},
}

func (l Loss) String() string { return lossSpecs[l].name }

// Work returns the operations per labelled value of [ValueLoss].
func (l Loss) Work() int64 { return lossSpecs[l].work }

// GradWork returns the operations per labelled value of [ValueLossGrad].
func (l Loss) GradWork() int64 { return lossSpecs[l].gradWork }

func squaredError(x, t float32) float32      { return (x - t) * (x - t) }
func squaredErrorSlope(x, t float32) float32 { return 2 * (x - t) }

func absoluteError(x, t float32) float32 { return abs(x - t) }

// absoluteErrorSlope is 0 where x = t, and NaN where x is.
func absoluteErrorSlope(x, t float32) float32 {
	switch d := x - t; {
	case d > 0:
		return 1
	case d < 0:
		return -1
	default:
		return d
	}
}

// logisticError uses max(x, 0) − x·t + ln(1 + e^−|x|), which cannot overflow.
func logisticError(x, t float32) float32 {
	return max(x, 0) - x*t + log1p(exp(-abs(x)))
}

func logisticErrorSlope(x, t float32) float32 { return sigmoid(x) - t }

// ValueLoss computes the mean of a loss over the listed rows' values whose
// target is not NaN.
//
// Shapes: x and target are n×C, loss 1×1.
// Contract: as [CrossEntropy].
// Cost: with r rows listed, t of their values labelled: work t·l.Work() + 1,
// bytes 4(2rC + 1), + 4r where a list is read.
func ValueLoss(ctx *Ctx, l Loss, x, target tensor.Matrix, items Items, loss tensor.Matrix) {
	wantShape("kernel.ValueLoss: target", target, x.Rows, x.Cols)
	ctx.call = call{body: valueLossRows, x: x, y: target, loss: lossOperands{items: items, spec: &lossSpecs[l]}}
	r, t := ctx.meanLoss("kernel.ValueLoss: loss", x.Cols, loss)
	ctx.Count.Add(t*l.Work()+1, 4*(2*r*int64(x.Cols)+1)+items.bytes())
}

func valueLossRows(c *call, _, piece, lo, hi int) {
	sum, labelled := 0.0, int64(0)
	for i := lo; i < hi; i++ {
		r := c.loss.items.row(i)
		x := c.x.Row(r)
		for j, t := range c.y.Row(r) {
			if t != t {
				continue
			}
			sum += float64(c.loss.spec.value(x[j], t))
			labelled++
		}
	}
	c.sums[piece] = sum
	c.labelled.Add(labelled)
}

// ValueLossGrad computes the gradient of [ValueLoss]'s predictions,
// d = (g/Total)·∂l/∂x, and 0 where the target is NaN or the row not listed.
//
// Shapes: x, target and d are n×C, g 1×1.
// Contract: overwrites d, which overlaps neither x nor target.
// Cost: work t·l.GradWork() + 1, bytes 4(1 + 2rC + nC), + 4r where a list is read.
func ValueLossGrad(ctx *Ctx, l Loss, x, target tensor.Matrix, items Items, g, d tensor.Matrix) {
	wantShape("kernel.ValueLossGrad: target", target, x.Rows, x.Cols)
	wantShape("kernel.ValueLossGrad: g", g, 1, 1)
	wantShape("kernel.ValueLossGrad: d", d, x.Rows, x.Cols)
	n := ctx.zip(ctx.values().fill, d, d, d, 0)
	ctx.call = call{body: valueLossGradRows, x: x, y: target, dst: d}
	ctx.call.loss = lossOperands{items: items, spec: &lossSpecs[l], share: float32(items.share(float64(g.Data[0])))}
	r, k := ctx.rows(items.over(x.Rows), x.Cols), int64(x.Cols)
	ctx.Count.Add(ctx.call.labelled.Load()*l.GradWork()+1, 4*(1+2*r*k+n*k)+items.bytes())
}

func valueLossGradRows(c *call, _, _, lo, hi int) {
	labelled := int64(0)
	for i := lo; i < hi; i++ {
		r := c.loss.items.row(i)
		x, d := c.x.Row(r), c.dst.Row(r)
		for j, t := range c.y.Row(r) {
			if t != t {
				continue
			}
			d[j] = c.loss.share * c.loss.spec.slope(x[j], t)
			labelled++
		}
	}
	c.labelled.Add(labelled)
}
