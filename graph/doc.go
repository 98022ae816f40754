// Package graph holds the sparse structure that every other package works on.
//
// A [Graph] is what a data set describes: vertices with original identifiers
// and directed arcs, stored by destination. A [Block] is what kernels read: a
// bipartite piece whose destinations are a prefix of its sources. The full
// graph, a sampled hop, one rank's partition and a batch of graphs are all
// blocks, so kernels know a single structure.
//
// # Symbols
//
// The same symbols are used in every package, in help texts and in reports.
//
//	n      vertices
//	m      directed arcs, self-loops left out
//	ℓ      vertices with a self-loop in the data
//	m̂      m + n: arcs after a model adds exactly one loop per vertex
//	d      largest in-degree; d_out the largest out-degree
//	d̂      d counted after loops were added
//	k      features (columns); k_in, k_out where input and output differ
//	L, H   layers, heads
//	P      ranks; threads are spelled out
//	N(v)   in-neighbours of v;  N̂(v) = N(v) ∪ {v}
//	W, D   work, depth; W/D is the average parallelism
//
// An arc u→v means that v receives from u. Rows are destinations.
package graph
