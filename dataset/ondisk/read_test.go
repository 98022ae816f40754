package ondisk

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/graph"
)

// graphBoltFiles is a folder as DGL's documentation describes it, by another
// writer: 4 nodes, edges 0→1, 1→2, 1→2 and 3→0 with a feature each.
func graphBoltFiles(t testing.TB) map[string]string {
	s := func(v any) string { return string(datatest.NPY(t, v)) }
	return map[string]string{
		"metadata.yaml": `dataset_name: mine
graph:
  nodes:
    - num: 4
  edges:
    - format: numpy
      path: edges/e.npy
feature_data:
  - domain: node
    name: other
    format: numpy
    path: other.npy
  - domain: node
    type: null
    name: feat
    format: numpy
    in_memory: false
    path: feat.npy
  - {domain: edge, name: feat, format: numpy, path: ef.npy}
tasks:
  - name: node_classification
    num_classes: 5
    extra: [1, 2]
    train_set:
      - data:
          - {name: seeds, format: numpy, path: a.npy}
          - {name: labels, format: numpy, path: b.npy}
    validation_set:
      - data:
          - {name: seed_nodes, format: numpy, path: c.npy}
          - {name: labels, format: numpy, path: d.npy}
    test_set: []
unknown: {key: 1}
`,
		"edges/e.npy": string(datatest.Shaped("<i8", "(2, 4)", datatest.LE([]int64{0, 1, 1, 3, 1, 2, 2, 0}))),
		"feat.npy":    string(datatest.Shaped("<f8", "(4, 2)", datatest.LE([]float64{1, 2, 3, 4, 5, 6, 7, 8}))),
		"other.npy":   s([]float32{9, 9, 9, 9}),
		"ef.npy":      s([]float32{10, 20, 30, 40}),
		"a.npy":       s([]int64{0, 2}), "b.npy": s([]int64{3, 1}),
		"c.npy": s([]int32{1}), "d.npy": s([]int64{0}),
	}
}

func TestReadGraphBolt(t *testing.T) {
	dir := datatest.Files(t, graphBoltFiles(t))
	for _, path := range []string{dir, filepath.Join(dir, "metadata.yaml")} {
		d, err := openFolder(t.Context(), path, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := datatest.ArcsOf(d.Graph), []string{"3→0", "0→1", "1→2", "1→2"}; !slices.Equal(got, want) {
			t.Errorf("arcs %v, want %v", got, want)
		}
		var feat []float32
		for i := range d.Graph.Src {
			feat = append(feat, d.EdgeX.Row(int(d.Graph.Listing[i]))[0])
		}
		if !slices.Equal(feat, []float32{40, 10, 20, 30}) {
			t.Errorf("edge features %v do not follow their edges", feat)
		}
		if d.X.Cols != 2 || d.X.Row(3)[1] != 8 {
			t.Errorf("X %v, want the features called feat", d.X)
		}
		if !slices.Equal(d.Labels.Class, []int32{3, 0, 1, -1}) || d.Labels.Classes() != 5 {
			t.Errorf("labels %+v", d.Labels)
		}
		if s := d.Splits[0]; fmt.Sprint(s.Train, s.Val, s.Test) != "[0 2] [1] []" {
			t.Errorf("%+v", s)
		}
		if len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "other") {
			t.Errorf("notes %q", d.Notes)
		}
	}
	d, err := openFolder(t.Context(), dir, dataset.Options{Direction: dataset.Undirected, Duplicates: dataset.MergeDuplicates})
	if err != nil || d.Graph.Counts.Arcs != 6 || d.Graph.Counts.Duplicates != 1 {
		t.Errorf("%+v, %v: the options are not those of the mapped rows", d.Graph.Counts, err)
	}
}

