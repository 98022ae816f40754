package layout

import (
	"archive/zip"
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
)

// shchurArrays: 4 vertices, the last one isolated; citations 0→1, 1→0, 1→2,
// 2→2; two features; a missing label.
func shchurArrays() map[string][]byte {
	return map[string][]byte{
		"adj_data":     datatest.Shaped("<f4", "(4,)", datatest.LE([]float32{1, 1, 1, 1})),
		"adj_indices":  datatest.Shaped("<i4", "(4,)", datatest.LE([]int32{1, 0, 2, 2})),
		"adj_indptr":   datatest.Shaped("<i4", "(5,)", datatest.LE([]int32{0, 1, 3, 4, 4})),
		"adj_shape":    datatest.Shaped("<i8", "(2,)", datatest.LE([]int64{4, 4})),
		"attr_data":    datatest.Shaped("<f4", "(3,)", datatest.LE([]float32{1, 2, 3})),
		"attr_indices": datatest.Shaped("<i4", "(3,)", datatest.LE([]int32{0, 1, 0})),
		"attr_indptr":  datatest.Shaped("<i4", "(5,)", datatest.LE([]int32{0, 1, 2, 3, 3})),
		"attr_shape":   datatest.Shaped("<i8", "(2,)", datatest.LE([]int64{4, 2})),
		"labels":       datatest.Shaped("|i1", "(4,)", []byte{0, 1, 0, 0xff}),
		"node_names":   datatest.Shaped("<U2", "(4,)", datatest.LE([]int32{'p', 0, 'q', 0, 'r', 0, 's', 't'})),
		"class_names":  datatest.Shaped("<U1", "(2,)", datatest.LE([]int32{'A', 'B'})),
	}
}

// maskedArrays: 3 vertices, the last one isolated; edge 0–1; two splits.
func maskedArrays() map[string][]byte {
	return map[string][]byte{
		"node_features": datatest.Shaped("<f4", "(3, 2)", datatest.LE([]float32{1, 2, 3, 4, 5, 6})),
		"node_labels":   datatest.Shaped("<i8", "(3,)", datatest.LE([]int64{1, 0, 1})),
		"edges":         datatest.Shaped("<i8", "(1, 2)", datatest.LE([]int64{0, 1})),
		"train_masks":   datatest.Shaped("|b1", "(2, 3)", []byte{1, 0, 0, 0, 0, 1}),
		"val_masks":     datatest.Shaped("|b1", "(2, 3)", []byte{0, 1, 0, 0, 1, 0}),
		"test_masks":    datatest.Shaped("|b1", "(2, 3)", []byte{0, 0, 1, 1, 0, 0}),
	}
}

func openArrays(t testing.TB, arrays map[string][]byte, opt dataset.Options) (*dataset.Dataset, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "set.npz")
	if err := os.WriteFile(path, datatest.NPZ(t, arrays), 0o644); err != nil {
		t.Fatal(err)
	}
	return openLayout(t.Context(), path, opt)
}

// with returns the arrays with one replaced, or removed where data is nil.
func with(arrays map[string][]byte, name string, data []byte) map[string][]byte {
	out := maps.Clone(arrays)
	if out[name] = data; data == nil {
		delete(out, name)
	}
	return out
}

