package plan

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/program"
)

// Owners says which rank has which vertices and edges of a graph.
type Owners struct {
	// Ranks is the number of parts of the graph: of ranks with vertices of their own.
	Ranks int
	// Edges says which rank has an edge: that of its destination, of its source,
	// or the one that Edge names.
	Edges program.Owner
	// Vertex is the owner of each vertex: 0 where Edges is AllEdges, of one part.
	Vertex []int32
	// Copies is how many ranks have the same vertices, where Edges is Copied. Copy is
	// the one that has the edges out of a vertex, of these or, where they are Ranged, of
	// those that share out its columns.
	Copies int
	Copy   []int32
	// Features is how many ranks share out the columns of the same rows, and the
	// parameters; 0 stands for 1. Rest is how sums of theirs lie: see
	// [program.Distribution].
	Features int
	Rest     program.Kind
	// Ranged says that ranks which share out columns share out the edges too.
	Ranged bool
	// Replicas is how many have each of this, and items of their own to train on: Item
	// is the owner of each vertex as one. 0 stands for 1.
	Replicas int
	Item     []int32
	// Edge is the owner of the arc u→v where Edges is Free; arc is its position in
	// the graph. A loop that a model adds lies with its vertex.
	Edge func(arc int64, u, v int32) int32
	// Has, where set, says that a rank has a vertex at an end of its edges even
	// where no edge names it there: what is sent does not depend on the graph then.
	Has func(rank int, end program.Map, v int32) bool
}

// Validate checks owners of a graph of n vertices.
func (o Owners) Validate(n int) error {
	if o.Ranks < 1 || len(o.Vertex) != n {
		return fmt.Errorf("plan: %d ranks, owners of %d vertices: want at least one rank and owners of all %d vertices", o.Ranks, len(o.Vertex), n)
	}
	for v, r := range o.Vertex {
		if r < 0 || int(r) >= o.Ranks {
			return fmt.Errorf("plan: vertex %d is owned by rank %d of %d", v, r, o.Ranks)
		}
	}
	switch {
	case o.Edges == program.Free && o.Edge == nil:
		return fmt.Errorf("plan: edges are owned freely, and nothing says by whom")
	case o.Edges == program.Copied && (o.Copies < 1 || len(o.Copy) != n):
		return fmt.Errorf("plan: %d copies that share out the edges out of %d vertices: want those of all %d", o.Copies, len(o.Copy), n)
	case o.Ranged && !o.ranges():
		return fmt.Errorf("plan: the edges out of vertices lie with ranges of those of each part, which follow each other and are of equal size")
	case o.Edges == program.AllEdges && o.Ranks != 1:
		return fmt.Errorf("plan: %d parts of which each has all edges: want one", o.Ranks)
	case o.Replicas > 1 && len(o.Item) != n:
		return fmt.Errorf("plan: %d replicas, owners of %d items: want owners of all %d", o.Replicas, len(o.Item), n)
	case o.Edges == program.Shared && !consecutive(o.Vertex, o.Ranks):
		return fmt.Errorf("plan: where ranks have columns, vertices are owned in consecutive ranges of equal size")
	}
	return nil
}

// Mesh is how many ranks there are along each axis.
func (o Owners) Mesh() program.Mesh {
	return program.Mesh{program.Replicas: o.Replicas, program.Parts: o.Ranks, program.Copies: o.Copies, program.Features: o.Features}
}

// All is the number of all ranks.
func (o Owners) All() int { return o.Mesh().Ranks() }

// Leader returns the first of the ranks that have the predictions of a vertex, of the
// replica that trains on it.
func (o Owners) Leader(v int32) int {
	at := program.Mesh{program.Parts: int(o.Vertex[v])}
	if o.Replicas > 1 {
		at[program.Replicas] = int(o.Item[v])
	}
	return o.Mesh().Number(at)
}

// Connect returns what one of all ranks needs to exchange with the others, from its
// end of the communicator of all. All ranks call it.
func (o Owners) Connect(ctx context.Context, world *comm.Comm) (*program.Rank, error) {
	return program.NewRank(ctx, world, o.Mesh())
}

// Distribution is what the pass that distributes programs asks for, for one of all
// ranks.
func (o Owners) Distribution(rank int) *program.Distribution {
	mesh := o.Mesh()
	return &program.Distribution{Mesh: mesh, At: mesh.At(rank), Edges: o.Edges, Rest: o.Rest, Ranged: o.Ranged}
}

// consecutive reports whether ranks own ranges as [comm.Cut] makes them.
func consecutive(owner []int32, ranks int) bool {
	for r := range ranks {
		lo, hi := comm.Cut(len(owner), r, ranks)
		for _, o := range owner[lo:hi] {
			if int(o) != r {
				return false
			}
		}
	}
	return true
}

// edge returns the owner of edge e of a block, u→v.
func (o Owners) edge(b *graph.Block, e int64, u, v int32) int32 {
	switch o.Edges {
	case program.ByDst, program.Copied:
		return o.Vertex[v]
	case program.BySrc:
		return o.Vertex[u]
	}
	if arcs := b.Arcs(); arcs != nil {
		if e = arcs[e]; e < 0 {
			return o.Vertex[v]
		}
	}
	return o.Edge(e, u, v)
}

// spread reports whether an end of edges is not the rank's own vertices.
func (o Owners) spread(end program.Map) bool {
	space := program.Edges.Held(o.Edges).End(end)
	return space != program.Vertices && space != program.AllVertices
}

// copied reports whether a copy, or the rank with some columns, has the edges out of u.
func (o Owners) copied(copy int, u int32) bool {
	return o.Edges != program.Copied && !o.Ranged || int(o.Copy[u]) == copy
}

// byRange returns, for each vertex, in which of the ranges it is that ranks with its
// part's columns have the edges of: ranges as [comm.Cut] makes them.
func (o Owners) byRange() []int32 {
	size, before := make([]int, o.Ranks), make([]int, o.Ranks)
	for _, r := range o.Vertex {
		size[r]++
	}
	at, out := make([]int32, o.Ranks), make([]int32, len(o.Vertex))
	for v, r := range o.Vertex {
		for _, end := comm.Cut(size[r], int(at[r]), o.Features); before[r] == end; _, end = comm.Cut(size[r], int(at[r]), o.Features) {
			at[r]++
		}
		out[v] = at[r]
		before[r]++
	}
	return out
}

// ranges reports whether edges are shared out by ranges.
func (o Owners) ranges() bool { return o.Features > 0 && slices.Equal(o.Copy, o.byRange()) }
