package graph

import "sync"

// Graph is a directed graph in compressed sparse rows over destinations, as
// its data set states it: its own self-loops and parallel arcs are kept or
// merged by the [Builder]'s policy before it is made.
//
// A Graph is immutable once built. Its slices may be memory-mapped and must
// not be written.
type Graph struct {
	// N is the number of vertices, isolated ones included.
	N int
	// Ptr has N+1 entries: the in-arcs of v are positions Ptr[v] to Ptr[v+1].
	Ptr []int64
	// Src is the source of each arc, ascending within a row; equal sources
	// (parallel arcs) stay in listing order. A self-loop sits at its sorted place.
	Src []int32
	// Weight is the weight of each arc; nil means that every weight is 1.
	Weight []float32
	// Listing is, for each arc, its row in the edge list the graph was built
	// from, so that edge features stay with their edges; nil means the identity.
	// A mirrored arc, added by symmetrising, names the row of its original.
	Listing []int64
	// Counts says what the builder found.
	Counts Counts

	mu           sync.Mutex
	block, loops *Block
}

// Counts are the numbers that `weft data info` prints of an edge list.
// Listed = Arcs + Loops + Duplicates, where mirrored arcs count as listed.
type Counts struct {
	Listed     int64 // directed arcs handed to the builder, mirrored ones included
	Duplicates int64 // arcs dropped because an equal one was there
	Loops      int64 // arcs from a vertex to itself that are left
	Arcs       int64 // arcs that are left, loops not counted: m
}

// Block is a bipartite piece of a graph: Dst destinations, Src sources, the
// destinations being the first Dst sources. Rows are destinations.
type Block struct {
	Dst, Src int
	// Ptr has Dst+1 entries. Col indexes sources, ascending within a row.
	Ptr []int64
	Col []int32
	// Weight is nil when every weight is 1.
	Weight []float32
	// Edge is the global identity of each edge, the counter of its random
	// numbers: its rank in (destination, source, listing) order among the arcs
	// of the whole graph that are not loops; a loop at v has m + v.
	// Nil means that position and identity are equal.
	Edge []int64
	// Vertex is the global identity of each source; nil means the identity.
	Vertex []int64
	// Arc is, for each edge, its position in the Graph the block came from,
	// or −1 for a loop that a model added; nil means the identity.
	Arc []int64
	// Graphs delimits a batch of graphs: graph g owns the vertices
	// Graphs[g] to Graphs[g+1]. Nil means one graph.
	Graphs []int64

	once sync.Once
	t    *Transposed
}

// Transposed is a block's index by source: the out-edges of u are positions
// Ptr[u] to Ptr[u+1], in ascending order of destination.
type Transposed struct {
	Ptr []int64  // Src+1 entries
	Row []int32  // destination of each out-edge
	Pos []uint32 // position of the edge in the block's Col
}

// Edges returns the number of edges, loops included.
func (b *Block) Edges() int { return len(b.Col) }
