package kernel

import (
	"unsafe"

	"github.com/weft-gnn/weft/tensor"
)

// A sum over edges of few columns spends as long on a tail that reads and writes
// its rows again as on the end of a row, so that loops in vectors take what steps
// they can while a row is in registers. Values have the same bits either way.

// endedSum is a sumFunc that takes the call's ends as well: row i of y is row
// first+i of the result.
type endedSum func(c *call, ptr []int64, y tensor.Matrix, first int)

// endKind is a step that the end of a row can take.
type endKind int32

// The kinds. The generator has the same.
const (
	endNone      endKind = iota // the last: no step
	endScale                    // y·x₀
	endAdd                      // y + x
	endAddScaled                // y + s·x
	endReLU                     // max(y, 0)
	endReLUGrad                 // y where x > 0 or x is NaN, else 0
)

// rowEnd is a step as loops in assembly read it.
type rowEnd struct {
	kind endKind
	s    float32
	x    *float32 // the operand's first row, from a pass's first column on
	ldx  int      // bytes from one row to the next; 0 where there is one
}

// passEnds is what follows a pass on each row, up to a step of no kind.
type passEnds [MaxTail + 1]rowEnd

// takeEnds makes the call's ends of its tail. Where the loops have none, or not
// all steps can be such, the tail is left to [call.follow].
func (c *Ctx) takeEnds() {
	k := &c.call
	ended := k.ended
	k.ended, c.ends = nil, c.ends[:0]
	if ended == nil || k.tail.n == 0 || k.ranges != nil || k.dst.BFloat16 {
		return
	}
	for _, p := range k.passes {
		ends, ok := k.tail.ends(p.from)
		if !ok || p.vectors > eachPass {
			return
		}
		c.ends = append(c.ends, ends)
	}
	k.ended, k.ends = ended, c.ends
}

// ends returns the steps from some column on, and whether rows' ends take them all.
func (t *Tail) ends(from int) (ends passEnds, ok bool) {
	for i := range t.n {
		if ends[i], ok = t.steps[i].end(from); !ok {
			break
		}
	}
	return ends, ok
}

// end returns the step from some column on, and whether a row's end takes it.
func (s *TailStep) end(from int) (e rowEnd, ok bool) {
	relu := s.Func.Kind == ReLU
	switch {
	case s.Kind == ScaleRows:
		e, from = rowEnd{kind: endScale}, 0
	case s.Kind == AddRow, s.Kind == AddValues:
		e.kind = endAdd
	case s.Kind == AddMultiple:
		e = rowEnd{kind: endAddScaled, s: s.Plus + s.S.Data[0]}
	case s.Kind == ApplyFunc && relu:
		return rowEnd{kind: endReLU}, true
	case s.Kind == ApplySlope && relu:
		e.kind = endReLUGrad
	default:
		return e, false
	}
	e.x = unsafe.SliceData(s.X.Data[min(from, len(s.X.Data)):])
	if s.Kind != AddRow {
		e.ldx = 4 * s.X.Stride
	}
	return e, !s.X.BFloat16
}
