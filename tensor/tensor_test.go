package tensor_test

import (
	"errors"
	"math"
	"testing"

	"github.com/weft-gnn/weft/tensor"
)

// strided is a 2×3 view of rows 5 apart, with NaN between them.
func strided() tensor.Matrix {
	nan := float32(math.NaN())
	return tensor.Matrix{Rows: 2, Cols: 3, Stride: 5, Data: []float32{1, 2, 3, nan, nan, 4, 5, 6}}
}

func TestRow(t *testing.T) {
	m := strided()
	r := m.Row(1)
	if len(r) != 3 || cap(r) != 3 || r[0] != 4 || r[2] != 6 {
		t.Fatalf("row 1 is %v with room for %d", r, cap(r))
	}
	r[1] = 50
	if m.Data[6] != 50 {
		t.Fatal("a row does not alias its matrix")
	}
}

func TestContiguous(t *testing.T) {
	for _, c := range []struct {
		name string
		m    tensor.Matrix
		want bool
	}{
		{"new", tensor.New(2, 3), true},
		{"zero", tensor.Matrix{}, true},
		{"strided", strided(), false},
		{"one strided row", tensor.Matrix{Rows: 1, Cols: 3, Stride: 5, Data: make([]float32, 3)}, true},
	} {
		if got := c.m.Contiguous(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if f := tensor.New(2, 3).Flat(); len(f) != 6 || cap(f) != 6 {
		t.Errorf("flat: %d of %d", len(f), cap(f))
	}
}

func TestCloneIsContiguousAndEqual(t *testing.T) {
	m := strided()
	c := m.Clone()
	if !c.Contiguous() || !c.Equal(m) || !m.Equal(c) {
		t.Fatalf("clone %v of %v", c.Data, m.Data)
	}
	c.Row(0)[0] = 9
	if m.Data[0] != 1 || c.Equal(m) {
		t.Fatal("a clone aliases its original")
	}
	if e := (tensor.Matrix{}).Clone(); !e.Equal(tensor.Matrix{}) {
		t.Fatal("the clone of nothing is something")
	}
}

func TestEqualComparesBits(t *testing.T) {
	nan, negative := float32(math.NaN()), float32(math.Copysign(0, -1))
	for _, c := range []struct {
		name string
		a, b tensor.Matrix
		want bool
	}{
		{"NaN", tensor.Of(1, 2, []float32{nan, 1}), tensor.Of(1, 2, []float32{nan, 1}), true},
		{"signed zero", tensor.Of(1, 1, []float32{0}), tensor.Of(1, 1, []float32{negative}), false},
		{"shape", tensor.New(2, 3), tensor.New(3, 2), false},
		{"rows", tensor.New(2, 3), tensor.New(1, 3), false},
		{"no columns", tensor.New(2, 0), tensor.New(2, 0), true},
		{"last", tensor.Of(2, 1, []float32{1, 2}), tensor.Of(2, 1, []float32{1, 3}), false},
	} {
		if got := c.a.Equal(c.b); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// shapeError runs f and returns the error it panics with.
func shapeError(t *testing.T, f func()) (err tensor.ShapeError) {
	t.Helper()
	defer func() {
		if e, ok := recover().(error); !ok || !errors.As(e, &err) {
			t.Errorf("no ShapeError")
		}
	}()
	f()
	return err
}

func TestOfChecksItsLength(t *testing.T) {
	if err := shapeError(t, func() { tensor.Of(2, 3, make([]float32, 5)) }); err.Error() != "tensor.Of: got 5 values, want 2×3" {
		t.Error(err)
	}
}

func TestNonFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		data     []float32
		row, col int
		found    bool
	}{
		{[]float32{0, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 1, 2}, 0, 0, false},
		{[]float32{0, 1, 2, nan, inf, 5}, 1, 0, true},
		{[]float32{0, 1, 2, 3, 4, -inf}, 1, 2, true},
		{[]float32{inf, nan, 2, 3, 4, 5}, 0, 0, true},
	} {
		if row, col, found := tensor.Of(2, 3, c.data).NonFinite(); row != c.row || col != c.col || found != c.found {
			t.Errorf("%v: row %d, column %d, %v; want %d, %d, %v", c.data, row, col, found, c.row, c.col, c.found)
		}
	}
}
