package source

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/dataset/ondisk"
	"github.com/weft-gnn/weft/dataset/table"
)

// TestSourceRoundTrip: a source that was written as YAML and read again is the
// same source.
func TestSourceRoundTrip(t *testing.T) {
	splits := []dataset.SplitSpec{{}, {Name: "fold 3"}, {Kind: dataset.RandomSplit, Fractions: [3]float64{0.5, 0.25, 0.125}, Seed: 7}, {Kind: dataset.FileSplit, File: "parts: x"}}
	rapid.Check(t, func(t *rapid.T) {
		s := Spec{Direction: dataset.Direction(rapid.IntRange(0, 2).Draw(t, "direction")), Split: rapid.SampledFrom(splits).Draw(t, "split")}
		if rapid.Bool().Draw(t, "tables") {
			s.Tables = &table.Spec{Vertices: table.Vertices{File: datatest.DrawName(t, "file"), Label: datatest.DrawName(t, "label")}}
		} else {
			s.Data, s.Format = datatest.DrawName(t, "data"), rapid.SampledFrom([]string{"", "snap"}).Draw(t, "format")
		}
		text, err := yaml.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var got Spec
		if err := yaml.UnmarshalWithOptions(text, &got, yaml.Strict()); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !reflect.DeepEqual(got, s) {
			t.Fatalf("got %+v %+v\nwant %+v %+v\n%s", got, got.Tables, s, s.Tables, text)
		}
	})
}

// tables writes a vertex and an edge table and returns their source.
func tables(t *testing.T, dir string) Spec {
	t.Helper()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	vertices := write("people.csv", "id,age,team\na,30,x\nb,50,y\nc,40,x\nd,20,y\ne,60,x\n")
	edges := write("knows.csv", "from,to\na,b\nb,c\nc,d\nd,e\n")
	return Spec{Tables: &table.Spec{Vertices: table.Vertices{File: vertices, Label: "team"}, Edges: table.Edges{File: edges}}}
}

// TestKept: what a run records opens the same set from another folder.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	s := tables(t, dir)
	t.Chdir(dir)
	s.Tables.Vertices.File, s.Tables.Edges.File = "people.csv", "knows.csv"
	kept, err := s.Kept(dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Tables.Vertices.File != "people.csv" {
		t.Error("the source itself was changed")
	}
	want, err := s.Open(context.Background(), dataset.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	got, err := kept.Open(context.Background(), dataset.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Splits, want.Splits) || !got.X.Equal(want.X) || !reflect.DeepEqual(got.IDs, want.IDs) {
		t.Errorf("the kept source opens another set: splits %v, want %v", got.Splits, want.Splits)
	}

	// With what was learnt, the drawn split is still there: it is named.
	again, err := kept.Open(context.Background(), dataset.Options{}, want.Prep)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again.Splits, want.Splits) {
		t.Errorf("with what was learnt: splits %v, want %v", again.Splits, want.Splits)
	}
}

func TestKeptNamesAndPaths(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("g.txt", []byte("0 1\n1 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	abs, err := filepath.Abs("g.txt")
	if err != nil {
		t.Fatal(err)
	}
	for data, want := range map[string]string{"karate": "karate", "g.txt": abs, "./g.txt": abs} {
		s, err := Spec{Data: data, Split: dataset.SplitSpec{Kind: dataset.FileSplit, File: "parts"}}.Kept(dataset.Options{})
		if err != nil || s.Data != want || s.Split.File != filepath.Join(filepath.Dir(abs), "parts") {
			t.Errorf("%s: kept %+v, %v; want %s", data, s, err, want)
		}
	}
}

// TestSourceOpensNewTables: tables named by a path are read with what was learnt,
// too.
func TestSourceOpensNewTables(t *testing.T) {
	dir := t.TempDir()
	d, err := tables(t, dir).Open(context.Background(), dataset.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	for name, text := range map[string]string{"vertices.csv": "id,age\nf,40\ng,90\n", "edges.csv": "from,to\nf,g\n"} {
		if err := os.WriteFile(filepath.Join(other, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Spec{Data: other}.Open(context.Background(), dataset.Options{}, d.Prep)
	if err != nil {
		t.Fatal(err)
	}
	// Ages 30, 50, 40, 20, 60 have mean 40 and standard deviation √200.
	if got.X.Data[0] != 0 || got.X.Data[1] < 3.5355 || got.X.Data[1] > 3.5356 {
		t.Errorf("features %v, want 0 and 50/√200", got.X.Data)
	}
	if got.Task != dataset.VertexClassification || len(got.Splits) > 0 {
		t.Errorf("task %v, splits %v; want the model's task and no split", got.Task, got.Splits)
	}
}

// TestSourceSplitsTables: the split asked for takes the place of the default,
// which is then not announced.
func TestSourceSplitsTables(t *testing.T) {
	s := tables(t, t.TempDir())
	s.Split = dataset.SplitSpec{Kind: dataset.PerClassSplit, PerClass: 1, Val: 1}
	d, err := s.Open(context.Background(), dataset.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p := d.Splits[0]; len(p.Train) != 2 || len(p.Val) != 1 || len(p.Test) != 2 {
		t.Errorf("split %+v, want 2, 1 and 2 items", p)
	}
	if notes := strings.Join(d.Notes, "\n"); strings.Contains(notes, "no split given") {
		t.Errorf("notes %s", notes)
	}
	s.Split = dataset.SplitSpec{Name: "none"}
	if _, err := s.Open(context.Background(), dataset.Options{}, nil); err == nil || !strings.Contains(err.Error(), `no split "none"`) {
		t.Errorf("a split that is not there: %v", err)
	}
}

// TestNameBeforePrefix: a set called people is meant by that name where the
// tables people.csv, from which it may have been made, lie beside.
func TestNameBeforePrefix(t *testing.T) {
	cache := t.TempDir()
	d, err := tables(t, t.TempDir()).Open(context.Background(), dataset.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := ondisk.Write(filepath.Join(cache, "people"), d, ondisk.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	tables(t, ".")
	e, err := Find("people", dataset.Options{CacheDir: cache})
	if err != nil || e.Path != filepath.Join(cache, "people") {
		t.Errorf("found %+v, %v", e, err)
	}
}

// TestNameOfAFolder: a path that ends in no name has that of the folder.
func TestNameOfAFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "clubs")
	d, err := Open(t.Context(), "karate", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := ondisk.Write(dir, d, ondisk.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for ref, want := range map[string]string{".": dir, "./": dir, "../clubs": "../clubs", "../clubs/.": "../clubs/."} {
		d, err := Open(t.Context(), ref, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := (Spec{Data: ref}).Name(); got != want || d.Name != want {
			t.Errorf("%q is called %q and %q, want %q", ref, got, d.Name, want)
		}
	}
	if e, err := Find(".", dataset.Options{}); err != nil || e.Name != "clubs" {
		t.Errorf("found %+v (%v)", e, err)
	}
}
