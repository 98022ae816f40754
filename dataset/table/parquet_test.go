package table

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
)

func TestParquetTablesEqualCSV(t *testing.T) {
	type vertex struct {
		ID   string   `parquet:"id"`
		Age  *float64 `parquet:"age,optional"`
		City string   `parquet:"city"`
		Team string   `parquet:"team"`
	}
	type edge struct {
		From string `parquet:"from"`
		To   string `parquet:"to"`
		W    int32  `parquet:"w"`
	}
	ten, thirty := 10.0, 30.0
	dir := t.TempDir()
	v, e := filepath.Join(dir, "v.parquet"), filepath.Join(dir, "e.parquet")
	datatest.WriteParquet(t, v, []vertex{{"a", &ten, "rome", "red"}, {"b", &thirty, "oslo", "blue"}, {"c", nil, "rome", "red"}})
	datatest.WriteParquet(t, e, []edge{{"a", "b", 1}, {"b", "c", 2}})
	s := Spec{Vertices: Vertices{File: v, Label: "team"}, Edges: Edges{File: e, Weight: "w"}}
	got := openTables(t, s)

	s = tablesOf(t, trainPeople, trainKnows)
	s.Vertices.Label, s.Edges.Weight = "team", "w"
	want := openTables(t, s)
	if !slices.Equal(got.X.Flat(), want.X.Flat()) || !slices.Equal(got.Labels.Class, want.Labels.Class) ||
		!slices.Equal(got.Graph.Src, want.Graph.Src) || !slices.Equal(got.Graph.Weight, want.Graph.Weight) || !slices.Equal(got.IDs.Text, want.IDs.Text) {
		t.Errorf("Parquet gives %v, CSV %v", rowsOf(got.X), rowsOf(want.X))
	}
	// What was learnt from one applies to the other.
	s.Prep = got.Prep
	if applied := openTables(t, s); !slices.Equal(applied.X.Flat(), want.X.Flat()) {
		t.Errorf("applied: %v, want %v", rowsOf(applied.X), rowsOf(want.X))
	}
}

func TestParquetIntegersAreExact(t *testing.T) {
	type edge struct {
		From uint64 `parquet:"from"`
		To   int64  `parquet:"to"`
	}
	path := filepath.Join(t.TempDir(), "edges.parquet")
	datatest.WriteParquet(t, path, []edge{{1<<63 + 1, math.MinInt64}, {1<<53 + 1, 1 << 53}})
	d := openTables(t, Spec{Edges: Edges{File: path}})
	if want := []string{"9223372036854775809", "-9223372036854775808", "9007199254740993", "9007199254740992"}; !slices.Equal(d.IDs.Text, want) {
		t.Errorf("ids %q, want %q", d.IDs.Text, want)
	}
}

func TestParquetNestedColumns(t *testing.T) {
	type row struct {
		ID   int64               `parquet:"id"`
		Tags []string            `parquet:"tags,list"`
		X    float64             `parquet:"x"`
		Sub  struct{ Y float64 } `parquet:"sub"`
	}
	path := filepath.Join(t.TempDir(), "v.parquet")
	datatest.WriteParquet(t, path, []row{{ID: 1, Tags: []string{"a", "b"}, X: 2}, {ID: 2, X: 4}})
	_, err := Open(context.Background(), Spec{Vertices: Vertices{File: path}}, dataset.Options{})
	datatest.WantError(t, err, "tags", "list", "features")
	d := openTables(t, Spec{Vertices: Vertices{File: path, Features: []string{"x", "sub.Y"}}, Scale: Unscaled})
	if !slices.Equal(d.X.Flat(), []float32{2, 0, 4, 0}) {
		t.Errorf("features %v", d.X.Flat())
	}
}
