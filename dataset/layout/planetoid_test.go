package layout

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/dataset/numpy"
)

// planetoidFilesOf writes a set of 4 + 3 vertices: 2 train, 2 more known, 2 test
// in the order 6, 4, so that 5 is a gap. Edges: 0–1 twice, 1–2, 6–4 and a loop
// at 3.
func planetoidFilesOf() map[string]string {
	one := func(c ...int32) []byte {
		var rows []int32
		for _, k := range c {
			row := []int32{0, 0, 0}
			if k >= 0 {
				row[k] = 1
			}
			rows = append(rows, row...)
		}
		return datatest.Pickled().Array("i4", datatest.LE(rows), len(c), 3).Bytes()
	}
	f := map[string][]byte{
		"x":          datatest.Pickled().CSR(2, [][2]float32{{0, 1}}, [][2]float32{{1, 1}}).Bytes(),
		"y":          one(0, 1),
		"allx":       datatest.Pickled().CSR(2, [][2]float32{{0, 1}}, [][2]float32{{1, 1}}, [][2]float32{{0, 2}, {1, 3}}, nil).Bytes(),
		"ally":       one(0, 1, 2, 0),
		"tx":         datatest.Pickled().CSR(2, [][2]float32{{0, 6}}, [][2]float32{{0, 4}}).Bytes(),
		"ty":         one(2, 1),
		"graph":      datatest.Pickled().Lists([]int{1, 1}, []int{0, 2, 0}, []int{1}, []int{3}, []int{6}, nil, []int{4}).Bytes(),
		"test.index": []byte("6\n4\n"),
	}
	out := map[string]string{}
	for suffix, data := range f {
		out["ind.tiny."+suffix] = string(data)
	}
	return out
}

