package dataset

import (
	"errors"
	"fmt"

	"github.com/weft-gnn/weft/graph"
)

// EdgeList is what a file lists, before it becomes a graph.
type EdgeList struct {
	Path string // for errors
	// Row names a row of the list in errors: "line 7", "entry 7 of edges"; nil
	// means its number, counted from 0.
	Row      func(i int64) string
	N        int // vertices, isolated ones included
	Src, Dst []int32
	Weight   []float32 // nil means 1
	// Undirected is what the file or its layout states.
	Undirected bool
	// Keep is set where parallel edges are kept unless Options say otherwise.
	Keep bool
}

// Build makes the graph as the options ask for. An id outside [0, n) or a
// weight that is not finite is an error that names the file, row and id.
func (e *EdgeList) Build(opt Options) (*graph.Graph, error) {
	p := graph.Policy{Symmetrise: opt.IsUndirected(e.Undirected)}
	switch opt.Duplicates {
	case LayoutDefault:
		if e.Keep {
			p.Duplicates = graph.Keep
		}
	case KeepDuplicates:
		p.Duplicates = graph.Keep
	}
	g, err := graph.FromCOO(e.N, e.Src, e.Dst, e.Weight, p)
	if err == nil {
		return g, nil
	}
	var out *graph.RangeError
	if errors.As(err, &out) {
		return nil, e.outOfRange(out.Row, int64(out.ID))
	}
	return nil, fmt.Errorf("dataset: %s: %w", e.Path, err)
}

func (e *EdgeList) outOfRange(row, id int64) error {
	where := fmt.Sprintf("edge %d (counted from 0)", row)
	if e.Row != nil {
		where = e.Row(row)
	}
	return fmt.Errorf("dataset: %s: %s: vertex %d is outside 0…%d", e.Path, where, id, e.N-1)
}

// AddAll lists the arcs of two columns of 64-bit ids.
func (e *EdgeList) AddAll(src, dst []int64) error {
	if len(src) != len(dst) {
		return fmt.Errorf("dataset: %s: %d sources and %d destinations", e.Path, len(src), len(dst))
	}
	for i := range src {
		if err := e.Add(src[i], dst[i]); err != nil {
			return err
		}
	}
	return nil
}

// Add lists an arc. It checks the ids, since 64 bits might not fit the 32 of the
// graph's.
func (e *EdgeList) Add(src, dst int64) error {
	for _, id := range [2]int64{src, dst} {
		if id < 0 || id >= int64(e.N) {
			return e.outOfRange(int64(len(e.Src)), id)
		}
	}
	e.Src, e.Dst = append(e.Src, int32(src)), append(e.Dst, int32(dst))
	return nil
}
