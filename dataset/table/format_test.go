package table

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/cells"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/tensor"
)

func TestTablesByPath(t *testing.T) {
	const vertices, edges = "id,x\n1,5\n2,6\n3,7\n", "a,b\n1,2\n"
	dir := datatest.Files(t, map[string]string{
		"vertices.csv": vertices, "edges.tsv.gz": datatest.Gzip(t, []byte(strings.ReplaceAll(edges, ",", "\t"))),
		"people.csv": vertices, "knows.csv": "from,to,since\n1,2,2001\n", "my_edges.csv": edges,
		"set.yml": "edges: {file: my_edges.csv}\n",
	})
	datatest.WriteParquet(t, filepath.Join(dir, "edges.parquet"), []struct {
		A int64 `parquet:"a"`
		B int64 `parquet:"b"`
	}{{1, 2}})
	for name, n := range map[string]int{".": 3, "knows.csv": 2, "my_edges.csv": 2, "edges.tsv.gz": 2, "edges.parquet": 2, "set.yml": 2} {
		d, err := read(context.Background(), filepath.Join(dir, name), dataset.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d.Graph.N != n || d.Graph.Counts.Arcs != 2 {
			t.Errorf("%s: %d vertices, %d arcs, want %d, 2", name, d.Graph.N, d.Graph.Counts.Arcs, n)
		}
	}
	_, err := read(context.Background(), filepath.Join(dir, "people.csv"), dataset.Options{})
	datatest.WantError(t, err, "people.csv", "--vertices or --edges")
	_, err = read(context.Background(), datatest.Files(t, nil), dataset.Options{Format: "tables"})
	datatest.WantError(t, err, "neither a table called vertices nor one called edges")
}

func TestTablesSplitByOption(t *testing.T) {
	dir := datatest.Files(t, map[string]string{
		"vertices.csv": "id,y,part\n1,a,train\n2,b,test\n",
		"set.yaml":     "vertices: {file: vertices.csv, label: y}\n",
	})
	d, err := read(context.Background(), filepath.Join(dir, "set.yaml"), dataset.Options{Split: dataset.SplitSpec{Kind: dataset.ColumnSplit, Column: "part"}})
	if err != nil {
		t.Fatal(err)
	}
	if s := d.Splits[0]; !slices.Equal(s.Train, []int32{0}) || !slices.Equal(s.Test, []int32{1}) {
		t.Errorf("split %+v", s)
	}
}

func TestTableYAMLHeaderAndDelimiter(t *testing.T) {
	dir := datatest.Files(t, map[string]string{
		"v.txt": "0 1\n1 2\n", "e.txt": "0 1\n",
		"set.yaml": "vertices: {file: v.txt, header: false, delimiter: ' ', id: 1}\nedges: {file: e.txt, header: true, delimiter: ' '}\n",
	})
	d, err := read(context.Background(), filepath.Join(dir, "set.yaml"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.IDs.Int, []int64{0, 1}) || d.Graph.Counts.Arcs != 0 {
		t.Errorf("ids %v, %d arcs: want two vertices and a header without rows", d.IDs.Int, d.Graph.Counts.Arcs)
	}
}

// memoryTable is a table whose number of rows is up to a test.
type memoryTable struct {
	rows int
	cell cells.Cell // all cells
}

func (m memoryTable) Columns() []string { return []string{"x"} }

func (m memoryTable) At(int64) string { return "memory" }

func (m memoryTable) Notes() []string { return nil }

func (m memoryTable) Scan(_ context.Context, wanted []int, visit func(int64, []cells.Cell) error) error {
	for i := range m.rows {
		if err := visit(int64(i+1), slices.Repeat([]cells.Cell{m.cell}, len(wanted))); err != nil {
			return err
		}
	}
	return nil
}

func TestTableThatChangesBetweenPasses(t *testing.T) {
	for rows, want := range map[int]string{1: "fewer rows", 3: "more rows"} {
		r := &reading{ctx: context.Background(), out: &dataset.Dataset{X: tensor.New(2, 0)}, keys: &keyIndex{}}
		r.vertices = vertexPlan{table: memoryTable{rows: rows}, label: -1, split: -1, rows: 2}
		datatest.WantError(t, r.encodeVertices(nil, newLabeller(&dataset.Prep{}, 2)), "memory", want)

		known := cells.Untyped("0")
		if _, err := r.keys.ints.Number(0); err != nil {
			t.Fatal(err)
		}
		r.prep = &dataset.Prep{Edge: []dataset.PrepColumn{{Name: "x", Scale: 1}}}
		r.guard = budget.Limits{}.Guard("memory", 0)
		r.edges = edgePlan{table: memoryTable{rows, known}, features: []int{0}}
		r.edges.list.Src = make([]int32, 2)
		datatest.WantError(t, r.fillEdges(), "memory", want)
	}
}
