package plan

import (
	"fmt"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/program"
)

// Part is what a rank has of a graph that was divided beforehand, and all it has.
type Part struct {
	Rank, Ranks int
	// Graph has the rank's arcs and the vertices at their ends, in the order of the
	// graph that was divided, see [graph.Part]; Owner is the rank of each vertex.
	Graph *graph.Graph
	Owner []int32
	// Named says of each rank which vertices of Graph its arcs name: of another rank,
	// those that this one owns.
	Named []graph.Named
	// All is the number of vertices of the graph that was divided.
	All int
}

// OfPart returns the piece of a rank that has its part of a graph alone, for programs
// that have been distributed: but for the numbers of vertices, which are those of
// the part, it is what [Pieces] makes of the whole graph.
//
// Cost: O(n + m) of the part.
// Errors: an algorithm, or a maximum over edges of several ranks, for which a rank
// needs more than a part; a vertex whose weights cannot be normalised.
func (p Plan) OfPart(part Part, programs ...*program.Program) (*Piece, error) {
	if p.Algorithm != OneD && p.Algorithm != VertexCut || p.Ranks() > p.parts() {
		return nil, fmt.Errorf("plan: %v: a rank needs more than its part of the graph", p.Algorithm)
	}
	for _, q := range programs {
		if len(q.Compares()) > 0 {
			return nil, fmt.Errorf("plan: %s selects among edges that lie on several ranks: of equal ones the first in the whole graph counts, and a part does not tell", q.Name)
		}
	}
	mine := int32(part.Rank)
	d := &division{
		Owners: Owners{Ranks: part.Ranks, Edges: p.edges(), Vertex: part.Owner, Edge: func(int64, int32, int32) int32 { return mine }},
		g:      part.Graph, all: part.All, whole: program.ExtentOf(part.Graph, programs...), named: part.Named,
	}
	if err := d.coefficients(programs); err != nil {
		return nil, err
	}
	return d.piece(part.Rank), nil
}
