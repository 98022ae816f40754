package dataset

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/tensor"
)

func TestTablesByPath(t *testing.T) {
	const vertices, edges = "id,x\n1,5\n2,6\n3,7\n", "a,b\n1,2\n"
	dir := writeFiles(t, map[string]string{
		"vertices.csv": vertices, "edges.tsv.gz": gzipped(t, []byte(strings.ReplaceAll(edges, ",", "\t"))),
		"people.csv": vertices, "knows.csv": "from,to,since\n1,2,2001\n", "my_edges.csv": edges,
		"set.yml": "edges: {file: my_edges.csv}\n",
	})
	writeParquet(t, filepath.Join(dir, "edges.parquet"), []struct {
		A int64 `parquet:"a"`
		B int64 `parquet:"b"`
	}{{1, 2}})
	for name, n := range map[string]int{".": 3, "knows.csv": 2, "my_edges.csv": 2, "edges.tsv.gz": 2, "edges.parquet": 2, "set.yml": 2} {
		d, err := readTables(context.Background(), filepath.Join(dir, name), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d.Graph.N != n || d.Graph.Counts.Arcs != 2 {
			t.Errorf("%s: %d vertices, %d arcs, want %d, 2", name, d.Graph.N, d.Graph.Counts.Arcs, n)
		}
	}
	_, err := readTables(context.Background(), filepath.Join(dir, "people.csv"), Options{})
	wantError(t, err, "people.csv", "--vertices or --edges")
	_, err = readTables(context.Background(), writeFiles(t, nil), Options{Format: "tables"})
	wantError(t, err, "neither a table called vertices nor one called edges")
}

func TestTablesSplitByOption(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"vertices.csv": "id,y,part\n1,a,train\n2,b,test\n",
		"set.yaml":     "vertices: {file: vertices.csv, label: y}\n",
	})
	d, err := readTables(context.Background(), filepath.Join(dir, "set.yaml"), Options{Split: SplitSpec{Kind: ColumnSplit, Column: "part"}})
	if err != nil {
		t.Fatal(err)
	}
	if s := d.Splits[0]; !slices.Equal(s.Train, []int32{0}) || !slices.Equal(s.Test, []int32{1}) {
		t.Errorf("split %+v", s)
	}
}

func TestTableYAMLHeaderAndDelimiter(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"v.txt": "0 1\n1 2\n", "e.txt": "0 1\n",
		"set.yaml": "vertices: {file: v.txt, header: false, delimiter: ' ', id: 1}\nedges: {file: e.txt, header: true, delimiter: ' '}\n",
	})
	d, err := readTables(context.Background(), filepath.Join(dir, "set.yaml"), Options{})
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
	cell cell // all cells
}

func (m memoryTable) columns() []string { return []string{"x"} }

func (m memoryTable) at(int64) string { return "memory" }

func (m memoryTable) notes() []string { return nil }

func (m memoryTable) scan(_ context.Context, wanted []int, visit func(int64, []cell) error) error {
	for i := range m.rows {
		if err := visit(int64(i+1), slices.Repeat([]cell{m.cell}, len(wanted))); err != nil {
			return err
		}
	}
	return nil
}

func TestTableThatChangesBetweenPasses(t *testing.T) {
	for rows, want := range map[int]string{1: "fewer rows", 3: "more rows"} {
		r := &tableRead{ctx: context.Background(), out: &Dataset{X: tensor.New(2, 0)}, keys: &keyIndex{}}
		r.vertices = vertexPlan{table: memoryTable{rows: rows}, label: -1, split: -1, rows: 2}
		wantError(t, r.encodeVertices(nil, newLabeller(&Prep{}, 2)), "memory", want)

		known := cell{kind: cellInt}
		if _, err := r.keys.ints.number(0); err != nil {
			t.Fatal(err)
		}
		r.prep = &Prep{Edge: []PrepColumn{{Name: "x", Scale: 1}}}
		r.guard = Limits{}.guard("memory", 0)
		r.edges = edgePlan{table: memoryTable{rows, known}, features: []int{0}}
		r.edges.list.src = make([]int32, 2)
		wantError(t, r.fillEdges(), "memory", want)
	}
}
