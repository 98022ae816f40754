package numpy

import (
	"fmt"

	"github.com/nlpodyssey/gopickle/types"
)

// newPickledArray is numpy's _reconstruct(class, shape, typecode): an empty
// array, which a state fills.
func newPickledArray(args ...any) (any, error) {
	if len(args) != 3 {
		return nil, fmt.Errorf("_reconstruct with %d arguments, want 3", len(args))
	}
	if _, ok := args[0].(arrayClass); !ok {
		return nil, fmt.Errorf("_reconstruct of a %s, want ndarray", TypeName(args[0]))
	}
	return &Array{Name: "array", dtype: dtype{kind: 'f', size: 8}, Shape: []int{0}}, nil
}

// PySetState fills an array from numpy's (version, shape, dtype, fortran, data).
func (a *Array) PySetState(state any) error {
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
		return fmt.Errorf("state of an array: the type is a %s", TypeName(t.Get(2)))
	}
	fortran, _ := t.Get(3).(bool)
	next := Array{Name: a.Name, Shape: shape, dtype: d.dtype, fortran: fortran}
	if d.kind == 'O' {
		list, ok := t.Get(4).(*types.List)
		if !ok {
			return fmt.Errorf("state of an array: the objects are a %s", TypeName(t.Get(4)))
		}
		next.objects = *list
	} else if next.data, ok = rawBytes(t.Get(4)); !ok {
		return fmt.Errorf("state of an array: the data is a %s", TypeName(t.Get(4)))
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
		return nil, fmt.Errorf("_frombuffer of a %s and a %s", TypeName(args[0]), TypeName(args[1]))
	}
	shape, err := pickledShape(args[2])
	if err != nil {
		return nil, err
	}
	a := &Array{Name: "array", Shape: shape, dtype: d.dtype, fortran: order == "F", data: data}
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
		return nil, fmt.Errorf("dtype named by a %s", TypeName(args[0]))
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
		return fmt.Errorf("state of a dtype: the order is a %s", TypeName(t.Get(1)))
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
		return nil, fmt.Errorf("scalar of a %s and a %s", TypeName(args[0]), TypeName(args[1]))
	}
	a := &Array{Name: "scalar", Shape: []int{}, dtype: d.dtype, data: b}
	return a, a.check()
}
