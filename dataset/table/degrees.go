package table

import (
	"math"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/tensor"
)

// degrees makes features of the degrees where no column gave any.
func (r *reading) degrees() error {
	if r.learning() {
		if len(r.prep.Vertex) > 0 || r.spec.Edges.File == "" {
			return nil
		}
		r.prep.Vertex = []dataset.PrepColumn{{Kind: dataset.InDegree, Scale: 1}}
		if r.prep.Directed {
			r.prep.Vertex = append(r.prep.Vertex, dataset.PrepColumn{Kind: dataset.OutDegree, Scale: 1})
		}
		if err := r.guard.NeedMatrix("features", int64(r.keys.len()), 2, 4); err != nil {
			return err
		}
		r.out.X = tensor.New(r.keys.len(), width(r.prep.Vertex))
		r.note("no feature columns: the features are log(1 + degree)")
	}
	for j := range r.prep.Vertex {
		c := &r.prep.Vertex[j]
		if c.Kind != dataset.InDegree && c.Kind != dataset.OutDegree {
			continue
		}
		degree := r.degreesOf(c.Kind)
		if r.learning() && r.spec.Scale == Standardise {
			var m moments
			for _, d := range degree {
				m.add(d)
			}
			c.Mean, c.Scale = m.mean, m.deviation()
		}
		for i, d := range degree {
			r.out.X.Row(i)[j] = c.Scaled(d)
		}
	}
	return nil
}

// degreesOf returns log(1 + degree) of every vertex.
func (r *reading) degreesOf(kind dataset.ColumnKind) []float64 {
	g := r.out.Graph
	degree := make([]float64, g.N)
	if kind == dataset.InDegree {
		for i := range degree {
			degree[i] = float64(g.Ptr[i+1] - g.Ptr[i])
		}
	} else {
		for _, u := range g.Src {
			degree[u]++
		}
	}
	for i, d := range degree {
		degree[i] = math.Log1p(d)
	}
	return degree
}
