package dataset

import (
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// readShchur reads adj_*, attr_*, labels, node_names, class_names.
func readShchur(z npzSet, opt Options) (*Dataset, error) {
	d := &Dataset{Task: VertexClassification}
	adj, err := z.sparse("adj")
	if err != nil {
		return nil, err
	}
	if adj.rows != adj.cols {
		return nil, fmt.Errorf("dataset: %s: %d×%d, want a square matrix", adj.name, adj.rows, adj.cols)
	}
	n := adj.rows
	if d.Graph, err = z.adjacency(adj, opt); err != nil {
		return nil, err
	}
	if d.X, err = z.features(n); err != nil {
		return nil, err
	}
	if err := z.labels(d, "labels", n); err != nil {
		return nil, err
	}
	names, err := z.optionalText("node_names", n)
	if err != nil {
		return nil, err
	}
	d.IDs.Text = names
	if d.Graph.Counts.Arcs > 0 && opt.undirected(true) {
		d.Notes = append(d.Notes, "listed edges are read as undirected")
	}
	return d, nil
}

// adjacency turns row u with column v into the listed edge u, v.
func (z npzSet) adjacency(s *sparseRows, opt Options) (*graph.Graph, error) {
	ptr, col, err := s.structure(z.guard)
	if err != nil {
		return nil, err
	}
	if err := z.guard.counts(int64(s.rows), 2*int64(len(col))); err != nil {
		return nil, err
	}
	e := edgeList{path: z.path, n: s.rows, undirected: true,
		src: make([]int32, len(col)), dst: make([]int32, len(col))}
	e.row = func(i int64) string { return fmt.Sprintf("entry %d of adj_indices", i) }
	for u := range s.rows {
		for p := ptr[u]; p < ptr[u+1]; p++ {
			e.src[p], e.dst[p] = int32(u), int32(col[p])
		}
	}
	if err := s.value.wantShape(len(col)); err != nil {
		return nil, err
	}
	weight, err := s.value.floats(z.guard)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(weight, func(w float32) bool { return w != 1 }) {
		e.weight = weight
	}
	return e.build(opt)
}

// features reads attr_*, or attr_matrix where it is dense; no columns where
// there is neither.
func (z npzSet) features(n int) (tensor.Matrix, error) {
	if !z.has("attr_indptr.npy") {
		a, err := z.optional("attr_matrix")
		if err != nil || a == nil {
			return tensor.New(n, 0), err
		}
		return a.rowsFor(n, "vertices", z.guard)
	}
	s, err := z.sparse("attr")
	if err != nil {
		return tensor.Matrix{}, err
	}
	if s.rows != n {
		return tensor.Matrix{}, fmt.Errorf("dataset: %s: %d rows for %d vertices", s.name, s.rows, n)
	}
	if s.cols < 0 {
		return tensor.Matrix{}, fmt.Errorf("dataset: %s: %d columns", s.name, s.cols)
	}
	if err := z.guard.needMatrix("features", int64(n), int64(s.cols), 4); err != nil {
		return tensor.Matrix{}, err
	}
	x := tensor.New(n, s.cols)
	return x, s.addTo(x, func(i int) int { return i }, z.guard)
}

// labels reads the class numbers called name; −1 is a missing label. Classes
// are named by class_names where that is there.
func (z npzSet) labels(d *Dataset, name string, n int) error {
	a, err := z.optional(name)
	if err != nil {
		return err
	}
	if a == nil {
		d.Task = NoTask
		return nil
	}
	if err := a.wantShape(n); err != nil {
		return err
	}
	class, classes, err := a.classes(z.guard)
	if err != nil {
		return err
	}
	d.Labels.Class = class
	names, err := z.optionalText("class_names", -1)
	if err != nil {
		return err
	}
	if names == nil {
		names = numberNames(classes)
	}
	if len(names) < classes {
		return fmt.Errorf("dataset: %s: %d class names for the classes 0…%d", z.path, len(names), classes-1)
	}
	d.Labels.Names = names
	return nil
}

// readMasked reads node_features, node_labels, edges and the masks.
func readMasked(z npzSet, opt Options) (*Dataset, error) {
	d := &Dataset{Task: VertexClassification}
	x, err := z.array("node_features")
	if err != nil {
		return nil, err
	}
	if len(x.shape) == 0 {
		return nil, x.errorf("shape (), want one row per vertex")
	}
	n := x.shape[0]
	if d.X, err = x.rowsFor(n, "vertices", z.guard); err != nil {
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
func (z npzSet) pairs(n int, opt Options) (*graph.Graph, error) {
	a, err := z.array("edges")
	if err != nil {
		return nil, err
	}
	if err := a.wantShape(-1, 2); err != nil {
		return nil, err
	}
	m := a.shape[0]
	if err := z.guard.counts(int64(n), 2*int64(m)); err != nil {
		return nil, err
	}
	ends, err := a.ints(z.guard)
	if err != nil {
		return nil, err
	}
	e := edgeList{path: z.path, n: n, undirected: true,
		src: make([]int32, m), dst: make([]int32, m)}
	e.row = func(i int64) string { return fmt.Sprintf("row %d of edges", i) }
	for i := range m {
		for _, id := range ends[2*i : 2*i+2] {
			if id < 0 || id >= int64(n) {
				return nil, e.outOfRange(int64(i), id)
			}
		}
		e.src[i], e.dst[i] = int32(ends[2*i]), int32(ends[2*i+1])
	}
	return e.build(opt)
}

// masks reads the splits "fold 0", "fold 1", …: one row of train_masks,
// val_masks and test_masks each.
func (z npzSet) masks(n int) ([]Split, error) {
	var parts [3][][]int32
	for p, name := range [...]string{"train_masks", "val_masks", "test_masks"} {
		a, err := z.optional(name)
		if err != nil {
			return nil, err
		}
		if a == nil {
			return nil, nil
		}
		if parts[p], err = a.maskRows(n, z.guard); err != nil {
			return nil, err
		}
		if len(parts[p]) != len(parts[0]) {
			return nil, a.errorf("%d masks, train_masks has %d", len(parts[p]), len(parts[0]))
		}
	}
	splits := make([]Split, len(parts[0]))
	for i := range splits {
		splits[i] = Split{Name: fmt.Sprintf("fold %d", i), Train: parts[0][i], Val: parts[1][i], Test: parts[2][i]}
	}
	return splits, nil
}
