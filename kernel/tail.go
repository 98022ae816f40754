package kernel

import "github.com/weft-gnn/weft/tensor"

// StepKind is what one step of a [Tail] does to y.
type StepKind uint8

// The steps, element by element.
const (
	ScaleRows  StepKind = iota // y_ij · x_i: x is r×1
	AddRow                     // y_ij + x_j: x is 1×k
	AddValues                  // y_ij + x_ij
	ApplyFunc                  // f(y_ij)
	ApplySlope                 // y_ij · f′, f′ from x_ij as f.GradFrom says
)

// TailStep is one step of a [Tail]. X is the zero Matrix for ApplyFunc.
type TailStep struct {
	Kind StepKind
	Func Func
	X    tensor.Matrix
}

// MaxTail is the largest number of steps.
const MaxTail = 4

// Tail is what follows a product on every element of its result, while the
// result is in cache: the row-wise operations that would each read and write
// all of it again.
type Tail struct {
	steps [MaxTail]TailStep
	n     int
}

// Then appends a step to what follows the next [MatMul], [MatMulNT], [Dense],
// [SpMM], [Attend] or [Slice] of this context.
//
// Contract: a step's operand has the shape of its kind and overlaps neither the
// result nor, unless it is read whole before, the product's operands.
// Cost: one operation per element, f.GradWork() for ApplySlope; the operand's
// bytes. The result is not read or written again.
func (c *Ctx) Then(s TailStep) {
	if c.tail.n == MaxTail {
		panic(tensor.ShapeError{Op: "kernel.Then", Got: "a step too many", Want: "at most 4"})
	}
	c.tail.steps[c.tail.n] = s
	c.tail.n++
}

// takeTail hands the tail to the call that is set up, checks it against the
// result, and counts it.
func (c *Ctx) takeTail(y tensor.Matrix) {
	c.call.tail, c.tail = c.tail, Tail{}
	c.call.values = c.values()
	for _, s := range c.call.tail.steps[:c.call.tail.n] {
		rows, cols, work := y.Rows, y.Cols, int64(1)
		switch s.Kind {
		case ScaleRows:
			cols = 1
		case AddRow:
			rows = 1
		case ApplyFunc:
			rows, cols, work = 0, 0, s.Func.Work()
		case ApplySlope:
			work = s.Func.GradWork()
		}
		wantShape("kernel.Then: x", s.X, rows, cols)
		c.Count.Add(work*int64(y.Rows)*int64(y.Cols), 4*int64(rows)*int64(cols))
	}
}

// tailValues is how many values of the result a tail takes at once: its steps
// find them, and those of an operand, in the first-level cache.
const tailValues = 1 << 12

// follow runs the tail over rows lo to hi of the result.
func (c *call) follow(lo, hi int) {
	if c.tail.n == 0 {
		return
	}
	step := max(1, tailValues/max(1, c.dst.Cols))
	for ; lo < hi; lo += step {
		for i := range c.tail.n {
			c.tail.steps[i].run(c.values, c.dst, lo, min(lo+step, hi))
		}
	}
}

// run takes one step over rows lo to hi of y.
func (s *TailStep) run(v *valueLoops, y tensor.Matrix, lo, hi int) {
	switch s.Kind {
	case ScaleRows:
		v.rows.scale(y, y, s.X, lo, hi, 0)
	case AddRow:
		v.add(y, y, repeated(s.X, y.Rows), lo, hi, 0)
	case AddValues:
		v.add(y, y, s.X, lo, hi, 0)
	case ApplyFunc:
		v.forward[s.Func.Kind](y, y, y, lo, hi, s.Func.Param)
	case ApplySlope:
		v.gradient[s.Func.Kind](y, s.X, y, lo, hi, s.Func.Param)
	}
}
