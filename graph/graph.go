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
	// Graphs delimits the graphs of a disjoint union: graph g owns the vertices
	// Graphs[g] to Graphs[g+1]. Nil means one graph. A reader that builds a set
	// of graphs from one edge list sets it before the graph is first used.
	Graphs []int64
	// Origin is the whole graph that this one is a piece or a relabelling of;
	// nil for a graph that is its own whole.
	Origin *Origin

	mu           sync.Mutex
	block, loops *Block
	countLoops   sync.Once
	loopArcs     int64
	into         Into // of the whole, where the graph is a [Part]
}

// Origin says which vertices and arcs of a whole graph a piece of it consists
// of. Random numbers are keyed by these identities, so that dropout does not
// depend on how a graph is cut or its vertices are ordered.
type Origin struct {
	Vertex []int64 // identity of each vertex: its number in the whole graph
	Edge   []int64 // identity of each arc, as Block.Identities of the whole graph have it
	N, M   int64   // n and m of the whole graph; the loop at v has identity M + v
}

// Counts are the numbers that `weft data info` prints of an edge list.
// Listed = Arcs + Loops + Duplicates + Dropped. A mirrored arc counts as listed
// where symmetrising adds it, that is where the list lacks it, so that a list
// that names both directions has the same counts symmetrised or not.
type Counts struct {
	Rows       int64 // rows of the edge list handed to the builder
	Listed     int64 // Rows and the mirrored arcs that symmetrising added
	Duplicates int64 // arcs merged into an equal one listed before
	Dropped    int64 // loops that the policy dropped
	Loops      int64 // arcs from a vertex to itself that are left
	Arcs       int64 // arcs that are left, loops not counted: m
}

// Block is a bipartite piece of a graph: Dst destinations, Src sources, the
// destinations being the first Dst sources, but where both ends of a rank's edges have
// vertices of other ranks: there the first of both are the rank's own. Rows are
// destinations.
type Block struct {
	Dst, Src int
	// Ptr has Dst+1 entries. Col indexes sources, within a row in ascending order of
	// Place.
	Ptr []int64
	Col []int32
	// Place is where each source stands in the order in which rows name them; nil
	// means by number. The sources of a rank's edges are its own vertices and then
	// those of others, and rows name both in the order of the whole graph.
	Place []int32
	// DstPlace is, in the same way, where each destination stands in the order in which
	// [Block.Transpose] names those of a source.
	DstPlace []int32
	// Weight is nil when every weight is 1.
	Weight []float32
	// First is the identity of the block's first edge where [Block.Identities] are
	// nil: 0 but in a block that [Block.Cut] took out of another.
	First int64
	// Vertex is the global identity of each source; nil means the identity.
	Vertex []int64
	// Graphs delimits a batch of graphs: graph g owns the vertices
	// Graphs[g] to Graphs[g+1]. Nil means one graph.
	Graphs []int64

	of            *Graph // whose arcs the block has
	looped        bool   // a loop per vertex in place of the graph's own
	cutOf         *Block // of which the block is a piece
	naming        sync.Once
	identities    []int64
	locating      sync.Once
	arcs          []int64
	comparing     sync.Once
	symmetric     bool
	mirrored      bool // weights and all
	transpose     sync.Once
	t             *Transposed
	ordering      sync.Once
	order         []uint32 // by source
	ranges        rangesByWidth
	unordered     bool // rows name sources in no order
	whole         Into // of the graph that the block's is a [Part] of
	degrees       sync.Once
	inMax, outMax int
}

// Transposed is a block's index by source: the out-edges of u are positions
// Ptr[u] to Ptr[u+1], in ascending order of the destination's place. Of a symmetric
// block both are the block's own.
type Transposed struct {
	Ptr []int64 // Src+1 entries
	Row []int32 // destination of each out-edge

	of     *Block
	first  int // the source of b that row 0 is
	edges  sync.Once
	pos    []uint32
	ranges rangesByWidth
}