// TestOndiskFaults edits one file or one line of the description.
func TestOndiskFaults(t *testing.T) {
	s := func(v any) string { return string(datatest.NPY(t, v)) }
	for name, c := range map[string]struct {
		file, old, new string // new replaces old in the file; all of it where old is ""
		want           []string
	}{
		"no yaml":             {"metadata.yaml", "", "graph: [", []string{"metadata.yaml"}},
		"a list":              {"metadata.yaml", "", "- graph\n", []string{"metadata.yaml"}},
		"empty":               {"metadata.yaml", "", "# graph\n", []string{"metadata.yaml"}},
		"type":                {"metadata.yaml", "num: 4", "num: many", []string{"metadata.yaml:4:12", "string"}},
		"negative":            {"metadata.yaml", "num: 4", "num: -4", []string{"num is -4"}},
		"huge":                {"metadata.yaml", "num: 4", "num: 2000000000", []string{"vertices", "limit"}},
		"more than 32 bits":   {"metadata.yaml", "num: 4", "num: 5000000000", []string{"vertices", "limit of 2147483647"}},
		"too few vertices":    {"metadata.yaml", "num: 4", "num: 3", []string{"edges/e.npy", "edge 3", "vertex 3", "0…2"}},
		"two types":           {"metadata.yaml", "- num: 4", "- num: 4\n    - num: 5", []string{"heterogeneous"}},
		"no edges":            {"metadata.yaml", "edges:\n    - format: numpy\n      path: edges/e.npy", "edges: []", []string{"graph.edges"}},
		"leaves the folder":   {"metadata.yaml", "path: feat.npy", "path: ../feat.npy", []string{`"../feat.npy"`, "leaves the folder"}},
		"absolute":            {"metadata.yaml", "path: feat.npy", "path: /etc/passwd", []string{"leaves the folder"}},
		"torch":               {"metadata.yaml", "in_memory: false", "format2: x", nil},
		"torch edges":         {"metadata.yaml", "format: numpy\n      path: edges/e.npy", "format: torch\n      path: edges/e.npy", []string{`format "torch"`, "numpy"}},
		"anchors":             {"metadata.yaml", "dataset_name: mine", "dataset_name: &a mine\nother: *a", []string{"metadata.yaml:1", "anchors"}},
		"deep":                {"metadata.yaml", "unknown: {key: 1}", "unknown: " + strings.Repeat("[", 100), []string{"nested"}},
		"deep in one line":    {"metadata.yaml", "unknown: {key: 1}", "unknown:\n" + strings.Repeat("- ", 100), []string{"nested"}},
		"long":                {"metadata.yaml", "unknown: {key: 1}", "unknown: " + strings.Repeat("x", 2<<20), []string{"limit"}},
		"num_classes":         {"metadata.yaml", "num_classes: 5", "num_classes: 2", []string{"label 3", "num_classes is 2"}},
		"many classes":        {"metadata.yaml", "num_classes: 5", "num_classes: 4000000000000000000", []string{"class names", "limit"}},
		"no labels":           {"metadata.yaml", "{name: labels, format: numpy, path: b.npy}", "{name: lables, format: numpy, path: b.npy}", []string{"without seeds or labels"}},
		"edges of three":      {"edges/e.npy", "", string(datatest.Shaped("<i8", "(3, 1)", datatest.LE([]int64{0, 0, 0}))), []string{"e.npy", "[3 1]"}},
		"edge far out":        {"edges/e.npy", "", string(datatest.Shaped("<i8", "(2, 4)", datatest.LE([]int64{0, 1, 1, 3, 1, 2, 2, 1 << 40}))), []string{"edge 3", "1099511627776"}},
		"missing file":        {"ef.npy", "", "", []string{"ef.npy"}},
		"feature rows":        {"feat.npy", "", s([]float32{1, 2, 3}), []string{"feat.npy", "3 rows for 4 nodes"}},
		"edge feature rows":   {"ef.npy", "", s([]float32{1, 2, 3}), []string{"ef.npy", "3 rows for 4 edges"}},
		"seed out of range":   {"a.npy", "", s([]int64{0, 9}), []string{"a.npy", "entry 1", "item 9", "0…3"}},
		"labels are fewer":    {"b.npy", "", s([]int64{0}), []string{"b.npy", "[1]"}},
		"labels are floats":   {"b.npy", "", s([]float32{0, 1}), []string{"b.npy", "integers"}},
		"cut":                 {"feat.npy", "", string(datatest.Shaped("<f8", "(4, 2)", nil)), []string{"feat.npy", "0 bytes"}},
		"empty training part": {"a.npy", "", string(datatest.Shaped("<i8", "(0,)", nil)), []string{"b.npy"}},
		"no weft":             {"metadata.yaml", "unknown: {key: 1}", "weft: x.json", []string{"x.json"}},
		"weft outside":        {"metadata.yaml", "unknown: {key: 1}", "weft: /etc/passwd", []string{"leaves the folder"}},
		"no json":             {"metadata.yaml", "unknown: {key: 1}", "weft: a.npy", []string{"a.npy"}},
	} {
		t.Run(name, func(t *testing.T) {
			files := graphBoltFiles(t)
			switch {
			case c.new == "":
				delete(files, c.file)
			case c.old == "":
				files[c.file] = c.new
			case !strings.Contains(files[c.file], c.old):
				t.Fatalf("%s lacks %q", c.file, c.old)
			default:
				files[c.file] = strings.Replace(files[c.file], c.old, c.new, 1)
			}
			_, err := openFolder(t.Context(), datatest.Files(t, files), dataset.Options{})
			if c.want == nil {
				if err != nil {
					t.Errorf("%v: an unknown key is no fault", err)
				}
				return
			}
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%v lacks %q", err, w)
				}
			}
		})
	}
}