func TestPlanetoid(t *testing.T) {
	dir := datatest.Files(t, planetoidFilesOf())
	d, err := openLayout(t.Context(), dir, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Graph.N != 7 {
		t.Fatalf("%d vertices, want 7", d.Graph.N)
	}
	if got, want := datatest.ArcsOf(d.Graph), []string{"1→0", "0→1", "2→1", "1→2", "3→3", "6→4", "4→6"}; !slices.Equal(got, want) {
		t.Errorf("arcs %v, want %v", got, want)
	}
	if c := d.Graph.Counts; c.Listed != 9 || c.Duplicates != 2 || c.Loops != 1 || c.Arcs != 6 {
		t.Errorf("%+v", c)
	}
	if want := []float32{1, 0, 0, 1, 2, 3, 0, 0, 4, 0, 0, 0, 6, 0}; !slices.Equal(d.X.Flat(), want) {
		t.Errorf("X %v, want %v", d.X.Data, want)
	}
	if want := []int32{0, 1, 2, 0, 1, -1, 2}; !slices.Equal(d.Labels.Class, want) {
		t.Errorf("classes %v, want %v", d.Labels.Class, want)
	}
	if s := d.Splits[0]; fmt.Sprint(s.Train, s.Val, s.Test) != "[0 1] [2 3] [4 6]" || s.Name != "public" {
		t.Errorf("%+v", s)
	}
	if len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "1 vertices are missing from test.index") {
		t.Errorf("notes %q", d.Notes)
	}
	for _, path := range []string{"ind.tiny", "ind.tiny.graph", "ind.tiny.test.index"} {
		if _, err := openLayout(t.Context(), filepath.Join(dir, path), dataset.Options{}); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestPlanetoidFaults(t *testing.T) {
	lists := func(n ...[]int) string { return string(datatest.Pickled().Lists(n...).Bytes()) }
	for name, c := range map[string]struct {
		file, content string
		want          []string
	}{
		"missing file":       {"ty", "", []string{"ind.tiny.ty"}},
		"no pickle":          {"allx", "hello", []string{"ind.tiny.allx", "pickle"}},
		"array for rows":     {"allx", string(datatest.Pickled().Array("i4", nil, 0).Bytes()), []string{"ind.tiny.allx", "NumPy array", "CSR"}},
		"rows for array":     {"ally", string(datatest.Pickled().CSR(2).Bytes()), []string{"ind.tiny.ally", "CSR"}},
		"flat labels":        {"ally", string(datatest.Pickled().Array("i4", nil, 0).Bytes()), []string{"ind.tiny.ally", "shape [0]"}},
		"two classes":        {"ty", string(datatest.Pickled().Array("i4", datatest.LE([]int32{1, 1, 0, 1}), 2, 2).Bytes()), []string{"ind.tiny.ty", "row 0", "one-hot"}},
		"fewer labels":       {"ty", string(datatest.Pickled().Array("i4", datatest.LE([]int32{1, 0, 0}), 1, 3).Bytes()), []string{"1×3", "2 rows"}},
		"fewer classes":      {"ty", string(datatest.Pickled().Array("i4", datatest.LE([]int32{1, 0, 0, 1}), 2, 2).Bytes()), []string{"2×2"}},
		"columns":            {"tx", string(datatest.Pickled().CSR(3, nil, nil).Bytes()), []string{"ind.tiny.tx", "3 columns", "2"}},
		"without arrays":     {"allx", "cscipy.sparse.csr\ncsr_matrix\n)\x81.", []string{"ind.tiny.tx", "allx has 0"}},
		"column range":       {"allx", string(datatest.Pickled().CSR(2, [][2]float32{{2, 1}}, nil, nil, nil).Bytes()), []string{"ind.tiny.allx", "row 0", "column 2"}},
		"test in allx":       {"test.index", "6\n3\n", []string{"test.index:2", "vertex 3"}},
		"test twice":         {"test.index", "6\n6\n", []string{"test.index:2", "twice"}},
		"test is text":       {"test.index", "6\nfour\n", []string{"test.index:2", `"four"`}},
		"blank test":         {"test.index", "6\n\n", []string{"test.index:2", `""`}},
		"test huge":          {"test.index", "6\n99999999999\n", []string{"test.index:2"}},
		"test too far":       {"test.index", "6\n2000000000\n", []string{"features", "limit"}},
		"fewer tests":        {"test.index", "6\n", []string{"1 test vertices", "2 rows"}},
		"list of a dict":     {"graph", "].", []string{"ind.tiny.graph", "list", "dict"}},
		"out of range":       {"graph", lists([]int{7}), []string{"ind.tiny.graph", "neighbours of 0", "vertex 7", "0…6"}},
		"negative":           {"graph", lists([]int{-1}), []string{"vertex -1"}},
		"key range":          {"graph", lists(nil, nil, nil, nil, nil, nil, nil, []int{0}), []string{"neighbours of 7"}},
		"neighbour text":     {"graph", string(datatest.Pickled().Op("}").Int(0).Op("]").Text("a").Op("as").Bytes()), []string{"neighbours of 0", "string"}},
		"key text":           {"graph", string(datatest.Pickled().Op("}").Text("a").Op("]s").Bytes()), []string{"string: list"}},
		"class in the graph": {"graph", "cos\nsystem\n.", []string{"os.system"}},
	} {
		t.Run(name, func(t *testing.T) {
			files := planetoidFilesOf()
			if files["ind.tiny."+c.file] = c.content; c.content == "" {
				delete(files, "ind.tiny."+c.file)
			}
			_, err := openLayout(t.Context(), filepath.Join(datatest.Files(t, files), "ind.tiny"), dataset.Options{})
			datatest.WantError(t, err, c.want...)
		})
	}
	_, err := openLayout(t.Context(), t.TempDir(), dataset.Options{Format: "planetoid"})
	datatest.WantError(t, err, "ind.NAME")
}

// TestCiteSeerGaps: the 15 ids that test.index leaves out are vertices without
// features, label or part of the split.
func TestCiteSeerGaps(t *testing.T) {
	d := openReal(t, "planetoid", "ind.citeseer.graph")
	if d.Graph.N != 3327 {
		t.Fatalf("%d vertices, want 3327", d.Graph.N)
	}
	in := make([]bool, d.Graph.N)
	for _, part := range [][]int32{d.Splits[0].Train, d.Splits[0].Val, d.Splits[0].Test} {
		for _, v := range part {
			in[v] = true
		}
	}
	gaps := 0
	for v := range d.Graph.N {
		if d.Labels.Class[v] >= 0 {
			continue
		}
		gaps++
		if in[v] || slices.ContainsFunc(d.X.Row(v), func(x float32) bool { return x != 0 }) {
			t.Errorf("vertex %d has no label but features or a part of the split", v)
		}
	}
	if gaps != 15 || len(d.Splits[0].Test) != 1000 {
		t.Errorf("%d gaps, %d test vertices; want 15, 1000", gaps, len(d.Splits[0].Test))
	}
}

// TestPublicSplit: 20 training vertices of each class, and then 500 and 1,000.
func TestPublicSplit(t *testing.T) {
	for _, name := range []string{"cora", "citeseer"} {
		d := openReal(t, "planetoid", "ind."+name+".graph")
		per := make([]int, d.Labels.Classes())
		for _, v := range d.Splits[0].Train {
			per[d.Labels.Class[v]]++
		}
		if slices.ContainsFunc(per, func(k int) bool { return k != 20 }) {
			t.Errorf("%s: %v training vertices per class, want 20", name, per)
		}
		if s := d.Splits[0]; len(s.Val) != 500 || len(s.Test) != 1000 {
			t.Errorf("%s: %d and %d", name, len(s.Val), len(s.Test))
		}
	}
}

// TestPlanetoidCycle: a list of neighbours that holds itself is refused without
// following it.
func TestPlanetoidCycle(t *testing.T) {
	v, err := numpy.Unpickle("x", []byte("]q\x01h\x01a."), budget.Limits{}.Guard("x", 0))
	if err != nil {
		t.Fatal(err)
	}
	e := dataset.EdgeList{Path: "x", N: 1}
	datatest.WantError(t, addList(&e, 0, v), "the neighbours of 0", "list")
}
