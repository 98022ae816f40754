package dataset

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nlpodyssey/gopickle/types"
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
	case *types.Dict:
		e := edgeList{path: "x", n: 3}
		for _, item := range *v {
			_ = e.addList(item.Key, item.Value) // an error or a few arcs
		}
	}
}

// checkAllocated fails where reading size bytes allocates more than twice the
// budget: once for what is held, once for what growing slices left behind.
func checkAllocated(t *testing.T, size int, read func()) {
	t.Helper()
	most := uint64(2 * fuzzLimits.withDefaults().budget(int64(size)))
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

// FuzzNPZ: an archive becomes a valid set or an error.
func FuzzNPZ(f *testing.F) {
	f.Add(npzOf(f, shchurArrays()))
	f.Add(npzOf(f, maskedArrays()))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "x.npz")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		checkOpened(t, path, "npz")
	})
}

// FuzzNPZArrays: an archive with one array replaced, whose checksums hold.
func FuzzNPZArrays(f *testing.F) {
	sets := []map[string][]byte{shchurArrays(), maskedArrays()}
	for i, set := range sets {
		for j, name := range slices.Sorted(maps.Keys(set)) {
			f.Add(uint8(i), uint8(j), set[name])
		}
	}
	f.Fuzz(func(t *testing.T, i, j uint8, data []byte) {
		set := sets[int(i)%len(sets)]
		names := slices.Sorted(maps.Keys(set))
		path := filepath.Join(t.TempDir(), "x.npz")
		archive := npzOf(t, with(set, names[int(j)%len(names)], data))
		if err := os.WriteFile(path, archive, 0o600); err != nil {
			t.Fatal(err)
		}
		checkOpened(t, path, "npz")
	})
}

// checkOpened opens a fuzzed file and checks what comes of it.
func checkOpened(t *testing.T, path, format string) {
	t.Helper()
	d, err := Open(t.Context(), path, Options{Format: format, Limits: fuzzLimits})
	if err != nil {
		if !strings.HasPrefix(err.Error(), "dataset: ") {
			t.Errorf("the error is not the package's: %v", err)
		}
		return
	}
	if err := d.Graph.Validate(); err != nil {
		t.Error(err)
	}
	if err := d.Validate(); err != nil {
		t.Error(err)
	}
}

// FuzzMetadata: any metadata.yaml and any file of weft's own beside real arrays
// are a set or an error.
func FuzzMetadata(f *testing.F) {
	files := graphBoltFiles(f)
	const graph = "graph: {nodes: [{num: 4}], edges: [{format: numpy, path: edges/e.npy}]}\n"
	f.Add([]byte(files["metadata.yaml"]), []byte("{}"))
	f.Add([]byte(graph), []byte("{}"))
	f.Add([]byte("graph: {nodes: [{num: 4}], edges: [{format: csv, path: a.npy}]}\n"), []byte("{}"))
	f.Add([]byte(graph+"weft: w.json\n"), []byte(`{"version": 1, "task": "vertex-classification", "labels": "a.npy", "classes": ["a"],
 "ids": {"int": "a.npy"}, "counts": {"listed": 4}, "splits": [{"name": "s", "train": "a.npy", "val": "c.npy", "test": "d.npy"}],
 "graphs": "a.npy", "targets": "feat.npy", "prep": {"task": "none", "vertex": []}, "notes": ["n"]}`))
	f.Add([]byte(graph+"weft: w.json\n"), []byte(`{"version": 1, "task": "none", "ids": {"bytes": "a.npy", "starts": "c.npy"}, "counts": {"listed": 4}}`))
	dir := writeFiles(f, files)
	f.Fuzz(func(t *testing.T, meta, extra []byte) {
		for name, data := range map[string][]byte{metadataFile: meta, "w.json": extra} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		checkOpened(t, dir, "weft")
	})
}