// TestWeftFaults edits what weft keeps beside GraphBolt's layout.
func TestWeftFaults(t *testing.T) {
	good := `"version": 1, "task": "vertex-classification", "counts": {"listed": 4}, "classes": ["a", "b", "c", "d"]`
	for name, c := range map[string]struct {
		json string
		want []string
	}{
		"version":        {`"version": 9`, []string{"version is 9, want 1"}},
		"task":           {`"version": 1, "task": "guess"`, []string{`"guess"`}},
		"type":           {`"version": 1, "task": "none", "classes": 7`, []string{"classes"}},
		"counts":         {`"version": 1, "task": "none", "counts": {"listed": 7}`, []string{"counts", "listed is 7"}},
		"labels short":   {good + `, "labels": "a.npy"`, []string{"2 labels for 4"}},
		"labels high":    {good + `, "labels": "high.npy"`, []string{"high.npy", "the class 9, 4 classes"}},
		"labels low":     {good + `, "labels": "low.npy"`, []string{"low.npy", "-2"}},
		"targets":        {good + `, "targets": "a.npy"`, []string{"2 rows of targets for 4"}},
		"split":          {good + `, "splits": [{"name": "s", "train": "high.npy", "val": "c.npy", "test": "c.npy"}]`, []string{"high.npy", "item 9"}},
		"split overlaps": {good + `, "splits": [{"name": "s", "train": "a.npy", "val": "a.npy", "test": "c.npy"}]`, []string{"item 0", "train", "val"}},
		"split outside":  {good + `, "splits": [{"name": "s", "train": "../a.npy"}]`, []string{"leaves the folder"}},
		"graphs":         {good + `, "graphs": "a.npy"`, []string{"offsets of the graphs"}},
		"ids":            {good + `, "ids": {"int": "a.npy"}`, []string{"2 ids for 4"}},
		"id starts":      {good + `, "ids": {"bytes": "bytes.npy", "starts": "a.npy"}`, []string{"a.npy", "starts"}},
		"id bytes":       {good + `, "ids": {"bytes": "a.npy", "starts": "a.npy"}`, []string{"a.npy", "want bytes"}},
		"prep":           {good + `, "prep": {"task": "none", "vertex": [{"name": "", "kind": "numeric"}]}`, []string{"prep"}},
	} {
		t.Run(name, func(t *testing.T) {
			files := graphBoltFiles(t)
			files["metadata.yaml"] += "weft: w.json\n"
			files["w.json"] = "{" + c.json + "}"
			files["high.npy"], files["low.npy"] = string(datatest.NPY(t, []int64{0, 1, 9, 0})), string(datatest.NPY(t, []int64{0, 1, -2, 0}))
			files["bytes.npy"] = string(datatest.NPY(t, []uint8{'x'}))
			_, err := openFolder(t.Context(), datatest.Files(t, files), dataset.Options{})
			datatest.WantError(t, err, c.want...)
		})
	}
}

func TestGraphBoltCSV(t *testing.T) {
	files := graphBoltFiles(t)
	files["metadata.yaml"] = strings.Replace(files["metadata.yaml"], "format: numpy\n      path: edges/e.npy", "format: csv\n      path: edges/e.csv", 1)
	files["edges/e.csv"] = "0,1\n1,2\n1, 2\n3,0\n"
	d, err := openFolder(t.Context(), datatest.Files(t, files), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := datatest.ArcsOf(d.Graph), []string{"3→0", "0→1", "1→2", "1→2"}; !slices.Equal(got, want) {
		t.Errorf("arcs %v, want %v", got, want)
	}
	files["edges/e.csv"] = "0,1\nsrc,dst\n"
	_, err = openFolder(t.Context(), datatest.Files(t, files), dataset.Options{})
	datatest.WantError(t, err, "e.csv:2", `"src"`)
}

// TestCSRIsUsedAndReplaced: fresh compressed rows are what is read, stale or
// broken ones are not.
func TestCSRIsUsedAndReplaced(t *testing.T) {
	dir := datatest.Files(t, graphBoltFiles(t))
	open := func() *graph.Graph {
		t.Helper()
		d, err := openFolder(t.Context(), dir, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return d.Graph
	}
	want := datatest.ArcsOf(open())
	indices := filepath.Join(dir, csrFolder, "indices.npy")
	swap := func(src []int32) {
		t.Helper()
		os.Remove(indices) // the old file stays mapped
		if err := os.WriteFile(indices, datatest.NPY(t, src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	swap([]int32{2, 0, 1, 1})
	if got := open(); got.Src[0] != 2 {
		t.Error("the compressed rows are not read")
	}
	for _, broken := range [][]int32{{9, 0, 1, 1}, {-1, 0, 1, 1}, {3, 0, 1}} {
		swap(broken)
		if got := datatest.ArcsOf(open()); !slices.Equal(got, want) {
			t.Errorf("broken rows %v gave %v", broken, got)
		}
		if got := datatest.ArcsOf(open()); !slices.Equal(got, want) {
			t.Errorf("broken rows %v were not replaced: %v", broken, got)
		}
	}
	edges := filepath.Join(dir, "edges", "e.npy")
	os.Remove(edges)
	if err := os.WriteFile(edges, datatest.Shaped("<i8", "(2, 4)", datatest.LE([]int64{0, 1, 1, 3, 1, 2, 3, 0})), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := datatest.ArcsOf(open()); !slices.Equal(got, []string{"3→0", "0→1", "1→2", "1→3"}) {
		t.Errorf("stale rows were read: %v", got)
	}
}

// openFolder reads the folder at path as source.Open does.
func openFolder(ctx context.Context, path string, opt dataset.Options) (*dataset.Dataset, error) {
	d, err := read(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	return d, d.Finish(path, path, opt.Split)
}
