package kernel

import (
	"math"
)

// Every value of a program is a matrix of float32, so integers that a kernel
// hands to another one travel as bit patterns: a value v is stored as the
// float32 whose IEEE 754 bits are v. Such a matrix is only ever copied, never
// computed with: many of its patterns are NaN.

// None marks, in a matrix of edge positions, that there is no edge.
const None = math.MaxUint32

// SetBits stores the integer v in an element of a matrix.
func SetBits(x *float32, v uint32) { *x = math.Float32frombits(v) }

// Bits returns the integer that [SetBits] stored.
func Bits(x float32) uint32 { return math.Float32bits(x) }
