package kernel

import (
	"math/bits"

	"github.com/weft-gnn/weft/tensor"
)

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

// markLabelled makes a set of the listed rows that have a class, so that a gradient
// is written in the order of its rows, whatever that of the list.
func (c *Ctx) markLabelled() {
	k := &c.call
	n := (k.dst.Rows + 63) / 64
	if cap(c.marks) < n {
		c.marks = make([]uint64, n)
	}
	k.marks = c.marks[:n]
	clear(k.marks)
	for i := range k.loss.items.over(k.dst.Rows) {
		if r := k.loss.items.row(i); k.loss.class[r] != Missing {
			k.marks[r/64] |= 1 << (r % 64)
		}
	}
}

// listRoom makes room for each worker's list of the rows of a piece.
func (c *Ctx) listRoom() {
	n := c.Pool.Threads() * c.call.grain
	if cap(c.listed) < n {
		c.listed = make([]int32, n)
	}
	c.call.listed = c.listed[:n]
}

// labelledItems lists, of the rows that are items lo to hi, those that have a
// class. Each is stored before it is known to count, which takes no branch.
func (c *call) labelledItems(worker, lo, hi int) []int32 {
	list, n := c.listed[worker*c.grain:], 0
	for ; lo < hi; lo++ {
		r := c.loss.items.row(lo)
		list[n] = int32(r)
		if c.loss.class[r] != Missing {
			n++
		}
	}
	c.labelled.Add(int64(n))
	return list[:n]
}

// markedRows lists the rows of lo to hi that are marked.
func (c *call) markedRows(worker, lo, hi int) []int32 {
	list, n := c.listed[worker*c.grain:], 0
	for word := lo / 64; 64*word < hi; word++ {
		before, after := max(0, lo-64*word), max(0, 64*word+64-hi)
		set := c.marks[word] >> before << before << after >> after
		for ; set != 0; set &= set - 1 {
			list[n] = int32(64*word + bits.TrailingZeros64(set))
			n++
		}
	}
	c.labelled.Add(int64(n))
	return list[:n]
}
