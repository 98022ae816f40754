package cost

import "fmt"

// Cost is what one execution of an operator, or of a whole program, takes. The
// prediction (from the program) and the counters (in kernels and
// communicators) use this one convention and are computed by different code
// from different inputs, so that their equality is a test.
//
// # Work
//
// Work W counts scalar operations, d being the longest reduction:
//
//	operator                                       work              depth
//	dense product, n×a by a×b                      2nab              1 + ⌈log₂ a⌉
//	weight gradient Hᵀ·G, a×n by n×b               2nab              1 + ⌈log₂ n⌉
//	bias, add, multiply, scale, compare-select     rows × cols       1
//	activation, exp, log, sqrt, reciprocal         rows × cols       1
//	SpMM with edge coefficients, k columns         2mk               1 + ⌈log₂ d⌉
//	aggregate: sum, max, min                       mk                ⌈log₂ d⌉
//	aggregate: mean                                mk + nk           ⌈log₂ d⌉ + 1
//	SDDMM, a dot product per edge                  2mk               1 + ⌈log₂ k⌉
//	edge softmax: max, subtract, exp, sum, divide  5mH               2⌈log₂ d⌉ + 3
//	column sum of n rows                           nk                ⌈log₂ n⌉
//	gather, concat, slice, narrow                  0, moves only     0
//
// What is counted are the logical operations of the program after its passes:
//
//   - A fused kernel counts what it replaces. Counters multiply out the lengths
//     that loops really iterated, never a number they were told.
//   - 0 count: rescaling inside an online softmax, padding, combining the pieces
//     of a split row, random numbers, comparisons of indices.
//   - Zeros are not skipped. A sparse X has its own symbol, nnz(X).
//   - Recomputation counts again; on ranks, so do replicated work, recomputed
//     halos and the additions of our own reductions, where they run.
//   - max and min: mk compares, ties to the lowest edge position; backward nk.
//   - Dropout: 2 per element.
//   - In a softmax, max and sum belong to ⊕, the rest to ψ.
//   - Mean is a sum, then one product with 1/degree per element.
//   - Loss, optimiser step, norms, activation gradients, top-k and Solve state
//     exact constants in their op's file. Solve costs I × one iteration; I is
//     read from the run, and an a-priori bound is printed beside it.
//   - What runs once (folding, powers of Â, clustering, sampling norms) is kept
//     apart from what runs per step.
//   - Sampled blocks are exact given the blocks drawn; before, in expectation.
//
// # Depth
//
// Depth D is the longest path through the program: operators in sequence add,
// operators side by side take the maximum, and max(·,·) is kept. ⌈log₂ r⌉ is 0
// for r ≤ 1. d is the largest in-degree that is present in the block, after
// self-loops; backward it is the out-degree. Depth is predicted only. W/D is
// the average parallelism.
//
// # Bytes
//
// Bytes are the compulsory and the gathered volume. Each operand is read once
// and the result written once: 4 bytes a value, and for a graph's structure
// 8 bytes a row offset and 4 bytes an index. Where rows are gathered along
// edges, each edge reads its row: 4mk in place of the operand's 4nk, since
// whether a cache serves it depends on the order of vertices. W/bytes is the
// arithmetic intensity.
type Cost struct {
	Work  Expr `json:"work"`  // scalar operations
	Depth Expr `json:"depth"` // operations on the longest path
	Bytes Expr `json:"bytes"` // bytes read and written
}

// Then returns the cost of c followed by next: everything adds.
func (c Cost) Then(next Cost) Cost {
	return Cost{Add(c.Work, next.Work), Add(c.Depth, next.Depth), Add(c.Bytes, next.Bytes)}
}

// Beside returns the cost of c and other side by side: work and bytes add, the
// depth is the larger one.
func (c Cost) Beside(other Cost) Cost {
	return Cost{Add(c.Work, other.Work), Max(c.Depth, other.Depth), Add(c.Bytes, other.Bytes)}
}

// String prints the three expressions.
func (c Cost) String() string {
	return fmt.Sprintf("work %v, depth %v, bytes %v", c.Work, c.Depth, c.Bytes)
}
