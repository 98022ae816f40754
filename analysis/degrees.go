package analysis

import (
	"fmt"
	"math"

	"github.com/weft-gnn/weft/graph"
)

// GraphFacts describe the matrix A of a graph, and what its degrees mean for
// graph parallelism.
type GraphFacts struct {
	Vertices int64 `json:"vertices"`
	Arcs     int64 `json:"arcs"`
	// NNZ and Density are those of A: m, and m/n².
	NNZ     int64   `json:"nnz"`
	Density float64 `json:"density"`
	In      Degrees `json:"in_degree"`
	Out     Degrees `json:"out_degree"`
	// Ranks is m/d, the number of ranks up to which rows can be balanced: beyond
	// it the vertex of degree d alone exceeds a rank's share. 0 without arcs.
	Ranks int64 `json:"balanced_ranks"`
	// Spread is CV·√(P/n) at P = 16, the standard deviation of the arcs of random
	// parts of n/P vertices, relative to their mean.
	Spread    float64 `json:"spread_at_16"`
	Imbalance string  `json:"imbalance"`
}

// Degrees describe a distribution of degrees, self-loops left out.
type Degrees struct {
	Max  int     `json:"max"`
	Mean float64 `json:"mean"`
	P50  int     `json:"p50"`
	P99  int     `json:"p99"`
	CV   float64 `json:"cv"` // standard deviation over mean
}

// spreadRanks is the number of ranks that Spread is stated for.
const spreadRanks = 16

// factsOf counts the degrees of g.
//
// Cost: O(n + m).
func factsOf(g *graph.Graph) *GraphFacts {
	s := g.Stats()
	f := &GraphFacts{
		Vertices: s.Vertices, Arcs: s.Arcs, NNZ: s.Arcs, Density: s.Density,
		In: degreesOf(s.In), Out: degreesOf(s.Out),
		Spread: s.In.CV * math.Sqrt(spreadRanks/float64(s.Vertices)),
	}
	if s.In.Max > 0 {
		f.Ranks = s.Arcs / int64(s.In.Max)
	}
	f.Imbalance = f.imbalance()
	return f
}

func degreesOf(d graph.Degrees) Degrees {
	return Degrees{Max: d.Max, Mean: d.Mean, P50: d.P50, P99: d.P99, CV: d.CV}
}

// imbalance says what the distribution means.
func (f *GraphFacts) imbalance() string {
	switch {
	case f.Arcs == 0:
		return "no arcs: vertices are independent, and any partition is balanced"
	case f.In.CV < 0.1:
		return "degrees are nearly equal: parts of equally many vertices have equally many arcs"
	}
	text := fmt.Sprintf("one vertex has %s times the mean in-degree and is a single piece of work unless its row is cut: rows balance up to m/d = %s ranks",
		short(float64(f.In.Max)/f.In.Mean), grouped(f.Ranks))
	if f.Vertices >= spreadRanks {
		text += fmt.Sprintf("; random parts of n/P vertices differ in arcs by ± CV·√(P/n), %s at P = %d", percent(f.Spread), spreadRanks)
	}
	return text
}
