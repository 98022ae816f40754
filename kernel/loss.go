package kernel

import "github.com/weft-gnn/weft/tensor"

// Missing is the class of a row without one. Regression and binary targets are
// missing where they are NaN.
const Missing = -1

// lossOperands is what the losses need beside their matrices.
type lossOperands struct {
	items Items
	class []int32
	share float32 // of a gradient: the upstream gradient over Total
}

// CrossEntropy computes the mean of −ln softmax(x[i])[class[i]] over the listed
// rows i that have a class.
//
// Shapes: x is n×C, class has n entries, loss is 1×1.
// Contract: overwrites loss. Losses are summed in float64, in fixed pieces and
// in order.
// Cost: with r rows listed, s of them labelled: maximum, subtract, exp and sum
// per logit, then a logarithm, a subtraction and an addition per row, and one
// division: work s(4C + 3) + 1, bytes 4(r + sC + 1), + 4r where a list is read.
func CrossEntropy(ctx *Ctx, x tensor.Matrix, class []int32, items Items, loss tensor.Matrix) {
	wantShape("kernel.CrossEntropy: loss", loss, 1, 1)
	loss.Data[0] = float32(items.share(SumCrossEntropy(ctx, x, class, items)))
	ctx.Count.Add(1, 4)
}

// SumCrossEntropy returns the sum of which [CrossEntropy] is the mean.
//
// Cost: work s(4C + 3), bytes 4(r + sC), + 4r where a list is read.
func SumCrossEntropy(ctx *Ctx, x tensor.Matrix, class []int32, items Items) float64 {
	wantLen("kernel.CrossEntropy: class", len(class), x.Rows)
	ctx.call = call{body: crossEntropyRows, x: x, loss: lossOperands{items: items, class: class}}
	ctx.call.cut(items.over(x.Rows), 4*x.Cols)
	ctx.listRoom()
	ctx.logRoom()
	sum, r, s := ctx.sumLosses()
	k := int64(x.Cols)
	ctx.Count.Add(s*(4*k+3), 4*(r+s*k)+items.bytes())
	return sum
}

// meanLoss runs a body that leaves a sum of losses per piece of the listed rows,
// and returns the numbers of rows listed and of losses.
func (c *Ctx) meanLoss(what string, loss tensor.Matrix) (listed, labelled int64) {
	wantShape(what, loss, 1, 1)
	sum, listed, labelled := c.sumLosses()
	loss.Data[0] = float32(c.call.loss.items.share(sum))
	return listed, labelled
}

func (c *Ctx) sumLosses() (sum float64, listed, labelled int64) {
	c.call.sums = c.doubles(c.call.pieces)
	listed = c.cutRows()
	return total(c.call.sums), listed, c.call.labelled.Load()
}

func crossEntropyRows(c *call, worker, piece, lo, hi int) {
	sum := 0.0
	for rows := c.labelledItems(worker, lo, hi); len(rows) > 0; {
		n := min(logRows, len(rows))
		top, log := c.logSums(worker, n, c.x, rows)
		for i, r := range rows[:n] {
			own := c.x.Row(int(r))[c.loss.class[r]]
			sum += float64(log.Data[i]) - (float64(own) - float64(top.Data[i]))
		}
		rows = rows[n:]
	}
	c.sums[piece] = sum
}

// CrossEntropyGrad computes the gradient of [CrossEntropy]'s logits,
//
//	d[i] = (g/Total)·(softmax(x[i]) − onehot(class[i]))
//
// and 0 in all rows that are not listed or have no class.
//
// Shapes: x and d are n×C, g 1×1, class has n entries.
// Contract: overwrites d, which does not overlap x.
// Cost: per logit softmax 5 and scale 1, one subtraction per row, one division:
// work s(6C + 1) + 1, bytes 4(1 + r + sC + nC), + 4r where a list is read.
func CrossEntropyGrad(ctx *Ctx, x tensor.Matrix, class []int32, items Items, g, d tensor.Matrix) {
	wantLen("kernel.CrossEntropyGrad: class", len(class), x.Rows)
	wantShape("kernel.CrossEntropyGrad: g", g, 1, 1)
	wantShape("kernel.CrossEntropyGrad: d", d, x.Rows, x.Cols)
	ctx.call = call{body: crossEntropyGradRows, values: ctx.values(), x: x, dst: d}
	ctx.call.loss = lossOperands{items: items, class: class, share: float32(items.share(float64(g.Data[0])))}
	ctx.call.cut(d.Rows, d.Cols)
	ctx.markLabelled()
	ctx.listRoom()
	n, r, s := ctx.cutRows(), int64(items.over(x.Rows)), ctx.call.labelled.Load()
	k := int64(x.Cols)
	ctx.Count.Add(s*(6*k+1)+1, 4*(1+r+s*k+n*k)+items.bytes())
}

// crossEntropyGradRows clears some rows at a time and overwrites those that are
// labelled while they are in cache: one run of zeros costs less than many short ones.
func crossEntropyGradRows(c *call, worker, _, lo, hi int) {
	rows := c.markedRows(worker, lo, hi)
	step := rowsAtOnce(c.dst.Cols)
	for ; lo < hi; lo += step {
		next := min(lo+step, hi)
		c.values.fill(c.dst, c.dst, c.dst, lo, next, 0)
		n := 0
		for n < len(rows) && int(rows[n]) < next {
			n++
		}
		c.values.rows.softmaxOf(c.dst, c.x, rows, n, c.loss.share)
		for _, r := range rows[:n] {
			c.dst.Row(int(r))[c.loss.class[r]] -= c.loss.share
		}
		rows = rows[n:]
	}
}
