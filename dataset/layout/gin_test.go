package layout

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/dataset/internal/realdata"
	"github.com/weft-gnn/weft/graph"
)

// Counted by a plain script.
func TestGINFile(t *testing.T) {
	path := realdata.File(t, "gin-txt", "MUTAG/MUTAG.txt")
	for _, path := range []string{path, filepath.Dir(path)} {
		d, err := openLayout(t.Context(), path, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if want := (graph.Counts{Rows: 7442, Listed: 7442, Arcs: 7442}); d.Graph.N != 3371 || len(d.Offsets)-1 != 188 || d.Graph.Counts != want {
			t.Errorf("%d vertices, %d graphs, %+v", d.Graph.N, len(d.Offsets)-1, d.Graph.Counts)
		}
		perTag := make([]float32, d.X.Cols)
		for v := range d.Graph.N {
			for f, x := range d.X.Row(v) {
				perTag[f] += x
			}
		}
		if want := []float32{2, 23, 2395, 12, 1, 345, 593}; !slices.Equal(perTag, want) {
			t.Errorf("vertices per tag %v, want %v", perTag, want)
		}
		if !slices.Equal(d.Labels.Names, []string{"0", "2"}) || d.Task != dataset.GraphClassification {
			t.Errorf("%v of classes %q", d.Task, d.Labels.Names)
		}
		if len(d.Splits) != 10 {
			t.Fatalf("%d splits, want 10", len(d.Splits))
		}
		for k, s := range d.Splits {
			if s.Name != fmt.Sprintf("fold %d", k+1) || len(s.Train)+len(s.Test) != 188 || len(s.Val) != 0 {
				t.Errorf("split %q: %d, %d, %d", s.Name, len(s.Train), len(s.Val), len(s.Test))
			}
		}
		if got := d.Splits[9].Test[:3]; !slices.Equal(got, []int32{81, 55, 59}) || len(d.Splits[0].Test) != 18 {
			t.Errorf("fold 10 tests %v…, fold 1 %d graphs", got, len(d.Splits[0].Test))
		}
	}
}

func TestGINContent(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		want    []string
		offsets []int64
		x       []float32
		class   []int32
	}{
		"two graphs": {"2\n2 1\n0 1 1\n0 1 0\n1 -1\n5 0\n", []string{"1→0", "0→1"}, []int64{0, 2, 3},
			[]float32{1, 0, 1, 0, 0, 1}, []int32{1, 0}},
		"one end listed": {"1\n2 0\n0 1 1\n0 0\n", []string{"1→0", "0→1"}, []int64{0, 2}, []float32{1, 1}, []int32{0}},
		"empty graphs": {"4\n0 1\n2 1\n0 0\n0 0\n0 2\n1 2\n0 1 0\n", []string{"2→2"}, []int64{0, 0, 2, 2, 3},
			[]float32{1, 1, 1}, []int32{0, 0, 1, 1}},
		"attributes":      {"1\n2 0\n0 1 1 .5 -2\n3 1 0 1e1 0\n", []string{"1→0", "0→1"}, []int64{0, 2}, []float32{.5, -2, 1, 0, 10, 0, 0, 1}, []int32{0}},
		"no graphs":       {"0\n", nil, []int64{0}, nil, nil},
		"CRLF, blank end": {"\ufeff1\r\n1 7\r\n0 0\r\n\r\n", nil, []int64{0, 1}, []float32{1}, []int32{0}},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := readText(t, "a.txt", c.text, dataset.Options{Format: "gin-txt"})
			if err != nil {
				t.Fatal(err)
			}
			if got := datatest.ArcsOf(d.Graph); !slices.Equal(got, c.want) || !slices.Equal(d.Offsets, c.offsets) {
				t.Errorf("got %q, %v; want %q, %v", got, d.Offsets, c.want, c.offsets)
			}
			if !slices.Equal(d.X.Data, c.x) || !slices.Equal(d.Labels.Class, c.class) {
				t.Errorf("got %v, %v; want %v, %v", d.X.Data, d.Labels.Class, c.x, c.class)
			}
		})
	}
}

