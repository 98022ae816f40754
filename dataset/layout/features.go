package layout

import (
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/lines"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// buildWithFeatures builds the graph of a list whose edges have the rows of x as
// features; x has no columns where they have none. Parallel edges that have
// features are kept unless opt says otherwise, and a note says so.
func buildWithFeatures(d *dataset.Dataset, e *dataset.EdgeList, x tensor.Matrix, opt dataset.Options) (err error) {
	if x.Cols > 0 {
		d.EdgeX, e.Keep = x, true
	}
	if d.Graph, err = e.Build(opt); err != nil {
		return err
	}
	if n := parallelArcs(d.Graph); n > 0 && e.Keep && opt.Duplicates == dataset.LayoutDefault {
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

// appendOneHot appends to x the columns of integers t as indicators: one column for
// each value that a column of t has, ascending, 1 where the row has the value.
func appendOneHot(x tensor.Matrix, t *lines.Table[int64], g *budget.Guard) (tensor.Matrix, error) {
	values := make([][]int64, t.Cols)
	wide := x.Cols
	for c := range values {
		values[c] = distinctInts(t.Column(c))
		wide += len(values[c])
	}
	if err := g.NeedMatrix("one-hot features", int64(x.Rows), int64(wide), 4); err != nil {
		return x, err
	}
	out := tensor.New(x.Rows, wide)
	for i := range x.Rows {
		row := out.Row(i)
		at := copy(row, x.Row(i))
		for c, known := range values {
			k, _ := slices.BinarySearch(known, t.Data[i*t.Cols+c])
			row[at+k] = 1
			at += len(known)
		}
	}
	return out, nil
}
