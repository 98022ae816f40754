package dataset

import (
	"errors"
	"fmt"

	"github.com/weft-gnn/weft/graph"
)

// edgeList is what a file lists, before it becomes a graph.
type edgeList struct {
	path string // for errors
	// row names a row of the list in errors: "line 7", "entry 7 of edges"; nil
	// means its number, counted from 0.
	row      func(i int64) string
	n        int // vertices, isolated ones included
	src, dst []int32
	weight   []float32 // nil means 1
	// undirected is what the file or its layout states.
	undirected bool
	// keep is set where parallel edges are kept unless Options say otherwise.
	keep bool
}

// build makes the graph as the options ask for. An id outside [0, n) or a
// weight that is not finite is an error that names the file, row and id.
func (e *edgeList) build(opt Options) (*graph.Graph, error) {
	p := graph.Policy{Symmetrise: opt.undirected(e.undirected)}
	switch opt.Duplicates {
	case LayoutDefault:
		if e.keep {
			p.Duplicates = graph.Keep
		}
	case KeepDuplicates:
		p.Duplicates = graph.Keep
	}
	g, err := graph.FromCOO(e.n, e.src, e.dst, e.weight, p)
	if err == nil {
		return g, nil
	}
	var out *graph.RangeError
	if errors.As(err, &out) {
		return nil, e.outOfRange(out.Row, int64(out.ID))
	}
	return nil, fmt.Errorf("dataset: %s: %w", e.path, err)
}

func (e *edgeList) outOfRange(row, id int64) error {
	where := fmt.Sprintf("edge %d (counted from 0)", row)
	if e.row != nil {
		where = e.row(row)
	}
	return fmt.Errorf("dataset: %s: %s: vertex %d is outside 0…%d", e.path, where, id, e.n-1)
}

// addAll lists the arcs of two columns of 64-bit ids, which it checks, since
// they might not fit the 32 bits of the graph's.
func (e *edgeList) addAll(src, dst []int64) error {
	if len(src) != len(dst) {
		return fmt.Errorf("dataset: %s: %d sources and %d destinations", e.path, len(src), len(dst))
	}
	for i := range src {
		for _, id := range [2]int64{src[i], dst[i]} {
			if id < 0 || id >= int64(e.n) {
				return e.outOfRange(int64(len(e.src)), id)
			}
		}
		e.src = append(e.src, int32(src[i]))
		e.dst = append(e.dst, int32(dst[i]))
	}
	return nil
}
