package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/nearest"
	"github.com/weft-gnn/weft/partition"
	"github.com/weft-gnn/weft/program"
)

// Algorithm is how the vertices and edges of a graph lie on the ranks.
type Algorithm int

// The algorithms. Words are those that a rank sends for one layer of k columns,
// forward.
const (
	// OneD is an edge-cut: vertices have owners, and edges lie with their
	// destinations. Before edges read their sources, each rank sends its boundary
	// rows to those that need them: k·Σ_q |boundary to q| words, in one superstep.
	OneD Algorithm = iota
	// OneDAllGather is OneD without looking at the graph: each rank sends all its
	// rows to all others, k·(n/P)·(P − 1) words (CAGNET, 2005.03300, 1D).
	OneDAllGather
	// TwoD cuts the matrix into R × S blocks, each of which stays where it is: rank
	// (i, j) has the edges from sources of column j to destinations of row i. Rows
	// of sources are expanded within a column of ranks and sums folded within a row:
	// k·n/P·(R − 1) + k·n/P·(S − 1) words where n/P vertices are alike.
	TwoD
	// VertexCut assigns edges; a vertex has a master, and its row goes to the ranks
	// with edges at it, as do partial sums back: k·(Σ copies) words each way.
	VertexCut
)

var algorithmNames = [...]string{OneD: "1d", OneDAllGather: "1d-allgather", TwoD: "2d", VertexCut: "vertexcut"}

// Algorithms returns all there are.
func Algorithms() []Algorithm {
	all := make([]Algorithm, len(algorithmNames))
	for i := range all {
		all[i] = Algorithm(i)
	}
	return all
}

func (a Algorithm) String() string { return algorithmNames[a] }

// ParseAlgorithm returns the algorithm called name.
func ParseAlgorithm(name string) (Algorithm, error) {
	i := slices.Index(algorithmNames[:], name)
	if i < 0 {
		names := algorithmNames[:]
		return 0, fmt.Errorf("plan: algorithm %q is not one of %s%s", name, strings.Join(names, ", "), nearest.DidYouMean(name, names))
	}
	return Algorithm(i), nil
}

// Plan says how a training step runs on several ranks. It is plain data.
type Plan struct {
	Algorithm Algorithm
	// Partition is the grid of ranks that share the graph: P, or R × S.
	Partition []int
	// Partitioner divides the graph; where it is not set Partitioned is false, and
	// it is the algorithm's default.
	Partitioner partition.Method
	Partitioned bool
}

// OnRanks returns the plan of an edge-cut over so many ranks.
func OnRanks(ranks int) Plan { return Plan{Partition: []int{ranks}} }

// Ranks returns the number of ranks.
func (p Plan) Ranks() int {
	n := 1
	for _, r := range p.Partition {
		n *= r
	}
	return n
}

// maxRanks bounds the number of ranks, which some tables are as long as.
const maxRanks = 1 << 16

// Validate says why a plan cannot run, whatever the graph.
func (p Plan) Validate() error {
	dims := map[bool]int{true: 2, false: 1}[p.Algorithm == TwoD]
	switch {
	case len(p.Partition) != dims:
		return fmt.Errorf("plan: partition %s: %v takes %s", p.grid(), p.Algorithm, []string{1: "a number P of ranks", 2: "a grid RxS of ranks"}[dims])
	case slices.ContainsFunc(p.Partition, func(r int) bool { return r < 1 }) || p.Ranks() > maxRanks:
		return fmt.Errorf("plan: partition %s: want 1 to %d ranks", p.grid(), maxRanks)
	case p.Partitioned && p.Partitioner.VertexCut() != (p.Algorithm == VertexCut):
		return fmt.Errorf("plan: the partitioner %v assigns %s, the algorithm %v %s", p.Partitioner, cuts(p.Partitioner.VertexCut()), p.Algorithm, cuts(p.Algorithm == VertexCut))
	}
	return nil
}

func cuts(vertex bool) string {
	if vertex {
		return "edges"
	}
	return "vertices"
}

func (p Plan) grid() string {
	words := make([]string, len(p.Partition))
	for i, r := range p.Partition {
		words[i] = fmt.Sprint(r)
	}
	return strings.Join(words, "x")
}

// partitioner returns the method that divides the graph.
func (p Plan) partitioner() partition.Method {
	switch {
	case p.Partitioned:
		return p.Partitioner
	case p.Algorithm == VertexCut:
		return partition.HDRF
	case p.Algorithm == OneD:
		return partition.Multilevel
	}
	return partition.Random // what is sent does not depend on the cut: equal parts are best
}

// String writes the plan as Parse reads it.
func (p Plan) String() string {
	return fmt.Sprintf("algorithm=%v,partition=%s,partitioner=%v", p.Algorithm, p.grid(), p.partitioner())
}

// Distribution is what the pass that distributes programs asks for.
func (p Plan) Distribution() *program.Distribution {
	d := &program.Distribution{Ranks: p.Ranks(), Edges: program.ByDst}
	if p.Algorithm == TwoD || p.Algorithm == VertexCut {
		d.Edges = program.Free
	}
	return d
}

// Owners divides a graph as the plan says.
//
// Contract: masks are sets of vertices, such as those to train on, of which ranks
// are to have equally many where the partitioner can.
// Errors: a plan that is not valid, and the partitioner's.
func (p Plan) Owners(ctx context.Context, g *graph.Graph, seed uint64, masks ...[]bool) (Owners, error) {
	if err := p.Validate(); err != nil {
		return Owners{}, err
	}
	o := Owners{Ranks: p.Ranks(), Edges: p.Distribution().Edges}
	options := partition.Options{Parts: p.Ranks(), Method: p.partitioner(), Seed: seed}
	if m := options.Method; m != partition.Hash && m != partition.Range && !m.VertexCut() {
		options.Masks = masks
	}
	var err error
	if p.Algorithm == VertexCut {
		return vertexCut(ctx, g, o, options)
	}
	if o.Vertex, err = partition.Vertices(ctx, g, options); err != nil {
		return o, err
	}
	switch p.Algorithm {
	case OneDAllGather:
		o.Has = func(int, program.Map, int32) bool { return true }
	case TwoD:
		p.blocks(&o)
	}
	return o, nil
}

// blocks lets rank i·S + j have the edges from vertices of ranks of column j to
// those of ranks of row i.
func (p Plan) blocks(o *Owners) {
	s := int32(p.Partition[1])
	owner := o.Vertex
	o.Edge = func(_ int64, u, v int32) int32 { return owner[v]/s*s + owner[u]%s }
	o.Has = func(rank int, end program.Map, v int32) bool {
		if end == program.Src {
			return owner[v]%s == int32(rank)%s
		}
		return owner[v]/s == int32(rank)/s
	}
}

// vertexCut assigns arcs; loops that a model adds lie with the vertex's master.
func vertexCut(ctx context.Context, g *graph.Graph, o Owners, options partition.Options) (Owners, error) {
	arc, master, err := partition.Edges(ctx, g.Block(), options)
	if err != nil {
		return o, err
	}
	o.Vertex = master
	o.Edge = func(at int64, _, v int32) int32 {
		if at < 0 {
			return master[v]
		}
		return arc[at]
	}
	return o, nil
}
