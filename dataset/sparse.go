package dataset

import (
	"fmt"

	"github.com/nlpodyssey/gopickle/types"
	"github.com/weft-gnn/weft/tensor"
)

// sparseRows is a matrix in compressed sparse rows, as SciPy stores it.
type sparseRows struct {
	name       string // for errors
	rows, cols int
	ptr, col   *array
	value      *array
}

// sparseClass is SciPy's csr_matrix.
type sparseClass struct{}

// PyNew implements gopickle's types.PyNewable.
func (sparseClass) PyNew(...any) (any, error) { return &sparseRows{name: "sparse matrix"}, nil }

// PySetState takes the fields of SciPy's __dict__ that matter.
func (s *sparseRows) PySetState(state any) error {
	d, ok := state.(*types.Dict)
	if !ok {
		return fmt.Errorf("state of a sparse matrix: want a dict")
	}
	for _, e := range *d {
		key, _ := rawText(e.Key)
		switch key {
		case "_shape", "shape":
			shape, err := pickledShape(e.Value)
			if err != nil || len(shape) != 2 {
				return fmt.Errorf("state of a sparse matrix: want a shape of two lengths")
			}
			s.rows, s.cols = shape[0], shape[1]
		case "indptr":
			s.ptr, _ = e.Value.(*array)
		case "indices":
			s.col, _ = e.Value.(*array)
		case "data":
			s.value, _ = e.Value.(*array)
		}
	}
	if s.ptr == nil || s.col == nil || s.value == nil {
		return fmt.Errorf("state of a sparse matrix: want the arrays indptr, indices and data")
	}
	return nil
}

// rename names the matrix and its arrays in errors.
func (s *sparseRows) rename(name string) {
	s.name = name
	for part, a := range map[string]*array{"indptr": s.ptr, "indices": s.col, "data": s.value} {
		if a != nil {
			a.name = name + ": " + part
		}
	}
}

// structure returns the row pointers and column indices, checked: pointers
// ascend from 0 to the number of entries, indices lie within the columns.
func (s *sparseRows) structure(g *guard) (ptr, col []int64, err error) {
	if s.ptr == nil { // a pickle can make the object and never set its state
		return nil, nil, fmt.Errorf("dataset: %s: no arrays: the pickle sets no state", s.name)
	}
	if err = s.ptr.wantShape(-1); err != nil {
		return nil, nil, err
	}
	if s.rows < 0 || s.cols < 0 || s.ptr.shape[0]-1 != s.rows {
		return nil, nil, fmt.Errorf("dataset: %s: %d entries of indptr for the shape %d×%d", s.name, s.ptr.shape[0], s.rows, s.cols)
	}
	if ptr, err = s.ptr.ints(g); err != nil {
		return nil, nil, err
	}
	if col, err = s.col.ints(g); err != nil {
		return nil, nil, err
	}
	if ptr[0] != 0 || ptr[s.rows] != int64(len(col)) {
		return nil, nil, fmt.Errorf("dataset: %s: indptr runs from %d to %d, want 0 to %d", s.name, ptr[0], ptr[s.rows], len(col))
	}
	for i := range s.rows {
		if ptr[i+1] < ptr[i] {
			return nil, nil, fmt.Errorf("dataset: %s: row %d: indptr falls from %d to %d", s.name, i, ptr[i], ptr[i+1])
		}
		if ptr[i+1] > int64(len(col)) {
			return nil, nil, fmt.Errorf("dataset: %s: row %d: indptr %d is over the %d entries", s.name, i, ptr[i+1], len(col))
		}
		for _, c := range col[ptr[i]:ptr[i+1]] {
			if c < 0 || c >= int64(s.cols) {
				return nil, nil, fmt.Errorf("dataset: %s: row %d: column %d is outside 0…%d", s.name, i, c, s.cols-1)
			}
		}
	}
	return ptr, col, nil
}

// addTo writes the matrix, entries of equal indices summed, into the rows of m
// that row names.
func (s *sparseRows) addTo(m tensor.Matrix, row func(i int) int, g *guard) error {
	ptr, col, err := s.structure(g)
	if err != nil {
		return err
	}
	if err := s.value.wantShape(len(col)); err != nil {
		return err
	}
	value, err := s.value.floats(g)
	if err != nil {
		return err
	}
	for i := range s.rows {
		to := m.Row(row(i))
		for p := ptr[i]; p < ptr[i+1]; p++ {
			to[col[p]] += value[p]
		}
	}
	return nil
}
