package dataset

import (
	"testing"
)

// FuzzPickle: a pickle is read or refused; it never panics, and does not
// allocate more than its size allows. What is read as an array or matrix is sound.
func FuzzPickle(f *testing.F) {
	f.Add(pickled().array("i4", le([]int32{1, 2}), 2).bytes())
	f.Add(pickled().csr(2, [][2]float32{{0, 1}}, nil).bytes())
	f.Add(pickled().lists([]int{1}, []int{0}).bytes())
	f.Add(pickled().arrayHead("O8", 1).op("](").text("a").op("etb").bytes())
	f.Add(pickled().arrayHead("i2", 1).global("_codecs", "encode").text("\u0001\u0000").text("latin1").op("\x86Rtb").bytes())
	f.Add(pickled().global("numpy.core.multiarray", "scalar").dtype("f8", "<").raw("12345678").op("\x86R").bytes())
	f.Add([]byte("\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00]\x94K\x01a."))
	f.Add([]byte("]q\x01h\x01a."))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkAllocated(t, len(data), func() { readPickle(t, data) })
	})
}

func readPickle(t *testing.T, data []byte) {
	g := fuzzLimits.guard("x", int64(len(data)))
	v, err := unpickle("x", data, g)
	if err != nil {
		return
	}
	switch v := v.(type) {
	case *array:
		checkArray(t, v, g)
	case *sparseRows:
		ptr, col, err := v.structure(g)
		if err == nil && (len(ptr) != v.rows+1 || int(ptr[v.rows]) != len(col)) {
			t.Errorf("%d rows, indptr %v, %d columns", v.rows, ptr, len(col))
		}
	}
}

// checkAllocated fails where reading size bytes allocates more than twice the
// budget: once for what is held, once for what growing slices left behind.
func checkAllocated(t *testing.T, size int, read func()) {
	t.Helper()
	most := uint64(2 * fuzzLimits.guard("", int64(size)).left)
	if used := allocated(read); used > most {
		t.Errorf("%d bytes allocated for %d, want at most %d", used, size, most)
	}
}

// checkArray reads an array in every way there is.
func checkArray(t *testing.T, a *array, g *guard) {
	t.Helper()
	if v, err := a.ints(g); err == nil && len(v) != a.len() {
		t.Errorf("%d integers of %d", len(v), a.len())
	}
	if m, err := a.matrix(g); err == nil && m.Rows*m.Cols != a.len() {
		t.Errorf("a matrix of %v for %d", m, a.len())
	}
	if v, err := a.text(g); err == nil && len(v) != a.len() {
		t.Errorf("%d texts of %d", len(v), a.len())
	}
	if _, err := a.maskRows(3, g); err == nil && a.shape[1] != 3 {
		t.Errorf("masks of 3 from the shape %v", a.shape)
	}
}

// FuzzNPY: as FuzzPickle, for .npy files.
func FuzzNPY(f *testing.F) {
	f.Add(shaped("<f4", "(2, 2)", le([]float32{1, 2, 3, 4})))
	f.Add(shaped(">i8", "(1,)", be([]int64{1})))
	f.Add(shaped("<U2", "(1,)", le([]int32{'a', 0})))
	f.Add(shaped("|b1", "(1, 3)", []byte{1, 0, 1}))
	f.Add(shaped("|O", "(1,)", pickled().arrayHead("O8", 1).op("](").text("a").op("etb").bytes()))
	f.Add(rawNPY("{'descr': '<f8', 'fortran_order': True, 'shape': (2L, 1L), }", make([]byte, 16)))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkAllocated(t, len(data), func() {
			g := fuzzLimits.guard("x", int64(len(data)))
			if a, err := parseNPY("x", data, g); err == nil {
				checkArray(t, a, g)
			}
		})
	})
}
