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

// Then appends a step to what follows the next [MatMul], [MatMulNT], [Dense]
// or [SpMM] of this context.
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

// follow runs the tail over rows lo to hi of the result.
func (c *call) follow(lo, hi int) {
	for i := range c.tail.n {
		s := &c.tail.steps[i]
		for r := lo; r < hi; r++ {
			s.run(c.dst.Row(r), r)
		}
	}
}

func (s *TailStep) run(y []float32, r int) {
	switch s.Kind {
	case ScaleRows:
		scaleTo(y, y, y, s.X.Row(r)[0])
	case AddRow:
		addTo(y, y, s.X.Row(0), 0)
	case AddValues:
		addTo(y, y, s.X.Row(r), 0)
	case ApplyFunc:
		s.Func.apply(y, y)
	case ApplySlope:
		funcs[s.Func.Kind].gradient(y, s.X.Row(r), y, s.Func.Param)
	}
}
