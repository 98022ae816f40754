package layout

import (
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/numpy"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// readShchur reads adj_*, attr_*, labels, node_names, class_names.
func readShchur(z npzSet, opt dataset.Options) (*dataset.Dataset, error) {
	d := &dataset.Dataset{Task: dataset.VertexClassification}
	adj, err := z.Sparse("adj")
	if err != nil {
		return nil, err
	}
	if adj.Rows != adj.Cols {
		return nil, fmt.Errorf("dataset: %s: %d×%d, want a square matrix", adj.Name, adj.Rows, adj.Cols)
	}
	n := adj.Rows
	if d.Graph, err = z.adjacency(adj, opt); err != nil {
		return nil, err
	}
	if d.X, err = z.features(n); err != nil {
		return nil, err
	}
	if err := z.labels(d, "labels", n); err != nil {
		return nil, err
	}
	names, err := z.OptionalText("node_names", n)
	if err != nil {
		return nil, err
	}
	d.IDs.Text = names
	if d.Graph.Counts.Arcs > 0 && opt.IsUndirected(true) {
		d.Notes = append(d.Notes, "listed edges are read as undirected")
	}
	return d, nil
}

// adjacency turns row u with column v into the listed edge u, v.
func (z npzSet) adjacency(s *numpy.CSR, opt dataset.Options) (*graph.Graph, error) {
	ptr, col, err := s.Structure(z.Guard)
	if err != nil {
		return nil, err
	}
	if err := z.Guard.Counts(int64(s.Rows), 2*int64(len(col))); err != nil {
		return nil, err
	}
	e := dataset.EdgeList{Path: z.Path, N: s.Rows, Undirected: true,
		Src: make([]int32, len(col)), Dst: make([]int32, len(col))}
	e.Row = func(i int64) string { return fmt.Sprintf("entry %d of adj_indices", i) }
	for u := range s.Rows {
		for p := ptr[u]; p < ptr[u+1]; p++ {
			e.Src[p], e.Dst[p] = int32(u), int32(col[p])
		}
	}
	if err := s.Value.WantShape(len(col)); err != nil {
		return nil, err
	}
	weight, err := s.Value.Floats(z.Guard)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(weight, func(w float32) bool { return w != 1 }) {
		e.Weight = weight
	}
	return e.Build(opt)
}

// features reads attr_*, or attr_matrix where it is dense; no columns where
// there is neither.
func (z npzSet) features(n int) (tensor.Matrix, error) {
	if !z.Has("attr_indptr.npy") {
		a, err := z.Optional("attr_matrix")
		if err != nil || a == nil {
			return tensor.New(n, 0), err
		}
		return a.RowsFor(n, "vertices", z.Guard)
	}
	s, err := z.Sparse("attr")
	if err != nil {
		return tensor.Matrix{}, err
	}
	if s.Rows != n {
		return tensor.Matrix{}, fmt.Errorf("dataset: %s: %d rows for %d vertices", s.Name, s.Rows, n)
	}
	if s.Cols < 0 {
		return tensor.Matrix{}, fmt.Errorf("dataset: %s: %d columns", s.Name, s.Cols)
	}
	if err := z.Guard.NeedMatrix("features", int64(n), int64(s.Cols), 4); err != nil {
		return tensor.Matrix{}, err
	}
	x := tensor.New(n, s.Cols)
	return x, s.AddTo(x, func(i int) int { return i }, z.Guard)
}

// labels reads the class numbers called name; −1 is a missing label. Classes
// are named by class_names where that is there.
func (z npzSet) labels(d *dataset.Dataset, name string, n int) error {
	a, err := z.Optional(name)
	if err != nil {
		return err
	}
	if a == nil {
		d.Task = dataset.NoTask
		return nil
	}
	if err := a.WantShape(n); err != nil {
		return err
	}
	class, classes, err := a.Classes(z.Guard)
	if err != nil {
		return err
	}
	d.Labels.Class = class
	names, err := z.OptionalText("class_names", -1)
	if err != nil {
		return err
	}
	if names == nil {
		names = dataset.NumberedClasses(classes)
	}
	if len(names) < classes {
		return fmt.Errorf("dataset: %s: %d class names for the classes 0…%d", z.Path, len(names), classes-1)
	}
	d.Labels.Names = names
	return nil
}

// readMasked reads node_features, node_labels, edges and the masks.
func readMasked(z npzSet, opt dataset.Options) (*dataset.Dataset, error) {
	d := &dataset.Dataset{Task: dataset.VertexClassification}
	x, err := z.Array("node_features")
	if err != nil {
		return nil, err
	}
	if len(x.Shape) == 0 {
		return nil, x.Errorf("shape (), want one row per vertex")
	}
	n := x.Shape[0]
	if d.X, err = x.RowsFor(n, "vertices", z.Guard); err != nil {
		return nil, err
	}
	if d.Graph, err = z.pairs(n, opt); err != nil {
		return nil, err
	}
	if err := z.labels(d, "node_labels", n); err != nil {
		return nil, err
	}
	d.Splits, err = z.masks(n)
	return d, err
}

// pairs reads edges, one row of two ids each.
func (z npzSet) pairs(n int, opt dataset.Options) (*graph.Graph, error) {
	a, err := z.Array("edges")
	if err != nil {
		return nil, err
	}
	if err := a.WantShape(-1, 2); err != nil {
		return nil, err
	}
	m := a.Shape[0]
	if err := z.Guard.Counts(int64(n), 2*int64(m)); err != nil {
		return nil, err
	}
	ends, err := a.Ints(z.Guard)
	if err != nil {
		return nil, err
	}
	e := dataset.EdgeList{Path: z.Path, N: n, Undirected: true, Src: make([]int32, 0, m), Dst: make([]int32, 0, m)}
	e.Row = func(i int64) string { return fmt.Sprintf("row %d of edges", i) }
	for i := range m {
		if err := e.Add(ends[2*i], ends[2*i+1]); err != nil {
			return nil, err
		}
	}
	return e.Build(opt)
}

// masks reads the splits "fold 0", "fold 1", …: one row of train_masks,
// val_masks and test_masks each.
func (z npzSet) masks(n int) ([]dataset.Split, error) {
	var parts [3][][]int32
	for p, name := range [...]string{"train_masks", "val_masks", "test_masks"} {
		a, err := z.Optional(name)
		if err != nil {
			return nil, err
		}
		if a == nil {
			return nil, nil
		}
		if parts[p], err = a.MaskRows(n, z.Guard); err != nil {
			return nil, err
		}
		if len(parts[p]) != len(parts[0]) {
			return nil, a.Errorf("%d masks, train_masks has %d", len(parts[p]), len(parts[0]))
		}
	}
	splits := make([]dataset.Split, len(parts[0]))
	for i := range splits {
		splits[i] = dataset.Split{Name: fmt.Sprintf("fold %d", i), Train: parts[0][i], Val: parts[1][i], Test: parts[2][i]}
	}
	return splits, nil
}
