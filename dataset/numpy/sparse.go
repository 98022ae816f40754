package numpy

import (
	"fmt"

	"github.com/nlpodyssey/gopickle/types"

	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/tensor"
)

// CSR is a matrix in compressed sparse rows, as SciPy stores it.
type CSR struct {
	Name       string // for errors
	Rows, Cols int
	Ptr, Col   *Array
	Value      *Array
}

// csrClass is SciPy's csr_matrix.
type csrClass struct{}

// PyNew implements gopickle's types.PyNewable.
func (csrClass) PyNew(...any) (any, error) { return &CSR{Name: "sparse matrix"}, nil }

// PySetState takes the fields of SciPy's __dict__ that matter.
func (s *CSR) PySetState(state any) error {
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
			s.Rows, s.Cols = shape[0], shape[1]
		case "indptr":
			s.Ptr, _ = e.Value.(*Array)
		case "indices":
			s.Col, _ = e.Value.(*Array)
		case "data":
			s.Value, _ = e.Value.(*Array)
		}
	}
	if s.Ptr == nil || s.Col == nil || s.Value == nil {
		return fmt.Errorf("state of a sparse matrix: want the arrays indptr, indices and data")
	}
	return nil
}

// Rename names the matrix and its arrays in errors.
func (s *CSR) Rename(name string) {
	s.Name = name
	for part, a := range map[string]*Array{"indptr": s.Ptr, "indices": s.Col, "data": s.Value} {
		if a != nil {
			a.Name = name + ": " + part
		}
	}
}

// Structure returns the row pointers and column indices, checked: pointers
// ascend from 0 to the number of entries, indices lie within the columns.
func (s *CSR) Structure(g *budget.Guard) (ptr, col []int64, err error) {
	if s.Ptr == nil { // a pickle can make the object and never set its state
		return nil, nil, fmt.Errorf("dataset: %s: no arrays: the pickle sets no state", s.Name)
	}
	if err = s.Ptr.WantShape(-1); err != nil {
		return nil, nil, err
	}
	if s.Rows < 0 || s.Cols < 0 || s.Ptr.Shape[0]-1 != s.Rows {
		return nil, nil, fmt.Errorf("dataset: %s: %d entries of indptr for the shape %d×%d", s.Name, s.Ptr.Shape[0], s.Rows, s.Cols)
	}
	if ptr, err = s.Ptr.Ints(g); err != nil {
		return nil, nil, err
	}
	if col, err = s.Col.Ints(g); err != nil {
		return nil, nil, err
	}
	if ptr[0] != 0 || ptr[s.Rows] != int64(len(col)) {
		return nil, nil, fmt.Errorf("dataset: %s: indptr runs from %d to %d, want 0 to %d", s.Name, ptr[0], ptr[s.Rows], len(col))
	}
	for i := range s.Rows {
		if ptr[i+1] < ptr[i] {
			return nil, nil, fmt.Errorf("dataset: %s: row %d: indptr falls from %d to %d", s.Name, i, ptr[i], ptr[i+1])
		}
		if ptr[i+1] > int64(len(col)) {
			return nil, nil, fmt.Errorf("dataset: %s: row %d: indptr %d is over the %d entries", s.Name, i, ptr[i+1], len(col))
		}
		for _, c := range col[ptr[i]:ptr[i+1]] {
			if c < 0 || c >= int64(s.Cols) {
				return nil, nil, fmt.Errorf("dataset: %s: row %d: column %d is outside 0…%d", s.Name, i, c, s.Cols-1)
			}
		}
	}
	return ptr, col, nil
}

// AddTo writes the matrix, entries of equal indices summed, into the rows of m
// that row names.
func (s *CSR) AddTo(m tensor.Matrix, row func(i int) int, g *budget.Guard) error {
	ptr, col, err := s.Structure(g)
	if err != nil {
		return err
	}
	if err := s.Value.WantShape(len(col)); err != nil {
		return err
	}
	value, err := s.Value.Floats(g)
	if err != nil {
		return err
	}
	for i := range s.Rows {
		to := m.Row(row(i))
		for p := ptr[i]; p < ptr[i+1]; p++ {
			to[col[p]] += value[p]
		}
	}
	return nil
}
