// Package analysis says what a model costs before it runs.
//
// [Analyze] compiles a declaration by the passes that training and inference
// use, and reads the result: work, depth, bytes and density of every operation,
// symbolically and for a given graph; the memory of its arena; what each pass
// saved; and how all of it compares with the bounds of [PDG] (Besta and Hoefler,
// "Parallel and Distributed Graph Neural Networks: An In-Depth Concurrency
// Analysis", arXiv 2205.09702). [Polynomial] states the totals for any number of
// layers. Nothing is labelled by hand: the model's class, its formulation, what
// can be precomputed and the costs of ψ, ⊕ and φ are derived from its program.
//
// The numbers are those that the runtime's counters arrive at: work and bytes
// exactly, by tests of packages runtime and analysis. Depth is predicted only.
package analysis
