package kernel

import (
	"slices"

	"github.com/weft-gnn/weft/tensor"
)

// StepKind is what one step of a [Tail] does to y.
type StepKind uint8

// The steps, element by element.
const (
	ScaleRows     StepKind = iota // y_ij · x_i: x is r×1
	AddRow                        // y_ij + x_j: x is 1×k
	AddValues                     // y_ij + x_ij
	AddMultiple                   // y_ij + (plus + s)·x_ij
	AddProduct                    // y_ij + x_ih·s_j of column j's head h: x is r×H, s 1×k', the first columns of k
	AddOwnProduct                 // the same, x being the H columns of y from k' on, which are the last
	ApplyFunc                     // f(y_ij)
	ApplySlope                    // y_ij · f′, f′ from x_ij as f.GradFrom says
	DropValues                    // as [Dropout] does
)

// TailStep is one step of a [Tail]. X is the zero Matrix for ApplyFunc,
// DropValues and AddOwnProduct.
type TailStep struct {
	Kind StepKind
	Func Func
	X    tensor.Matrix
	S    tensor.Matrix // of AddMultiple, 1×1, and of products
	Plus float32
	Mask Mask // of DropValues, with the rows' identities
	IDs  []int64
}

// MaxTail is the largest number of steps.
const MaxTail = 4

// Tail is what follows a product on every element of its result, while the
// result is in cache or, of sums over edges, in registers: the row-wise operations
// that would each read and write all of it again.
type Tail struct {
	steps [MaxTail]TailStep
	n     int
	drop  dropoutOperands // of the one step that drops
	lanes [MaxTail][]uint32
	over  bool // a step reads what the result is written over
}

func (t *Tail) drops() bool {
	return slices.ContainsFunc(t.steps[:t.n], func(s TailStep) bool { return s.Kind == DropValues })
}

// Then appends a step to what follows the next [MatMul], [MatMulNT], [Dense],
// [SpMM], [Attend], [AttendGradSrc] or [Slice] of this context.
//
// Contract: a step's operand has the shape of its kind and overlaps neither the
// result nor, unless it is read whole before, the product's operands; but an operand of
// AddValues, AddMultiple or ApplySlope may be the result of a dense product. Those of
// products and of SpMM may be stored in bfloat16; so may their result, which then
// is rounded after the last step. One step drops values at most.
// Cost: one operation per element, f.GradWork() for ApplySlope, 2 for DropValues,
// those of [AddScaled], [AddOuter] and [AddOwnOuter] for the others; the operand's
// bytes. The result is not read or written again.
func (c *Ctx) Then(s TailStep) {
	if c.tail.n == MaxTail || s.Kind == DropValues && c.tail.drops() {
		panic(tensor.ShapeError{Op: "kernel.Then", Got: "a step too many", Want: "at most 4, one of which drops values"})
	}
	c.tail.steps[c.tail.n] = s
	c.tail.n++
}

// takeTail hands the tail to the call that is set up, checks it against the
// result, and counts it. Operands are as want says.
func (c *Ctx) takeTail(y tensor.Matrix, want func(what string, m tensor.Matrix, rows, cols int)) {
	c.call.tail, c.tail = c.tail, Tail{}
	c.call.values = c.values()
	for i, s := range c.call.tail.steps[:c.call.tail.n] {
		rows, cols, width, work, check := y.Rows, y.Cols, y.Cols, int64(1), want
		switch s.Kind {
		case ScaleRows:
			cols = 1
		case AddRow:
			rows, check = 1, wantShape
		case ApplyFunc:
			rows, cols, work = 0, 0, s.Func.Work()
		case ApplySlope:
			work = s.Func.GradWork()
		case AddMultiple:
			wantShape("kernel.Then: s", s.S, 1, 1)
			work = 2
			c.Count.Add(factorWork(s.Plus), 4)
		case AddProduct:
			cols, width, work = s.X.Cols, s.S.Cols, 2
			wantOuter("kernel.Then: s", s.S, cols, y)
			c.laneOf(i, width, cols)
			c.Count.Add(0, 4*int64(width))
		case AddOwnProduct:
			rows, cols, width, work = 0, 0, s.S.Cols, 2
			wantOuter("kernel.Then: s", s.S, y.Cols-width, y)
			c.laneOf(i, width, y.Cols-width)
			c.Count.Add(0, 4*int64(width))
		case DropValues:
			rows, cols, work = 0, 0, 2
			c.call.tail.drop = c.dropping("kernel.Then", s.Mask, s.IDs, y)
		}
		check("kernel.Then: x", s.X, rows, cols)
		if rows == y.Rows && cols == y.Cols && sameStart(s.X, y) {
			c.call.tail.over = true
		}
		c.Count.Add(work*int64(y.Rows)*int64(width), valueBytes(s.X)*int64(rows)*int64(cols))
	}
}

