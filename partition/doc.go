// Package partition divides a graph among ranks.
//
// There are two ways to do it. An edge-cut assigns vertices: a rank has the arcs
// into its vertices, and fetches the rows of their sources that other ranks
// have, its halo. A vertex-cut assigns arcs: a rank reads and writes rows of both
// ends of its arcs, and each vertex has one master that combines what ranks
// computed of it. [Vertices] makes the first kind, [Edges] the second, [Measure]
// says what either costs.
//
// What is cut is the structure: parallel arcs and the two directions of an edge
// add up, arcs from a vertex to itself cost nothing and lie at the vertex.
// Weights of arcs do not count, since a row is sent whatever it is multiplied by.
//
// Everything here is a function of the graph, the options and the seed: it does
// not depend on the number of threads. Parts may be empty.
package partition
