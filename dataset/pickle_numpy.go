package dataset

import (
	"fmt"

	"github.com/nlpodyssey/gopickle/types"
	"github.com/weft-gnn/weft/tensor"
)

// newPickledArray is numpy's _reconstruct(class, shape, typecode): an empty
// array, which a state fills.
func newPickledArray(args ...any) (any, error) {
	if len(args) != 3 {
		return nil, fmt.Errorf("_reconstruct with %d arguments, want 3", len(args))
	}
	if _, ok := args[0].(arrayClass); !ok {
		return nil, fmt.Errorf("_reconstruct of a %s, want ndarray", pyType(args[0]))
	}
	return &array{name: "array", dtype: dtype{kind: 'f', size: 8}, shape: []int{0}}, nil
}

// PySetState fills an array from numpy's (version, shape, dtype, fortran, data).
func (a *array) PySetState(state any) error {
	t, ok := state.(*types.Tuple)
	if !ok || t.Len() != 5 {
		return fmt.Errorf("state of an array: want a tuple of 5")
	}
	shape, err := pickledShape(t.Get(1))
	if err != nil {
		return err
	}
	d, ok := t.Get(2).(*pickledDtype)
	if !ok {
		return fmt.Errorf("state of an array: the type is a %s", pyType(t.Get(2)))
	}
	fortran, _ := t.Get(3).(bool)
	next := array{name: a.name, shape: shape, dtype: d.dtype, fortran: fortran}
	if d.kind == 'O' {
		list, ok := t.Get(4).(*types.List)
		if !ok {
			return fmt.Errorf("state of an array: the objects are a %s", pyType(t.Get(4)))
		}
		next.objects = *list
	} else if next.data, ok = rawBytes(t.Get(4)); !ok {
		return fmt.Errorf("state of an array: the data is a %s", pyType(t.Get(4)))
	}
	if err := next.check(); err != nil {
		return err
	}
	*a = next
	return nil
}

// newBufferArray is numpy's _frombuffer(data, dtype, shape, order) of protocol 5.
func newBufferArray(args ...any) (any, error) {
	if len(args) != 4 {
		return nil, fmt.Errorf("_frombuffer with %d arguments, want 4", len(args))
	}
	data, raw := rawBytes(args[0])
	d, ok := args[1].(*pickledDtype)
	order, known := args[3].(string)
	if !raw || !ok || !known || d.kind == 'O' {
		return nil, fmt.Errorf("_frombuffer of a %s and a %s", pyType(args[0]), pyType(args[1]))
	}
	shape, err := pickledShape(args[2])
	if err != nil {
		return nil, err
	}
	a := &array{name: "array", shape: shape, dtype: d.dtype, fortran: order == "F", data: data}
	return a, a.check()
}

func pickledShape(v any) ([]int, error) {
	t, ok := v.(*types.Tuple)
	if !ok || t.Len() > maxDims {
		return nil, fmt.Errorf("shape: want a tuple of at most %d", maxDims)
	}
	shape := make([]int, t.Len())
	for i := range shape {
		if shape[i], ok = t.Get(i).(int); !ok || shape[i] < 0 {
			return nil, fmt.Errorf("shape: entry %d is not a length", i)
		}
	}
	return shape, nil
}

// pickledDtype is numpy's dtype(name, align, copy), whose state holds the byte
// order.
type pickledDtype struct{ dtype }

func newPickledDtype(args ...any) (any, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("dtype without a name")
	}
	name, ok := rawText(args[0])
	if !ok {
		return nil, fmt.Errorf("dtype named by a %s", pyType(args[0]))
	}
	d, err := parseDtype(name)
	return &pickledDtype{d}, err
}

// PySetState takes the byte order from numpy's (version, order, …).
func (d *pickledDtype) PySetState(state any) error {
	t, ok := state.(*types.Tuple)
	if !ok || t.Len() < 2 {
		return fmt.Errorf("state of a dtype: want a tuple")
	}
	order, ok := rawText(t.Get(1))
	if !ok {
		return fmt.Errorf("state of a dtype: the order is a %s", pyType(t.Get(1)))
	}
	d.big = order == ">"
	return nil
}

// newPickledScalar is numpy's scalar(dtype, bytes): an array of no dimensions.
func newPickledScalar(args ...any) (any, error) {
	if len(args) != 2 {
		return nil, fmt.Errorf("scalar with %d arguments, want 2", len(args))
	}
	d, ok := args[0].(*pickledDtype)
	b, raw := rawBytes(args[1])
	if !ok || !raw {
		return nil, fmt.Errorf("scalar of a %s and a %s", pyType(args[0]), pyType(args[1]))
	}
	a := &array{name: "scalar", shape: []int{}, dtype: d.dtype, data: b}
	return a, a.check()
}

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