func TestShchur(t *testing.T) {
	d, err := openArrays(t, shchurArrays(), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := datatest.ArcsOf(d.Graph), []string{"1→0", "0→1", "2→1", "1→2", "2→2"}; !slices.Equal(got, want) {
		t.Errorf("arcs %v, want %v", got, want)
	}
	if !slices.Equal(d.X.Flat(), []float32{1, 0, 0, 2, 3, 0, 0, 0}) || d.X.Cols != 2 {
		t.Errorf("X %v %v", d.X, d.X.Data)
	}
	if want := (dataset.Labels{Class: []int32{0, 1, 0, -1}, Names: []string{"A", "B"}}); !reflect.DeepEqual(d.Labels, want) {
		t.Errorf("labels %+v, want %+v", d.Labels, want)
	}
	if !slices.Equal(d.IDs.Text, []string{"p", "q", "r", "st"}) {
		t.Errorf("ids %q", d.IDs.Text)
	}
	if f := dataset.Info(d); f.Loops != 1 || f.Isolated != 1 || f.Labelled != 3 {
		t.Errorf("%+v, want 1 loop, 1 isolated, 3 labelled", f)
	}
}

func TestShchurDirected(t *testing.T) {
	d, err := openArrays(t, shchurArrays(), dataset.Options{Direction: dataset.Directed})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := datatest.ArcsOf(d.Graph), []string{"1→0", "0→1", "1→2", "2→2"}; !slices.Equal(got, want) {
		t.Errorf("arcs %v, want %v", got, want)
	}
	if len(d.Notes) != 0 {
		t.Errorf("notes %q", d.Notes)
	}
}

func TestMasked(t *testing.T) {
	d, err := openArrays(t, maskedArrays(), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Graph.N != 3 || dataset.Info(d).Isolated != 1 {
		t.Errorf("%+v, want an isolated last vertex", dataset.Info(d))
	}
	want := []dataset.Split{{Name: "fold 0", Train: []int32{0}, Val: []int32{1}, Test: []int32{2}},
		{Name: "fold 1", Train: []int32{2}, Val: []int32{1}, Test: []int32{0}}}
	if !reflect.DeepEqual(d.Splits, want) {
		t.Errorf("splits %+v, want %+v", d.Splits, want)
	}
	d, err = openArrays(t, maskedArrays(), dataset.Options{Split: dataset.SplitSpec{Name: "Fold 1"}})
	if err != nil || d.Splits[0].Name != "fold 1" || len(d.Splits) != 2 {
		t.Errorf("%+v, %v: want fold 1 first", d.Splits, err)
	}
}

// TestNPZWithoutOptionalArrays: a graph alone is a set.
func TestNPZWithoutOptionalArrays(t *testing.T) {
	arrays := shchurArrays()
	for _, name := range []string{"attr_data", "attr_indices", "attr_indptr", "attr_shape", "labels", "node_names", "class_names"} {
		delete(arrays, name)
	}
	d, err := openArrays(t, arrays, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Task != dataset.NoTask || d.X.Rows != 4 || d.X.Cols != 0 || d.Labels.Class != nil {
		t.Errorf("%v, X %v, labels %v", d.Task, d.X, d.Labels)
	}
}

func TestNPZFaults(t *testing.T) {
	s, m := shchurArrays(), maskedArrays()
	ints := func(shape string, v ...int64) []byte { return datatest.Shaped("<i8", shape, datatest.LE(v)) }
	for name, c := range map[string]struct {
		arrays map[string][]byte
		want   []string
	}{
		"no known arrays":       {map[string][]byte{"a": ints("(1,)", 1)}, []string{"arrays a", "adj_"}},
		"one sparse matrix":     {map[string][]byte{"format": ints("(1,)", 1), "shape": ints("(1,)", 1)}, []string{"sparse matrix"}},
		"no data":               {with(s, "adj_data", nil), []string{"adj_data"}},
		"not square":            {with(s, "adj_shape", ints("(2,)", 4, 5)), []string{"adj", "4×5"}},
		"negative shape":        {with(s, "adj_shape", ints("(2,)", -1, -1)), []string{"adj", "-1×-1"}},
		"huge shape":            {with(s, "adj_shape", ints("(2,)", 1<<62, 1<<62)), []string{"adj", "indptr"}},
		"shape of three":        {with(s, "adj_shape", ints("(3,)", 4, 4, 4)), []string{"adj_shape", "[3]"}},
		"indptr start":          {with(s, "adj_indptr", ints("(5,)", 1, 1, 3, 4, 4)), []string{"indptr", "1 to 4"}},
		"indptr end":            {with(s, "adj_indptr", ints("(5,)", 0, 1, 3, 4, 5)), []string{"indptr", "0 to 5"}},
		"indptr falls":          {with(s, "adj_indptr", ints("(5,)", 0, 3, 1, 4, 4)), []string{"row 1", "falls"}},
		"indptr beyond":         {with(s, "adj_indptr", ints("(5,)", 0, 9, 9, 9, 4)), []string{"row 0", "9"}},
		"column":                {with(s, "adj_indices", ints("(4,)", 1, 0, 2, 4)), []string{"row 2", "column 4", "0…3"}},
		"negative column":       {with(s, "adj_indices", ints("(4,)", 1, 0, 2, -1)), []string{"column -1"}},
		"values":                {with(s, "adj_data", ints("(3,)", 1, 1, 1)), []string{"adj_data", "[3]"}},
		"weights not finite":    {with(s, "adj_data", datatest.Shaped("<f4", "(4,)", datatest.LE([]uint32{0x7fc00000, 0, 0, 0}))), []string{"not finite"}},
		"feature rows":          {with(s, "attr_shape", ints("(2,)", 3, 2)), []string{"attr", "3 rows for 4"}},
		"feature columns":       {with(s, "attr_shape", ints("(2,)", 4, 1)), []string{"attr", "column 1"}},
		"negative columns":      {with(s, "attr_shape", ints("(2,)", 4, -2)), []string{"attr", "-2 columns"}},
		"huge columns":          {with(s, "attr_shape", ints("(2,)", 4, 1<<40)), []string{"features", "limit"}},
		"labels short":          {with(s, "labels", ints("(3,)", 0, 1, 0)), []string{"labels", "[3]"}},
		"label below":           {with(s, "labels", ints("(4,)", 0, 1, 0, -2)), []string{"labels", "item 3", "-2"}},
		"label huge":            {with(s, "labels", ints("(4,)", 0, 1, 0, 1<<40)), []string{"labels"}},
		"label without a name":  {with(s, "labels", ints("(4,)", 0, 1, 0, 2)), []string{"2 class names", "0…2"}},
		"names short":           {with(s, "node_names", datatest.Shaped("<U1", "(1,)", datatest.LE([]int32{'a'}))), []string{"node_names"}},
		"labels of floats":      {with(s, "labels", datatest.Shaped("<f4", "(4,)", datatest.LE([]float32{0, 1, 0, 1}))), []string{"labels", "want integers"}},
		"edge out of range":     {with(m, "edges", ints("(2, 2)", 0, 1, 1, 3)), []string{"set.npz", "row 1 of edges", "vertex 3", "0…2"}},
		"edge far out of range": {with(m, "edges", ints("(1, 2)", 0, 1<<33)), []string{"row 0 of edges", "8589934592"}},
		"edge of three":         {with(m, "edges", ints("(1, 3)", 0, 1, 2)), []string{"edges", "[1 3]"}},
		"masks":                 {with(m, "val_masks", datatest.Shaped("|b1", "(1, 3)", []byte{0, 1, 0})), []string{"val_masks", "1 masks"}},
		"mask columns":          {with(m, "val_masks", datatest.Shaped("|b1", "(2, 2)", []byte{0, 1, 0, 0})), []string{"val_masks", "[2 2]"}},
		"features of text":      {with(m, "node_features", datatest.Shaped("<U1", "(3, 1)", datatest.LE([]int32{'a', 'b', 'c'}))), []string{"node_features", "want numbers"}},
		"scalar features":       {with(m, "node_features", datatest.Shaped("<f4", "()", datatest.LE([]float32{1}))), []string{"node_features"}},
		"overlapping split":     {with(m, "val_masks", datatest.Shaped("|b1", "(2, 3)", []byte{1, 0, 0, 0, 0, 0})), []string{"item 0", "train", "val"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openArrays(t, c.arrays, dataset.Options{})
			datatest.WantError(t, err, c.want...)
		})
	}
}

// TestNPZBomb: an archive whose members claim, or decompress to, far more than
// the file could hold is an error before the memory is taken.
func TestNPZBomb(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("edges.npy")
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range 8 {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"node_features", "node_labels"} {
		w, err := z.Create(name + ".npy")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(maskedArrays()[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	dir := datatest.Files(t, map[string]string{"bomb.npz": b.String()})
	_, err = openLayout(t.Context(), filepath.Join(dir, "bomb.npz"), dataset.Options{Limits: budget.Limits{Floor: 1 << 20, Ratio: 10}})
	datatest.WantError(t, err, "bomb.npz", "edges", "over the limit")
}

func TestAdjacencyWeights(t *testing.T) {
	arrays := with(shchurArrays(), "adj_data", datatest.Shaped("<f4", "(4,)", datatest.LE([]float32{2, 3, 4, 5})))
	d, err := openArrays(t, arrays, dataset.Options{Direction: dataset.Directed})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := datatest.ArcsOf(d.Graph), []string{"1→0=3", "0→1=2", "1→2=4", "2→2=5"}; !slices.Equal(got, want) {
		t.Errorf("arcs %v, want %v", got, want)
	}
}
