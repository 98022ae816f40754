package numpy

import (
	"testing"

	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
)

// FuzzPickle: a pickle is read or refused; it never panics, and does not
// allocate more than its size allows. What is read as an array or matrix is sound.
func FuzzPickle(f *testing.F) {
	f.Add(datatest.Pickled().Array("i4", datatest.LE([]int32{1, 2}), 2).Bytes())
	f.Add(datatest.Pickled().CSR(2, [][2]float32{{0, 1}}, nil).Bytes())
	f.Add(datatest.Pickled().Lists([]int{1}, []int{0}).Bytes())
	f.Add(datatest.Pickled().ArrayHead("O8", 1).Op("](").Text("a").Op("etb").Bytes())
	f.Add(datatest.Pickled().ArrayHead("i2", 1).Global("_codecs", "encode").Text("\u0001\u0000").Text("latin1").Op("\x86Rtb").Bytes())
	f.Add(datatest.Pickled().Global("numpy.core.multiarray", "scalar").Dtype("f8", "<").Raw("12345678").Op("\x86R").Bytes())
	f.Add([]byte("\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00]\x94K\x01a."))
	f.Add([]byte("]q\x01h\x01a."))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkAllocated(t, len(data), func() { readPickle(t, data) })
	})
}

func readPickle(t *testing.T, data []byte) {
	g := fuzzBudget.Guard("x", int64(len(data)))
	v, err := Unpickle("x", data, g)
	if err != nil {
		return
	}
	switch v := v.(type) {
	case *Array:
		checkArray(t, v, g)
	case *CSR:
		ptr, col, err := v.Structure(g)
		if err == nil && (len(ptr) != v.Rows+1 || int(ptr[v.Rows]) != len(col)) {
			t.Errorf("%d rows, indptr %v, %d columns", v.Rows, ptr, len(col))
		}
	}
}

// checkAllocated fails where reading size bytes allocates more than twice the
// budget: once for what is held, once for what growing slices left behind.
func checkAllocated(t *testing.T, size int, read func()) {
	t.Helper()
	most := uint64(2 * fuzzBudget.Guard("", int64(size)).Left())
	if used := datatest.Allocated(read); used > most {
		t.Errorf("%d bytes allocated for %d, want at most %d", used, size, most)
	}
}

// checkArray reads an array in every way there is.
func checkArray(t *testing.T, a *Array, g *budget.Guard) {
	t.Helper()
	if v, err := a.Ints(g); err == nil && len(v) != a.len() {
		t.Errorf("%d integers of %d", len(v), a.len())
	}
	if m, err := a.Matrix(g); err == nil && m.Rows*m.Cols != a.len() {
		t.Errorf("a matrix of %v for %d", m, a.len())
	}
	if v, err := a.text(g); err == nil && len(v) != a.len() {
		t.Errorf("%d texts of %d", len(v), a.len())
	}
	if _, err := a.MaskRows(3, g); err == nil && a.Shape[1] != 3 {
		t.Errorf("masks of 3 from the shape %v", a.Shape)
	}
}

// FuzzNPY: as FuzzPickle, for .npy files.
func FuzzNPY(f *testing.F) {
	f.Add(datatest.Shaped("<f4", "(2, 2)", datatest.LE([]float32{1, 2, 3, 4})))
	f.Add(datatest.Shaped(">i8", "(1,)", datatest.BE([]int64{1})))
	f.Add(datatest.Shaped("<U2", "(1,)", datatest.LE([]int32{'a', 0})))
	f.Add(datatest.Shaped("|b1", "(1, 3)", []byte{1, 0, 1}))
	f.Add(datatest.Shaped("|O", "(1,)", datatest.Pickled().ArrayHead("O8", 1).Op("](").Text("a").Op("etb").Bytes()))
	f.Add(datatest.RawNPY("{'descr': '<f8', 'fortran_order': True, 'shape': (2L, 1L), }", make([]byte, 16)))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkAllocated(t, len(data), func() {
			g := fuzzBudget.Guard("x", int64(len(data)))
			if a, err := Parse("x", data, g); err == nil {
				checkArray(t, a, g)
			}
		})
	})
}

// fuzzBudget is small, so that a reader which allocates what a length states
// shows: its input is short.
var fuzzBudget = budget.Limits{Floor: 1 << 20, Ratio: 64}
