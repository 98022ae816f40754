package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/internal/nearest"
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
	// OneAndAHalfD is OneDAllGather on P/c groups of c ranks: each group has its
	// vertices c times, and its ranks share out the edges into them by source, so that
	// each receives 1/c of all rows; sums are then added over the copies:
	// k·(n/P)·(P/c − 1) + 2·k·(n·c/P)·(c − 1)/c words (CAGNET, 1.5D).
	OneAndAHalfD
	// Feature gives every rank the whole structure and some columns: products with
	// the matrix need no words. Before and after each one, rows are exchanged for
	// columns and back, 2·k·(n/P)·(P − 1)/P words of an all-to-all each way; or, see
	// ReduceScatter, products with weights are summed up.
	Feature
	// Weights splits parameters instead (ANN-model parallelism): every rank has the
	// graph and all rows of the first operand of a product, which its columns of the
	// weight make columns of the next; these meet rows of a weight, and the sum over
	// ranks is whole again (Megatron-LM, 1909.08053): 2·n·k·(F − 1)/F words of an
	// all-reduce for every second product. Parameters, gradients and what the optimiser
	// keeps take 1/F.
	Weights
	// Replicas have the whole graph each, and a share of the items to train on; they
	// exchange gradients of parameters alone.
	Replicas
	// ThreeD is TwoD on R × S groups of C ranks, which share out the columns of their
	// vertices and the edges from these, by ranges of sources: before edges read them a
	// rank swaps its columns for rows of its range, and what edges sum for all rows of a
	// group is added up to columns: with n/(R·S·C) vertices alike,
	// k·n/(R·S·C)·((C − 1)/C + (R − 1) + C·(S − 1) + (C − 1)) words. Parameters are
	// shared out as by Feature.
	ThreeD
	// VertexCut assigns edges; a vertex has a master, and its row goes to the ranks
	// with edges at it, as do partial sums back: k·(Σ copies) words each way.
	VertexCut
)

var algorithmNames = [...]string{OneD: "1d", OneDAllGather: "1d-allgather", TwoD: "2d", ThreeD: "3d", VertexCut: "vertexcut", OneAndAHalfD: "1.5d", Feature: "feature", Weights: "weights", Replicas: "replicas"}

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

// Resplit is how the columns of Feature become those of the next layer.
type Resplit int

// The ways. In words that a rank sends for a product with a weight of n rows to k
// columns, forward; a gradient's way back is the other's.
const (
	// AllToAll brings rows to their owners, who multiply and bring the columns back.
	AllToAll Resplit = iota
	// ReduceScatter multiplies columns by rows of the weight, which the ranks share
	// out, and adds the products up to columns: n·k·(F − 1)/F words, and as many where
	// the gradient of a product is gathered. Nothing is sent for the first layer, whose
	// rows are whole.
	ReduceScatter
)

var resplitNames = [...]string{AllToAll: "all-to-all", ReduceScatter: "reduce-scatter"}

func (r Resplit) String() string { return resplitNames[r] }

// ParseResplit returns the way called name.
func ParseResplit(name string) (Resplit, error) {
	i := slices.Index(resplitNames[:], name)
	if i < 0 {
		names := resplitNames[:]
		return 0, fmt.Errorf("plan: resplit %q is not one of %s%s", name, strings.Join(names, ", "), nearest.DidYouMean(name, names))
	}
	return Resplit(i), nil
}
