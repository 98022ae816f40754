package model

import (
	"errors"
	"fmt"
	"math"
	"strconv"

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

// CheckFeatures checks what [Features] returned of a set.
//
// Errors: a value that is NaN or infinite, with its vertex and column. One such
// reaches every weight, even that of a vertex without arcs in no part of the
// split: 0·NaN is NaN.
func CheckFeatures(d *dataset.Dataset, x tensor.Matrix) error {
	v, column, found := x.NonFinite()
	if !found {
		return nil
	}
	return fmt.Errorf("model: %s: feature %d (counted from 0) of vertex %s is %v, want a finite number", d.Name, column, d.IDs.Of(v), x.Row(v)[column])
}

// NameVertex adds to an error about the weights into a vertex what the set calls
// that vertex, where it is not its number.
func NameVertex(d *dataset.Dataset, err error) error {
	if d.Graph.Origin != nil { // whose identities are those of another set
		return err
	}
	return NameVertexBy(func(v int64) string { return d.IDs.Of(int(v)) }, err)
}

// NameVertexBy is [NameVertex] where called says what a vertex is called.
func NameVertexBy(called func(v int64) string, err error) error {
	var bad *graph.DegreeError
	if !errors.As(err, &bad) {
		return err
	}
	if id := called(bad.Vertex); id != strconv.FormatInt(bad.Vertex, 10) {
		return fmt.Errorf("%w (vertex %d is called %s)", err, bad.Vertex, id)
	}
	return err
}

// Degrees returns log(1 + in-degree) of every vertex, loops counted: what a
// model reads where there are no features.
//
// Shapes: n × 1.
func Degrees(g *graph.Graph) tensor.Matrix {
	b, x := g.Block(), tensor.New(g.N, 1)
	for v := range x.Rows {
		x.Data[v] = LogDegree(b.Degree(v))
	}
	return x
}

// LogDegree is log(1 + d).
func LogDegree(d int) float32 { return float32(math.Log1p(float64(d))) }
