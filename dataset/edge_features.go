package dataset

import (
	"fmt"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// buildWithFeatures builds the graph of a list whose edges have the rows of x as
// features; x has no columns where they have none. Parallel edges that have
// features are kept unless opt says otherwise, and a note says so.
func (d *Dataset) buildWithFeatures(e *edgeList, x tensor.Matrix, opt Options) (err error) {
	if x.Cols > 0 {
		d.EdgeX, e.keep = x, true
	}
	if d.Graph, err = e.build(opt); err != nil {
		return err
	}
	if n := parallelArcs(d.Graph); n > 0 && e.keep && opt.Duplicates == LayoutDefault {
		d.Notes = append(d.Notes, fmt.Sprintf("%d parallel arcs are kept, since edges have features", n))
	}
	return nil
}

// parallelArcs counts the arcs that have an equal one before them.
func parallelArcs(g *graph.Graph) (n int64) {
	for v := range g.N {
		for i := g.Ptr[v] + 1; i < g.Ptr[v+1]; i++ {
			if g.Src[i] == g.Src[i-1] {
				n++
			}
		}
	}
	return n
}