func TestGINFaults(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"empty":            {"", []string{"a.txt:1", "number of graphs"}},
		"two counts":       {"1 2\n", []string{"a.txt:1", `"1 2"`}},
		"negative":         {"-1\n", []string{"a.txt:1", `"-1"`}},
		"huge":             {"9999999999\n1 1\n0 0\n", []string{"a.txt:3", "1 of 9999999999 graphs"}},
		"huge graph":       {"1\n9999999999 1\n0 1 9999999998\n", []string{"a.txt:2", "vertices of a graph"}},
		"cut short":        {"1\n3 1\n0 0\n", []string{"a.txt:3", "1 of 3 vertices of graph 0"}},
		"too many lines":   {"1\n1 1\n0 0\n0 0\n", []string{"a.txt:4", "more lines"}},
		"no class":         {"1\n1\n0 0\n", []string{"a.txt:2", "class"}},
		"third number":     {"1\n1 1 1\n0 0\n", []string{"a.txt:2", `"1 1 1"`}},
		"blank vertex":     {"1\n2 1\n\n0 0\n", []string{"a.txt:3", "tag"}},
		"negative degree":  {"1\n1 1\n0 -1\n", []string{"a.txt:3", "degree"}},
		"few neighbours":   {"1\n2 1\n0 2 1\n0 0\n", []string{"a.txt:3", "1 neighbours, want 2"}},
		"huge degree":      {"1\n2 1\n0 999999999999 1\n0 0\n", []string{"a.txt:3", "1 neighbours"}},
		"neighbour 2":      {"1\n2 1\n0 1 2\n0 0\n", []string{"a.txt:3", "neighbour 2", "0 to 1"}},
		"neighbour -1":     {"1\n2 1\n0 1 -1\n0 0\n", []string{"a.txt:3", "neighbour -1"}},
		"word":             {"1\n2 1\n0 1 x\n0 0\n", []string{"a.txt:3", `"x"`}},
		"attribute":        {"1\n1 1\n0 0 x\n", []string{"a.txt:3", `"x"`}},
		"attributes, some": {"1\n2 1\n0 0 1\n0 0\n", []string{"a.txt:4", "0 attributes", "want 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readText(t, "a.txt", c.text, dataset.Options{Format: "gin-txt"})
			datatest.WantError(t, err, c.want...)
		})
	}
}

func TestGINFoldFaults(t *testing.T) {
	const set = "2\n1 1\n0 0\n1 0\n0 0\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"out of range": {map[string]string{"train_idx-1.txt": "0\n", "test_idx-1.txt": "2\n"}, []string{"test_idx-1.txt:1", "item 2", "0 to 1"}},
		"in both":      {map[string]string{"train_idx-1.txt": "0\n1\n", "test_idx-1.txt": "\n1\n"}, []string{"test_idx-1.txt:2", "item 1", "train_idx-1.txt"}},
		"twice":        {map[string]string{"train_idx-1.txt": "0\n0\n", "test_idx-1.txt": "1\n"}, []string{"train_idx-1.txt:2", "item 0"}},
		"word":         {map[string]string{"train_idx-1.txt": "x\n", "test_idx-1.txt": "1\n"}, []string{"train_idx-1.txt:1", `"x"`}},
		"no test":      {map[string]string{"train_idx-1.txt": "0\n"}, []string{"test_idx-1.txt"}},
		"a gap": {map[string]string{"train_idx-1.txt": "0\n", "test_idx-1.txt": "1\n", "train_idx-3.txt": "0\n", "test_idx-3.txt": "1\n"},
			[]string{"10fold_idx", "k = 1, 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"S/S.txt": set}
			for file, text := range c.files {
				files["S/10fold_idx/"+file] = text
			}
			_, err := openLayout(t.Context(), filepath.Join(datatest.Files(t, files), "S"), dataset.Options{})
			datatest.WantError(t, err, c.want...)
		})
	}
}
