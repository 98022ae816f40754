package ondisk

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	npyio "codeberg.org/sbinet/npyio/npy"
	"github.com/goccy/go-yaml"
	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/dataset/internal/folder/foldertest"
	"github.com/weft-gnn/weft/dataset/internal/realdata"
	"github.com/weft-gnn/weft/dataset/layout"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// drawDataset draws a valid set of any task, with or without each part.
func drawDataset(t *rapid.T) *dataset.Dataset {
	n := rapid.IntRange(1, 12).Draw(t, "n")
	id := rapid.Int32Range(0, int32(n-1))
	maybe := func(name string) bool { return rapid.Bool().Draw(t, name) }
	rows := rapid.IntRange(0, 30).Draw(t, "rows")
	src, dst := rapid.SliceOfN(id, rows, rows).Draw(t, "src"), rapid.SliceOfN(id, rows, rows).Draw(t, "dst")
	var weight []float32
	if maybe("weighted") {
		weight = rapid.SliceOfN(rapid.Float32Range(-9, 9), rows, rows).Draw(t, "weight")
	}
	g, err := graph.FromCOO(n, src, dst, weight, graph.Policy{
		Duplicates: graph.Duplicates(rapid.IntRange(0, 1).Draw(t, "keep")),
		Loops:      graph.Loops(rapid.IntRange(0, 1).Draw(t, "loops")), Symmetrise: maybe("mirror")})
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{Name: rapid.String().Draw(t, "name"), Graph: g, Task: dataset.Task(rapid.IntRange(0, 5).Draw(t, "task")), Metric: dataset.RMSE}
	d.X = drawMatrix(t, n, rapid.IntRange(0, 3).Draw(t, "columns"))
	if maybe("edge features") {
		d.EdgeX = drawMatrix(t, rows, 2)
	}
	if maybe("several graphs") {
		cut := rapid.Int64Range(0, int64(n)).Draw(t, "cut")
		d.Offsets = []int64{0, cut, cut, int64(n)}
		g.Graphs = d.Offsets
	}
	items := n
	if d.Task == dataset.GraphClassification || d.Task == dataset.GraphRegression {
		items = d.Graphs()
	}
	if maybe("classes") {
		d.Labels.Names = rapid.SliceOfN(rapid.String(), 4, 4).Draw(t, "names")
		d.Labels.Class = rapid.SliceOfN(rapid.Int32Range(-1, 3), items, items).Draw(t, "class")
	} else if maybe("targets") {
		d.Labels.Value = drawMatrix(t, items, 2)
		if items > 0 {
			d.Labels.Value.Data[0] = float32(math.NaN())
		}
	}
	switch rapid.IntRange(0, 2).Draw(t, "ids") {
	case 1:
		d.IDs.Int = rapid.SliceOfN(rapid.Int64(), n, n).Draw(t, "int ids")
	case 2:
		d.IDs.Text = rapid.SliceOfN(rapid.String(), n, n).Draw(t, "text ids")
	}
	if d.Task != dataset.LinkPrediction && items > 0 && d.Labelled(0) && maybe("splits") {
		d.Splits = []dataset.Split{{Name: "own", Train: []int32{0}, Val: []int32{}, Test: []int32{}}, {Name: "fold: 2", Train: []int32{}, Val: []int32{0}, Test: []int32{}}}
		d.Notes = append(d.Notes, "the split \"own\" has no validation items")
	}
	d.Notes = append(d.Notes, rapid.String().Draw(t, "note"))
	return d
}

func drawMatrix(t *rapid.T, rows, cols int) tensor.Matrix {
	m := tensor.New(rows, cols)
	for i := range m.Data {
		m.Data[i] = rapid.Float32().Draw(t, "value")
	}
	return m
}

