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
	ctx.listRoom()
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

// listRoom makes room for each worker's list of logRows rows.
func (c *Ctx) listRoom() {
	n := c.Pool.Threads() * logRows
	if cap(c.listed) < n {
		c.listed = make([]int32, n)
	}
	c.call.listed = c.listed[:n]
	c.logRoom()
}

// eachLabelled calls f with the labelled rows of a piece, some at a time.
func (c *call) eachLabelled(worker, lo, hi int, f func(rows []int32)) {
	list := c.listed[worker*logRows : (worker+1)*logRows]
	labelled := 0
	for lo < hi {
		n := 0
		for ; lo < hi && n < logRows; lo++ {
			r := c.loss.items.row(lo)
			list[n] = int32(r)
			if c.loss.class[r] != Missing {
				n++
			}
		}
		f(list[:n])
		labelled += n
	}
	c.labelled.Add(int64(labelled))
}

func crossEntropyRows(c *call, worker, piece, lo, hi int) {
	sum := 0.0
	c.eachLabelled(worker, lo, hi, func(rows []int32) {
		top, log := c.logSums(worker, len(rows), c.x, rows)
		for i, r := range rows {
			own := c.x.Row(int(r))[c.loss.class[r]]
			sum += float64(log.Data[i]) - (float64(own) - float64(top.Data[i]))
		}
	})
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
	n := ctx.zip(ctx.values().fill, d, d, d, 0)
	ctx.call = call{body: crossEntropyGradRows, x: x, dst: d}
	ctx.call.loss = lossOperands{items: items, class: class, share: float32(items.share(float64(g.Data[0])))}
	ctx.listRoom()
	r := ctx.rows(items.over(x.Rows), 4*x.Cols)
	s, k := ctx.call.labelled.Load(), int64(x.Cols)
	ctx.Count.Add(s*(6*k+1)+1, 4*(1+r+s*k+n*k)+items.bytes())
}

func crossEntropyGradRows(c *call, worker, _, lo, hi int) {
	c.eachLabelled(worker, lo, hi, func(rows []int32) {
		c.values.rows.softmaxOf(c.dst, c.x, rows, c.loss.share)
		for _, r := range rows {
			c.dst.Row(int(r))[c.loss.class[r]] -= c.loss.share
		}
	})
}
