// Package kernel holds the loops in which weft spends its time.
//
// Every kernel takes a [*Ctx] first. It runs its fixed pieces on the context's
// pool and adds to the context's counter what its loops really did, in the
// logical operations of the cost convention (package cost): a kernel multiplies
// out the lengths it iterated, never a number it was told.
//
// Results do not depend on the number of threads: reductions are cut into pieces
// whose bounds depend on the operands alone, and combine the pieces in order.
// Kernels skip no zeros, so NaN and Inf travel as IEEE 754 says. After the first
// call of a kernel with given shapes, calls allocate nothing.
//
// Kernels in which time is spent have variants in assembly, for AVX-512 and for
// AVX2 with FMA, beside a portable one; for NEON, products and sums over edges
// have. A process uses one variant throughout, the widest that the machine has or
// what WEFT_ISA names (package cpu); variants differ by rounding.
//
// Shape misuse panics with a [tensor.ShapeError]; the runtime checks shapes
// when it compiles a program, so users never see it. The structure of a
// [graph.Block] is trusted, as its Validate checks it.
//
// # Costs
//
// Work is in scalar operations, bytes count what must move: each operand read
// once and the result written once, 4 bytes a value, or 2 where it is stored in
// bfloat16; the rows that edges name are read once per edge; a structure takes 8
// bytes per row pointer and 4 per vertex id or edge position that is read.
// Symbols: m edges of a block, n_dst and n_src its vertices, n_end those at the
// end aggregated or scattered, G graphs, k columns in H heads; r×k an operand
// without structure; r rows listed of a loss and s of them (t of their values)
// labelled, out of n.
//
//	kernel            work                        bytes
//	MatMul, MatMulNT  2nab                        4(na + ab + nb)
//	MatMulTN          2nab                        4(na + nb + ab)
//	Dense             2nab + nb·[bias] + nb·f     4(na + ab + nb + b·[bias])
//	SpMM unweighted   mk                          8(n_end+1) + 4m + 4mk + 4n_end·k
//	SpMM weighted     2mk                         the same + 4mH + 4m·[Src]
//	Aggregate         mk                          8(n_end+1) + 4mk + 4n_end·k + 4m·[Src]
//	AggregateOnto     mk                          8m + 12mk
//	Scatter at Dst    0                           8(n_dst+1) + 4n_dst·k + 4mk
//	Scatter at Src    0                           4m + 8mk
//	EdgeAdd           mk                          8(n_dst+1) + 4m + 8mk + 4n_dst·k
//	EdgeDot           2mk                         8(n_dst+1) + 4m + 4mk + 4n_dst·k + 4mH
//	EdgeSoftmax       5mH                         8(n_dst+1) + 8mH
//	EdgeSoftmaxGrad   4mH                         8(n_dst+1) + 12mH
//	Attend            m(2k + 7H) + 2mH·[p]        8(n_dst+1) + 4m + 4(m + n_dst)(k + H)
//	AttendGradDst     m(2k + 14H) + 2n_dst·H      the same + 16n_dst·H
//	                  + 2mH·[p]
//	AttendGradSrc     m(4k + 9H) + 4mH·[p]        8(n_src+1) + 4m + 4m(k + 4H) + 8n_src(k + H)
//	Max, Min          mk                          as ArgMax
//	ArgMax, ArgMin    mk                          8(n_end+1) + 4mk + 4n_end·k + 4m·[Src]
//	ArgMaxPlaced,
//	ArgMinPlaced      mk                          as ArgMax
//	Pick              0                           12nk
//	Route             nk                          4(2nk + mk)
//	Candidates        0                           20nk
//	Won               nk                          16nk
//	GraphSum          nk                          8(G+1) + 4nk + 4Gk
//	GraphBroadcast    0                           8(G+1) + 4Gk + 4nk
//	GraphArgMax, Min  nk                          8(G+1) + 4nk + 4Gk
//	Add, Sub, Mul,
//	Div, Accumulate   rk                          12rk
//	Copy, Slice       0                           8rk
//	View              0                           0
//	Narrow, Widen     0                           6rk
//	Concat            0                           8r·Σkᵢ
//	Unslice           0                           4(rk + rK)
//	Expand            0                           4(k + rk)
//	CollectRows       0                           4r + 8rk
//	FoldRows          ck (+ nk)                   4c + 12ck (+ 8nk) for c contributions
//	Fill              0                           4rk
//	ScaleBy           rk (+ 1)                    4(2rk + 1)
//	AddScaled         2rk (+ 1)                   4(3rk + 1)
//	AddBias           rk                          4(2rk + k)
//	Apply             rk·f                        8rk
//	ApplyGrad         rk·f′                       12rk, or 8rk where f′ is constant
//	ColumnSum         rk                          4(rk + k)
//	Dot               2rk                         4(2rk + 1)
//	Sum               rk                          4(rk + 1)
//	HeadScale         rk                          4(2rk + rH)
//	HeadDot           2rk                         4(2rk + rH)
//	HeadDotVec        2rk                         4(rk + k + rH)
//	AddOuter          2rk                         4(2rK + rH + k)
//	AddOwnOuter       2rk                         4(2rK + k)
//	HeadOuter         rk                          4(rH + k + rk)
//	HeadSumVec        2rk                         4(rk + rH + k)
//	HeadSum           rk                          4(rk + rk/H)
//	HeadRepeat        0                           4(rk/H + rk)
//	Normalize         r(3k + 3)                   8rk
//	NormalizeGrad     r(7k + 5)                   12rk
//	Softmax           5rk                         8rk
//	SoftmaxGrad       4rk                         12rk
//	LogSoftmax        r(5k + 1)                   8rk
//	LogSoftmaxGrad    4rk                         12rk
//	Dropout           2rk                         8rk
//	DropoutEntries    2m                          8m
//	Densify           0                           8(n_dst+1) + 8m + 4n_dst·n_src
//	CrossEntropy      s(4C + 3) + 1               4(r + sC + 1) + 4r·[list]
//	SumCrossEntropy   s(4C + 3)                   4(r + sC) + 4r·[list]
//	CrossEntropyGrad  s(6C + 1) + 1               4(1 + r + sC + nC) + 4r·[list]
//	Decide            2rk                         4r(k + 2)
//	ValueLoss         t·w + 1                     4(2rC + 1) + 4r·[list]
//	ValueLossGrad     t·w′ + 1                    4(1 + 2rC + nC) + 4r·[list]
//	StepSGD           rk·w                        12rk + 8rk·[μ ≠ 0]
//	StepAdam          rk·w                        28rk
//	MatMulTNOnto,
//	ColumnSumOnto,
//	DotOnto,
//	HeadSumVecOnto    that of the sum             the sum's, the result twice
//
// [x] is 1 where x holds and 0 elsewhere; p is a mask's probability, where there
// is a mask. f and f′ are 0 and 0 for the identity;
// 1 and 1 for relu, exp, log, abs and scale; 1 and 2 for leaky-relu, sqrt,
// reciprocal and square; 1 and 3 for elu, sigmoid, log-sigmoid and tanh; 1 and 0
// for offset. w and w′ are 3 and 3 for squared and absolute errors, 8 and 3 for
// the logistic error. w of StepSGD is 2, + 2 with weight decay, + 2 with
// momentum, + 2 with Nesterov's; w of StepAdam is 13, + 2 with weight decay.
package kernel
