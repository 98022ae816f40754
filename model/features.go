package model

import (
	"math"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// Features returns the matrix that a model reads: the set's features, their
// rows divided by their sums where asked, or log(1 + in-degree) where the set
// has none.
//
// Shapes: n × k, or n × 1.
// Contract: the result may alias the set's features.
func Features(d *dataset.Dataset, rowNormalize bool) tensor.Matrix {
	switch {
	case d.X.Cols == 0:
		return Degrees(d.Graph)
	case rowNormalize:
		return dataset.RowNormalise(d.X)
	}
	return d.X
}

// Degrees returns log(1 + in-degree) of every vertex, loops counted: what a
// model reads where there are no features.
//
// Shapes: n × 1.
func Degrees(g *graph.Graph) tensor.Matrix {
	b, x := g.Block(), tensor.New(g.N, 1)
	for v := range x.Rows {
		x.Data[v] = float32(math.Log1p(float64(b.InDegree(v))))
	}
	return x
}
