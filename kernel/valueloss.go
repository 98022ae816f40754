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

// lossSpec is what there is to know about one loss, beside its loops.
type lossSpec struct {
	name     string
	work     int64 // operations per labelled value, its addition to the sum included
	gradWork int64
}

var lossSpecs = [losses]lossSpec{
	SquaredError:  {"squared-error", 3, 3},
	AbsoluteError: {"absolute-error", 3, 3},
	LogisticError: {"logistic-error", 8, 3},
}

// lossLoops are the loops of the losses in one variant of instructions. Values
// without a target, NaN, get 0.
type lossLoops struct {
	present rowFunc   // 1, or 0 where x is NaN
	value   []rowFunc // of x and its target y
	slope   []rowFunc // s·∂value/∂x
}

func (l Loss) String() string { return lossSpecs[l].name }

// Work returns the operations per labelled value of [ValueLoss].
func (l Loss) Work() int64 { return lossSpecs[l].work }

// GradWork returns the operations per labelled value of [ValueLossGrad].
func (l Loss) GradWork() int64 { return lossSpecs[l].gradWork }

// ValueLoss computes the mean of a loss over the listed rows' values whose
// target is not NaN.
//
// Shapes: x and target are n×C, loss 1×1.
// Contract: as [CrossEntropy].
// Cost: with r rows listed, t of their values labelled: work t·l.Work() + 1,
// bytes 4(2rC + 1), + 4r where a list is read.
func ValueLoss(ctx *Ctx, l Loss, x, target tensor.Matrix, items Items, loss tensor.Matrix) {
	wantShape("kernel.ValueLoss: target", target, x.Rows, x.Cols)
	loops := &ctx.values().loss
	ctx.call = call{body: valueLossRows, values: ctx.values(), row: loops.value[l], x: x, y: target, loss: lossOperands{items: items}}
	ctx.call.scratch = ctx.floats(ctx.Pool.Threads() * lossValues)
	ctx.call.cut(items.over(x.Rows), x.Cols)
	r, t := ctx.meanLoss("kernel.ValueLoss: loss", loss)
	ctx.Count.Add(t*l.Work()+1, 4*(2*r*int64(x.Cols)+1)+items.bytes())
}

// lossValues is how many values of a loss are taken at once.
const lossValues = 1 << 10

// eachTarget calls f with the values of x, their targets and those of dst, if
// there is one, of the listed rows lo to hi: row by row, or at once where all rows
// are listed and follow each other.
func (c *call) eachTarget(lo, hi int, f func(x, target, dst []float32)) {
	n := 1
	if c.loss.items.Rows == nil && c.x.Contiguous() && c.y.Contiguous() && c.dst.Contiguous() {
		n = hi - lo
	}
	for ; lo < hi; lo += n {
		r := c.loss.items.row(lo)
		x, target, dst := block(c.x, r, n), block(c.y, r, n), []float32(nil)
		if c.dst.Data != nil {
			dst = block(c.dst, r, n)
		}
		for len(x) > lossValues {
			f(x[:lossValues], target[:lossValues], dst[:min(lossValues, len(dst))])
			x, target, dst = x[lossValues:], target[lossValues:], dst[min(lossValues, len(dst)):]
		}
		f(x, target, dst)
	}
}

// present counts the values that are not NaN, of which room holds as many.
func (v *valueLoops) present(x, room []float32) int64 {
	room = room[:len(x)]
	v.loss.present.over(room, x, x, 0)
	return int64(v.sum(room, room))
}

func valueLossRows(c *call, worker, piece, lo, hi int) {
	room := c.scratch[worker*lossValues : (worker+1)*lossValues]
	sum, labelled := 0.0, int64(0)
	c.eachTarget(lo, hi, func(x, target, _ []float32) {
		labelled += c.values.present(target, room)
		room := room[:len(x)]
		c.row.over(room, x, target, 0)
		sum += c.values.sum(room, room)
	})
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
	if items.Rows != nil {
		ctx.byRow(ctx.values().fill, d, d, d, d.Cols, 0)
	}
	loops := &ctx.values().loss
	ctx.call = call{body: valueLossGradRows, values: ctx.values(), row: loops.slope[l], x: x, y: target, dst: d}
	ctx.call.loss = lossOperands{items: items, share: float32(items.share(float64(g.Data[0])))}
	ctx.call.scratch = ctx.floats(ctx.Pool.Threads() * lossValues)
	r, n, k := ctx.rows(items.over(x.Rows), x.Cols), int64(d.Rows), int64(x.Cols)
	ctx.Count.Add(ctx.call.labelled.Load()*l.GradWork()+1, 4*(1+2*r*k+n*k)+items.bytes())
}

func valueLossGradRows(c *call, worker, _, lo, hi int) {
	room := c.scratch[worker*lossValues : (worker+1)*lossValues]
	labelled := int64(0)
	c.eachTarget(lo, hi, func(x, target, d []float32) {
		labelled += c.values.present(target, room)
		c.row.over(d, x, target, c.loss.share)
	})
	c.labelled.Add(labelled)
}