// sameAfterWrite reports where b, written and read again, differs from a.
func sameAfterWrite(a, b *dataset.Dataset) error {
	ga, gb := a.Graph, b.Graph
	ca, cb := ga.Counts, gb.Counts
	ca.Rows = int64(len(ga.Src)) // what was written lists what was left
	for _, c := range []struct {
		what string
		ok   bool
	}{
		{"vertices", ga.N == gb.N},
		{"rows", slices.Equal(ga.Ptr, gb.Ptr)},
		{"arcs", slices.Equal(ga.Src, gb.Src)},
		{"weights", slices.Equal(ga.Weight, gb.Weight) && (ga.Weight == nil) == (gb.Weight == nil)},
		{"counts", ca == cb},
		{"graphs", slices.Equal(a.Offsets, b.Offsets) && slices.Equal(ga.Graphs, gb.Graphs)},
		{"X", sameMatrix(a.X, b.X)},
		{"task", a.Task == b.Task && a.Metric == b.Metric},
		{"classes", slices.Equal(a.Labels.Class, b.Labels.Class) && slices.Equal(a.Labels.Names, b.Labels.Names)},
		{"targets", sameMatrix(a.Labels.Value, b.Labels.Value)},
		{"ids", slices.Equal(a.IDs.Int, b.IDs.Int) && slices.Equal(a.IDs.Text, b.IDs.Text)},
		{"splits", fmt.Sprint(a.Splits) == fmt.Sprint(b.Splits)},
		{"notes", slices.Equal(a.Notes, b.Notes)},
		{"prep", reflect.DeepEqual(a.Prep, b.Prep)},
	} {
		if !c.ok {
			return fmt.Errorf("%s differ (counts %+v and %+v)", c.what, ca, cb)
		}
	}
	return sameArcFeatures(a, b)
}

func sameMatrix(a, b tensor.Matrix) bool {
	if a.Cols == 0 && b.Cols == 0 {
		return true
	}
	same := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }
	return a.Rows == b.Rows && a.Cols == b.Cols && slices.EqualFunc(a.Flat(), b.Flat(), same)
}

// sameArcFeatures compares the features of each arc, wherever their rows lie.
func sameArcFeatures(a, b *dataset.Dataset) error {
	if a.EdgeX.Cols != b.EdgeX.Cols {
		return fmt.Errorf("%d and %d edge features", a.EdgeX.Cols, b.EdgeX.Cols)
	}
	row := func(d *dataset.Dataset, i int) []float32 {
		if d.Graph.Listing != nil {
			i = int(d.Graph.Listing[i])
		}
		return d.EdgeX.Row(i)
	}
	for i := range a.Graph.Src {
		if a.EdgeX.Cols > 0 && !slices.Equal(row(a, i), row(b, i)) {
			return fmt.Errorf("the features of arc %d differ: %v, %v", i, row(a, i), row(b, i))
		}
	}
	return nil
}

// TestWriteReadRoundTrip: any set is read back as it was written, from the
// mapped compressed rows and from the edges alone.
func TestWriteReadRoundTrip(t *testing.T) {
	tmp := t.TempDir()
	count := 0
	rapid.Check(t, func(r *rapid.T) {
		d := drawDataset(r)
		count++
		dir := filepath.Join(tmp, fmt.Sprint(count))
		if err := write(dir, d, Options{}, foldertest.CreateUnsynced); err != nil {
			r.Fatal(err)
		}
		for _, with := range []string{"compressed rows", "edges", "new compressed rows"} {
			if with == "edges" {
				if err := os.RemoveAll(filepath.Join(dir, csrFolder)); err != nil {
					r.Fatal(err)
				}
			}
			got, err := openFolder(t.Context(), dir, dataset.Options{})
			if err != nil {
				r.Fatalf("%s: %v", with, err)
			}
			if err := got.Graph.Validate(); err != nil {
				r.Fatalf("%s: %v", with, err)
			}
			if err := sameAfterWrite(d, got); err != nil {
				r.Fatalf("%s: %v", with, err)
			}
		}
	})
}