// sameStart reports whether two matrices begin with the same value.
func sameStart(a, b tensor.Matrix) bool {
	return len(a.Data) > 0 && len(b.Data) > 0 && &a.Data[0] == &b.Data[0]
}

// laneOf makes the list of columns' heads for step i.
func (c *Ctx) laneOf(i, cols, heads int) {
	c.tailLanes[i] = appendLanes(c.tailLanes[i][:0], cols, heads)
	c.call.tail.lanes[i] = c.tailLanes[i]
}

// tailValues is how many values of the result a tail takes at once: its steps
// find them, and those of an operand, in the first-level cache.
const tailValues = 1 << 12

// follow runs the tail over y, the rows of the result from one on, of which y has
// all columns or the last band.
func (c *call) follow(worker int, y tensor.Matrix, from int) {
	if c.tail.n == 0 {
		return
	}
	if c.whole.Rows > 0 {
		y = c.whole.Between(from, from+y.Rows)
	}
	step := max(1, tailValues/max(1, y.Cols))
	for lo := 0; lo < y.Rows; lo += step {
		block := y.Between(lo, min(lo+step, y.Rows))
		for i := range c.tail.n {
			switch s := &c.tail.steps[i]; s.Kind {
			case DropValues:
				c.values.dropout.rows(&c.tail.drop, worker, block, block, from+lo)
			case AddProduct:
				c.values.addOuter(block, c.operand(worker, s, from+lo, block.Rows), s.S, 0, block.Rows, c.tail.lanes[i])
			case AddOwnProduct:
				c.values.addOuter(block, block.Columns(s.S.Cols, block.Cols), s.S, 0, block.Rows, c.tail.lanes[i])
			default:
				s.run(c.values, block, c.operand(worker, s, from+lo, block.Rows))
			}
		}
	}
}

// operandRows are the rows that a tail reads beside those of a result.
type operandRows struct {
	of [MaxTail]tensor.Matrix
	n  int
}

// operandRows returns rows lo to hi of the steps' operands that have the columns of
// the result, in float32.
func (t *Tail) operandRows(lo, hi int) (rows operandRows) {
	for i := range t.n {
		switch s := &t.steps[i]; s.Kind {
		case AddValues, AddMultiple, ApplySlope:
			if !s.X.BFloat16 {
				rows.of[rows.n] = s.X.Between(lo, hi)
				rows.n++
			}
		}
	}
	return rows
}

// operand returns what a step of the tail reads beside n rows of the result.
func (c *call) operand(worker int, s *TailStep, from, n int) tensor.Matrix {
	switch {
	case s.Kind == ApplyFunc:
		return tensor.Matrix{}
	case s.Kind == AddRow:
		return repeated(s.X, n)
	case s.X.BFloat16:
		x := c.staging.of(worker, c.staging.tail, n, s.X.Cols)
		c.values.rows.widen(x, s.X.Between(from, from+n), x, 0, n, 0)
		return x
	}
	return s.X.Between(from, from+n)
}

// run takes one step over the rows of y.
func (s *TailStep) run(v *valueLoops, y, x tensor.Matrix) {
	n := y.Rows
	switch s.Kind {
	case ScaleRows:
		v.rows.scale(y, y, x, 0, n, 0)
	case AddRow:
		v.add(y, y, x, 0, n, 0)
	case AddValues:
		v.add(y, y, x, 0, n, 0)
	case AddMultiple:
		v.addScaled(y, y, x, 0, n, s.Plus+s.S.Data[0])
	case ApplyFunc:
		v.forward[s.Func.Kind](y, y, y, 0, n, s.Func.Param)
	case ApplySlope:
		v.gradient[s.Func.Kind](y, x, y, 0, n, s.Func.Param)
	}
}
