package kernel

import "github.com/weft-gnn/weft/tensor"

// Missing is the class of a row without one. Regression and binary targets are
// missing where they are NaN.
const Missing = -1

// Items says what a loss is a mean over.
type Items struct {
	// Rows lists distinct rows; nil lists all.
	Rows []int32
	// Total is the number of labelled rows (of [CrossEntropy]) or values (of
	// [ValueLoss]) that the mean divides by: those of the whole batch. Where a
	// batch is spread over ranks it is the same on all of them, so that their
	// losses and gradients add up. 0 makes loss and gradient 0.
	Total int64
}

// over returns how many of all rows are listed.
func (it *Items) over(all int) int {
	if it.Rows == nil {
		return all
	}
	return len(it.Rows)
}

// row returns the i-th listed row.
func (it *Items) row(i int) int {
	if it.Rows == nil {
		return i
	}
	return int(it.Rows[i])
}

// bytes is what reading the list takes.
func (it *Items) bytes() int64 { return 4 * int64(len(it.Rows)) }

// CountClasses counts the listed rows that have a class; rows nil lists all.
func CountClasses(class, rows []int32) (n int64) {
	it := Items{Rows: rows}
	for i := range it.over(len(class)) {
		if class[it.row(i)] != Missing {
			n++
		}
	}
	return n
}

// CountValues counts the listed rows' values that are not NaN; rows nil lists all.
func CountValues(target tensor.Matrix, rows []int32) (n int64) {
	it := Items{Rows: rows}
	for i := range it.over(target.Rows) {
		for _, v := range target.Row(it.row(i)) {
			if v == v {
				n++
			}
		}
	}
	return n
}

// share returns g/Total, what one of the labelled weighs in the mean.
func (it *Items) share(g float64) float64 {
	if it.Total == 0 {
		return 0
	}
	return g / float64(it.Total)
}

// lossOperands is what the losses need beside their matrices.
type lossOperands struct {
	items Items
	class []int32
	spec  *lossSpec
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
	wantLen("kernel.CrossEntropy: class", len(class), x.Rows)
	ctx.call = call{body: crossEntropyRows, x: x, loss: lossOperands{items: items, class: class}}
	r, s := ctx.meanLoss("kernel.CrossEntropy: loss", 4*x.Cols, loss)
	k := int64(x.Cols)
	ctx.Count.Add(s*(4*k+3)+1, 4*(r+s*k+1)+items.bytes())
}

// meanLoss runs a body that leaves a sum of losses per piece, and returns the
// numbers of rows listed and of losses.
func (c *Ctx) meanLoss(what string, width int, loss tensor.Matrix) (listed, labelled int64) {
	wantShape(what, loss, 1, 1)
	k := &c.call
	k.cut(k.loss.items.over(k.x.Rows), width)
	k.sums = c.doubles(k.pieces)
	listed = c.cutRows()
	loss.Data[0] = float32(k.loss.items.share(total(k.sums)))
	return listed, k.labelled.Load()
}

func crossEntropyRows(c *call, _, piece, lo, hi int) {
	sum, labelled := 0.0, int64(0)
	for i := lo; i < hi; i++ {
		r := c.loss.items.row(i)
		t := c.loss.class[r]
		if t == Missing {
			continue
		}
		x := c.x.Row(r)
		top, log := logSumExp(x)
		sum += float64(log) - (float64(x[t]) - float64(top))
		labelled++
	}
	c.sums[piece] = sum
	c.labelled.Add(labelled)
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
	n := ctx.zip(ctx.values().fill, d, d, d, 0)
	ctx.call = call{body: crossEntropyGradRows, x: x, dst: d}
	ctx.call.loss = lossOperands{items: items, class: class, share: float32(items.share(float64(g.Data[0])))}
	r := ctx.rows(items.over(x.Rows), 4*x.Cols)
	s, k := ctx.call.labelled.Load(), int64(x.Cols)
	ctx.Count.Add(s*(6*k+1)+1, 4*(1+r+s*k+n*k)+items.bytes())
}

func crossEntropyGradRows(c *call, _, _, lo, hi int) {
	labelled := int64(0)
	for i := lo; i < hi; i++ {
		r := c.loss.items.row(i)
		t := c.loss.class[r]
		if t == Missing {
			continue
		}
		d := c.dst.Row(r)
		sum := expRow(d, c.x.Row(r))
		scaleTo(d, d, nil, c.loss.share/sum)
		d[t] -= c.loss.share
		labelled++
	}
	c.labelled.Add(labelled)
}