func TestWriteReal(t *testing.T) {
	for format, file := range map[string]string{
		"planetoid": "planetoid/ind.citeseer.graph", "npz": "npz/cora.npz", "tu": "tu/MUTAG/MUTAG_A.txt", "ogb": "ogb/ogbg_molesol", "mtx": "mtx/west0067.mtx",
	} {
		t.Run(file, func(t *testing.T) {
			set, name, _ := strings.Cut(file, "/")
			f := layout.Formats()[slices.IndexFunc(layout.Formats(), func(f *dataset.Format) bool { return f.Name == format })]
			d, err := f.Read(t.Context(), realdata.File(t, set, name), dataset.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Finish("set", file, dataset.SplitSpec{}); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "set")
			if err := Write(dir, d, Options{}); err != nil {
				t.Fatal(err)
			}
			got, err := openFolder(t.Context(), dir, dataset.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := sameAfterWrite(d, got); err != nil {
				t.Error(err)
			}
			a, b := dataset.Info(d), dataset.Info(got)
			if a.Name, b.Name = "", ""; !reflect.DeepEqual(a, b) {
				t.Errorf("info %+v, was %+v", b, a)
			}
		})
	}
}

// TestWriteForGraphBolt reads a written folder as GraphBolt does: by the keys
// of its layout alone, with another reader of .npy files.
func TestWriteForGraphBolt(t *testing.T) {
	g, err := graph.FromCOO(3, []int32{0, 1}, []int32{1, 2}, nil, graph.Policy{Symmetrise: true})
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{
		Task: dataset.VertexClassification, Graph: g, X: tensor.Of(3, 2, []float32{1, 2, 3, 4, 5, 6}),
		Labels: dataset.Labels{Class: []int32{1, 0, 1}, Names: []string{"0", "1"}},
		Splits: []dataset.Split{{Name: "fold 0", Train: []int32{0}, Val: []int32{1}, Test: []int32{2}}},
	}
	dir := filepath.Join(t.TempDir(), "set")
	if err := Write(dir, d, Options{}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "metadata.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := yaml.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	at := func(v any, path ...any) any {
		for _, key := range path {
			switch k := key.(type) {
			case string:
				v = v.(map[string]any)[k]
			case int:
				v = v.([]any)[k]
			}
		}
		return v
	}
	if n := at(m, "graph", "nodes", 0, "num"); fmt.Sprint(n) != "3" {
		t.Errorf("num %v", n)
	}
	if _, typed := at(m, "graph", "nodes", 0).(map[string]any)["type"]; typed {
		t.Error("a node type makes the graph heterogeneous")
	}
	wantNPY := func(file, format any, want any) {
		t.Helper()
		f, err := os.Open(filepath.Join(dir, file.(string)))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		got := reflect.New(reflect.TypeOf(want))
		if err := npyio.Read(f, got.Interface()); err != nil || format != "numpy" || !reflect.DeepEqual(got.Elem().Interface(), want) {
			t.Errorf("%s (%v): %v, %v; want %v", file, format, got.Elem(), err, want)
		}
		if strings.Contains(file.(string), "pt") {
			t.Errorf("GraphBolt replaces pt in the name %s", file)
		}
	}
	edges := at(m, "graph", "edges", 0)
	wantNPY(at(edges, "path"), at(edges, "format"), []int64{1, 0, 2, 1, 0, 1, 1, 2})
	feat := at(m, "feature_data", 0)
	wantNPY(at(feat, "path"), at(feat, "format"), []float32{1, 2, 3, 4, 5, 6})
	if at(feat, "domain") != "node" || at(feat, "name") != "feat" {
		t.Errorf("feature %v", feat)
	}
	for set, want := range map[string][2][]int64{"train_set": {{0}, {1}}, "validation_set": {{1}, {0}}, "test_set": {{2}, {1}}} {
		data := at(m, "tasks", 0, set, 0, "data")
		for i, name := range []string{"seeds", "labels"} {
			if at(data, i, "name") != name {
				t.Errorf("%s: %v, want %s", set, at(data, i, "name"), name)
			}
			wantNPY(at(data, i, "path"), at(data, i, "format"), want[i])
		}
	}
	if k := at(m, "tasks", 0, "num_classes"); fmt.Sprint(k) != "2" {
		t.Errorf("num_classes %v", k)
	}
}

// TestWriteRefuses: what is there stays unless it is a set to be replaced.
func TestWriteRefuses(t *testing.T) {
	d, err := karate()
	if err != nil {
		t.Fatal(err)
	}
	home := datatest.Files(t, map[string]string{"letter.txt": "dear"})
	datatest.WantError(t, Write(home, d, Options{}), "is there already")
	datatest.WantError(t, Write(home, d, Options{Overwrite: true}), "not a data set")
	if text, err := os.ReadFile(filepath.Join(home, "letter.txt")); err != nil || string(text) != "dear" {
		t.Errorf("%q, %v", text, err)
	}
	dir := filepath.Join(t.TempDir(), "a", "set")
	if err := Write(dir, d, Options{}); err != nil {
		t.Fatal(err)
	}
	datatest.WantError(t, Write(dir, d, Options{}), "is there already")
	d.Labels.Names = []string{"x", "y"}
	if err := Write(dir, d, Options{Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	got, err := openFolder(t.Context(), dir, dataset.Options{})
	if err != nil || got.Labels.Names[0] != "x" {
		t.Errorf("%v, %v: not replaced", got, err)
	}
	if names := foldertest.NamesIn(t, filepath.Dir(dir)); !slices.Equal(names, []string{"set"}) {
		t.Errorf("left over: %q", names)
	}
	d.X = tensor.New(3, 3)
	datatest.WantError(t, Write(filepath.Join(t.TempDir(), "bad"), d, Options{}), "3 rows of features")
}

// TestWriteFullDisk: whichever operation fails, the error is returned, nothing
// is left behind, and what was there before still reads.
func TestWriteFullDisk(t *testing.T) {
	d, err := karate()
	if err != nil {
		t.Fatal(err)
	}
	for _, before := range []bool{false, true} {
		parent := t.TempDir()
		dir := filepath.Join(parent, "set")
		if before {
			if err := Write(dir, d, Options{}); err != nil {
				t.Fatal(err)
			}
		}
		start := foldertest.NamesIn(t, parent)
		for k := 0; ; k++ {
			disk := &foldertest.FullDisk{Left: k}
			err := write(dir, d, Options{Overwrite: before}, disk.Create)
			if err == nil {
				if k < 40 {
					t.Errorf("only %d operations were tried", k)
				}
				break
			}
			if !errors.Is(err, foldertest.ErrFull) {
				t.Fatalf("operation %d: %v", k, err)
			}
			if got := foldertest.NamesIn(t, parent); !slices.Equal(got, start) {
				t.Fatalf("operation %d left %q, was %q", k, got, start)
			}
		}
		if _, err := openFolder(t.Context(), dir, dataset.Options{}); err != nil {
			t.Error(err)
		}
	}
}

// TestWriteLinkSplit: rows of the edge list become the arcs that were made of
// them, both directions in the same part.
func TestWriteLinkSplit(t *testing.T) {
	g, err := graph.FromCOO(4, []int32{0, 0, 1, 2}, []int32{1, 1, 2, 3}, nil, graph.Policy{Symmetrise: true})
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{Task: dataset.LinkPrediction, Graph: g, X: tensor.New(4, 0)}
	d.Splits = []dataset.Split{{Name: "own", Train: []int32{0}, Val: []int32{2}, Test: []int32{3}}}
	dir := filepath.Join(t.TempDir(), "set")
	if err := Write(dir, d, Options{}); err != nil {
		t.Fatal(err)
	}
	got, err := openFolder(t.Context(), dir, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ends := datatest.ArcsOf(got.Graph)
	of := func(items []int32) (out []string) {
		for _, i := range items {
			out = append(out, ends[i])
		}
		return out
	}
	s := got.Splits[0]
	if text := fmt.Sprint(of(s.Train), of(s.Val), of(s.Test)); text != "[1→0 0→1] [2→1 1→2] [3→2 2→3]" {
		t.Errorf("parts %s", text)
	}
}

// karate is the club as source.Open gives it.
func karate() (*dataset.Dataset, error) {
	d, err := layout.Builtin("karate")(dataset.Options{})
	if err != nil {
		return nil, err
	}
	return d, d.Finish("karate", "", dataset.SplitSpec{})
}
