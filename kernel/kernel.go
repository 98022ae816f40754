// Package kernel holds the loops in which weft spends its time.
//
// Every kernel takes a [*Ctx] first. It runs its fixed pieces on the context's
// pool and adds to the context's counter what its loops really did, in the
// logical operations of the cost convention (package cost): a kernel multiplies
// out the lengths it iterated, never a number it was told.
//
// Results do not depend on the number of threads: work is cut into pieces
// whose bounds depend on the operands alone, and reductions combine the pieces
// in order. Kernels skip no zeros, so NaN and Inf travel as IEEE 754 says.
//
// Shape misuse panics with a [tensor.ShapeError]; the runtime checks shapes
// when it compiles a program, so users never see it.
package kernel

import "sync/atomic"

// Ctx is what a kernel needs beside its operands. It is not copied.
type Ctx struct {
	Pool  *Pool
	Count Counter
	// Scratch is reused for the partial results of ordered reductions, so that
	// a training step allocates nothing after the first.
	scratch []float32
}

// Counter sums what kernels did. Adds from several workers commute exactly,
// the sums being integers.
type Counter struct {
	work, bytes atomic.Int64
}

// Add counts work scalar operations and bytes moved.
func (c *Counter) Add(work, bytes int64) {
	c.work.Add(work)
	c.bytes.Add(bytes)
}

// Read returns the sums so far: scalar operations and bytes.
func (c *Counter) Read() (work, bytes int64) { return c.work.Load(), c.bytes.Load() }

// Reset sets both sums to zero.
func (c *Counter) Reset() {
	c.work.Store(0)
	c.bytes.Store(0)
}
