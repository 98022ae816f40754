package kernel

import (
	"sync/atomic"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/cpu"
	"github.com/weft-gnn/weft/tensor"
)

// Ctx is what a kernel needs beside its operands. It is used by one goroutine
// at a time and not copied; the zero Ctx runs everything in its caller.
type Ctx struct {
	Pool  *Pool
	Count Counter

	call      call
	tail      Tail     // of the next product
	isa       *cpu.ISA // nil is that of cpu.Best; tests name others
	bounds    []int    // of pieces of rows
	chunks    []chunk  // of the rows that are cut, see segments.go
	passes    []pass
	ends      []passEnds
	lanes     []uint32
	tailLanes [MaxTail][]uint32
	attending []attender // a worker of attention per thread
	staged    []float32  // rows in float32 of what is stored in bfloat16
	scratch   []float32  // partial results of ordered reductions, packed operands
	sums      []float64  // the same in double precision
	words     []uint32   // random numbers
	listed    []int32    // rows
	marks     []uint64   // a set of rows
	span      [2]int64   // row pointers of a batch of one graph
}

// variant returns the instructions that the context's kernels use.
func (c *Ctx) variant() cpu.ISA {
	if c.isa != nil {
		return *c.isa
	}
	return cpu.Best()
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

// floats returns n values of scratch space with unspecified content, valid
// until the next call of floats. It grows, so that a step allocates nothing
// after the first.
func (c *Ctx) floats(n int) []float32 {
	if cap(c.scratch) < n {
		c.scratch = make([]float32, n)
	}
	return c.scratch[:n]
}

// doubles is floats in double precision.
func (c *Ctx) doubles(n int) []float64 {
	if cap(c.sums) < n {
		c.sums = make([]float64, n)
	}
	return c.sums[:n]
}

// randoms is floats for random words.
func (c *Ctx) randoms(n int) []uint32 {
	if cap(c.words) < n {
		c.words = make([]uint32, n)
	}
	return c.words[:n]
}

// call is one kernel invocation as its workers see it. A context owns a single
// one and reuses it, because a closure would be allocated anew by every call.
type call struct {
	// body handles rows (or edges) lo to hi of the kernel's operands.
	body func(c *call, worker, piece, lo, hi int)

	x, y, z, dst tensor.Matrix // operands, in the order of the kernel's signature
	fn           Func
	tail         Tail          // of products: what follows on each piece of dst
	whole        tensor.Matrix // of sums by bands of columns: all of dst, for the tail
	scalar       float32
	offset       int
	values       *valueLoops
	row          rowFunc                      // of kernels of rows and of values
	lane         []uint32                     // of kernels of heads: each column's
	fold         func(x, y []float32) float64 // of sums of all values

	index   []int32  // of moves of rows, and of decisions
	decided []int32  // columns
	places  []uint32 // of edges, see Candidates

	seg    segments
	ranges *graph.Ranges // of sums that go through their rows range by range
	sum    sumFunc
	part   partFunc
	each   func(c *call, lo, hi int) // of kernels over segments: rows that are not cut
	passes []pass                    // over the columns of sums, in vectors
	ends   []passEnds                // what follows each on a row, of sums that take their tail in registers
	ended  endedSum                  // such a sum
	bounds []int                     // of pieces of rows of segments
	chunks []chunk
	hub    func(c *call, slot int, k chunk) // handles one chunk of a row that is cut

	staging staging
	attend  attendOperands
	matmul  matmulOperands
	dropout dropoutOperands
	loss    lossOperands
	step    stepOperands

	scratch []float32 // partial results first, each of the shape of dst
	sums    []float64
	listed  []int32 // of losses: room for rows
	marks   []uint64

	n, grain, pieces int
	parts            int          // how many partial results lie in scratch
	onto             bool         // their sum is added to what dst holds
	done             atomic.Int64 // how many rows, or edges, the loops went through
	labelled         atomic.Int64 // how many of them a loss found labelled
}

// grainValues is how many values a piece of a row-wise kernel holds, about. It
// is part of the result of reductions, not a knob per machine: changing it
// changes sums in their last bits.
const grainValues = 1 << 15

// cut sets the pieces for n rows of width values each.
func (c *call) cut(n, width int) {
	c.n = n
	c.grain = max(1, grainValues/max(width, 1))
	c.pieces = (n + c.grain - 1) / c.grain
}

// rowPieces runs a call's body over fixed pieces of its rows.
type rowPieces call

func (r *rowPieces) Piece(worker, piece int) {
	c := (*call)(r)
	lo := piece * c.grain
	hi := min(lo+c.grain, c.n)
	c.body(c, worker, piece, lo, hi)
	c.done.Add(int64(hi - lo))
}

// rows runs the call's body over n rows of width values each, and returns the
// number of rows that the pieces covered.
func (c *Ctx) rows(n, width int) int64 {
	c.call.cut(n, width)
	return c.cutRows()
}

// cutRows is rows for a call that has been cut already.
func (c *Ctx) cutRows() int64 {
	c.Pool.Run(c.call.pieces, (*rowPieces)(&c.call))
	return c.call.done.Load()
}

// partial returns partial result i, which has the shape of dst.
func (c *call) partial(i int) tensor.Matrix {
	size := c.dst.Rows * c.dst.Cols
	return tensor.Of(c.dst.Rows, c.dst.Cols, c.scratch[i*size:(i+1)*size])
}

// combine sets dst to the sum of the call's partial results, added in order, or
// adds them to it one after the other.
func (c *Ctx) combine() {
	c.call.body, c.call.values = combineRows, c.values()
	c.rows(c.call.dst.Rows, c.call.dst.Cols*c.call.parts)
}

func combineRows(c *call, _, _, lo, hi int) {
	if !c.onto {
		c.values.fill(c.dst, c.dst, c.dst, lo, hi, 0)
	}
	for p := range c.parts {
		c.values.add(c.dst, c.dst, c.partial(p), lo, hi, 0)
	}
}
