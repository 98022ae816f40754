package layout

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/dataset/internal/realdata"
	"github.com/weft-gnn/weft/graph"
)

// Counted by a plain script.
func TestSNAPFiles(t *testing.T) {
	for _, c := range []struct {
		file      string
		direction dataset.Direction
		n         int
		counts    graph.Counts
		ids       []int64 // first and last; nil where vertices are called by their number
		classes   int
	}{
		{"karate.txt", dataset.AsStated, 34, graph.Counts{Rows: 78, Listed: 156, Arcs: 156}, []int64{1, 34}, 0},
		{"facebook_combined.txt", dataset.AsStated, 4039, graph.Counts{Rows: 88234, Listed: 176468, Arcs: 176468}, nil, 0},
		{"email-Eu-core.txt", dataset.AsStated, 1005, graph.Counts{Rows: 25571, Listed: 32770, Arcs: 32128, Loops: 642}, []int64{1, 1005}, 42},
		{"email-Eu-core.txt", dataset.Directed, 1005, graph.Counts{Rows: 25571, Listed: 25571, Arcs: 24929, Loops: 642}, []int64{1, 1005}, 42},
	} {
		t.Run(fmt.Sprint(c.file, c.direction), func(t *testing.T) {
			d, err := openLayout(t.Context(), realdata.File(t, "snap", c.file), dataset.Options{Direction: c.direction})
			if err != nil {
				t.Fatal(err)
			}
			if d.Graph.N != c.n || d.Graph.Counts != c.counts {
				t.Errorf("%d vertices, %+v; want %+v", d.Graph.N, d.Graph.Counts, c)
			}
			if (d.IDs.Int == nil) != (c.ids == nil) || c.ids != nil && (d.IDs.Int[0] != c.ids[0] || d.IDs.Int[c.n-1] != c.ids[1]) {
				t.Errorf("%d ids, want %v", len(d.IDs.Int), c.ids)
			}
			if d.Labels.Classes() != c.classes || (d.Task == dataset.VertexClassification) != (c.classes > 0) {
				t.Errorf("%v with %d classes, want %d", d.Task, d.Labels.Classes(), c.classes)
			}
		})
	}
	d, err := openLayout(t.Context(), realdata.File(t, "snap", "email-Eu-core.txt"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The file of classes starts 2, 2, 22; class 5 is the largest, with 109.
	most := 0
	for _, c := range d.Labels.Class {
		if d.Labels.Names[c] == "5" {
			most++
		}
	}
	if got := d.Labels.Class[:3]; !slices.Equal(got, []int32{1, 1, 21}) || most != 109 {
		t.Errorf("classes %v…, %d of class 5", got, most)
	}
}

func TestSNAPContent(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		opt  dataset.Options
		want []string
		ids  []int64
	}{
		"undirected":      {"0 1\n1 2\n", dataset.Options{}, []string{"1→0", "0→1", "2→1", "1→2"}, nil},
		"directed":        {"0 1\n1 2\n", dataset.Options{Direction: dataset.Directed}, []string{"0→1", "1→2"}, nil},
		"says directed":   {"# Directed graph (each unordered pair of nodes is saved once): x\n0 1\n", dataset.Options{}, []string{"0→1"}, nil},
		"says undirected": {"# Undirected graph: x\n0 1\n", dataset.Options{}, []string{"1→0", "0→1"}, nil},
		"option wins":     {"# Directed graph: x\n0 1\n", dataset.Options{Direction: dataset.Undirected}, []string{"1→0", "0→1"}, nil},
		"both directions": {"0 1\n1 0\n", dataset.Options{}, []string{"1→0", "0→1"}, nil},
		"ids in gaps":     {"40 20\n10 20\n", dataset.Options{Direction: dataset.Directed}, []string{"0→1", "2→1"}, []int64{10, 20, 40}},
		"commas":          {"10,20\n20 , 40\n", dataset.Options{Direction: dataset.Directed}, []string{"0→1", "1→2"}, []int64{10, 20, 40}},
		"tabs, CRLF":      {"% c\r\n\r\n10\t20\t\r\n  20\t40\r\n#end", dataset.Options{Direction: dataset.Directed}, []string{"0→1", "1→2"}, []int64{10, 20, 40}},
		"weights":         {"0 1 .5\n1 2 -3\n", dataset.Options{Direction: dataset.Directed}, []string{"0→1=0.5", "1→2=-3"}, nil},
		"large ids":       {"9223372036854775807 -5\n", dataset.Options{Direction: dataset.Directed}, []string{"1→0"}, []int64{-5, 9223372036854775807}},
		"loops":           {"3 3\n3 3\n", dataset.Options{}, []string{"0→0"}, []int64{3}},
		"byte-order mark": {"\ufeff0 1", dataset.Options{Direction: dataset.Directed}, []string{"0→1"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := readText(t, "a.txt", c.text, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			if got := datatest.ArcsOf(d.Graph); !slices.Equal(got, c.want) || !slices.Equal(d.IDs.Int, c.ids) {
				t.Errorf("got %q, %v; want %q, %v", got, d.IDs.Int, c.want, c.ids)
			}
		})
	}
	t.Run("gzip", func(t *testing.T) {
		d, err := readText(t, "a.txt.gz", datatest.Gzip(t, []byte("0 1\n")), dataset.Options{})
		if err != nil || d.Graph.N != 2 {
			t.Error(d, err)
		}
	})
}

func TestSNAPFaults(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"one id":          {"0 1\n\n# c\n2\n", []string{"a.txt:4", "second id is blank"}},
		"blank first":     {"0,1\n,2\n", []string{"a.txt:2", "first id is blank"}},
		"blank second":    {"0,1\n1,\n", []string{"a.txt:2", "second id is blank"}},
		"name":            {"a b\n", []string{"a.txt:1", `"a"`, "integer"}},
		"fraction":        {"0 1.5\n", []string{"a.txt:1", `"1.5"`}},
		"NUL":             {"0 1\n\x00\x00\n", []string{"a.txt:2", `"\x00\x00"`}},
		"beyond 64 bits":  {"0 99999999999999999999\n", []string{"a.txt:1", "99999999999999999999"}},
		"weight":          {"0 1 x\n", []string{"a.txt:1", `"x"`}},
		"infinite weight": {"0 1 inf\n", []string{"a.txt:1", `"inf"`}},
		"four columns":    {"0 1 2 3\n", []string{"a.txt:1", `"3"`}},
		"some weights":    {"0 1 2\n0 1\n", []string{"a.txt:2", "2 columns, want 3"}},
		"million columns": {strings.Repeat("1 ", 1_000_000), []string{"a.txt:1"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readText(t, "a.txt", c.text, dataset.Options{Format: "snap"})
			datatest.WantError(t, err, c.want...)
		})
	}
}

func TestSNAPLabels(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		class []int32
		names []string
		ids   []int64
		fault []string
	}{
		"one column":       {files: map[string]string{"a-groundtruth.txt": "7\n5\n7\n"}, class: []int32{1, 0, 1}, names: []string{"5", "7"}, ids: []int64{10, 20, 40}},
		"two columns":      {files: map[string]string{"a-labels.txt": "# id class\n40 1\n10 0\n"}, class: []int32{0, -1, 1}, names: []string{"0", "1"}, ids: []int64{10, 20, 40}},
		"departments":      {files: map[string]string{"a-department-labels.txt": "10 1\n20 1\n40 -1\n"}, class: []int32{1, 1, 0}, names: []string{"-1", "1"}, ids: []int64{10, 20, 40}},
		"a further vertex": {files: map[string]string{"a_labels.txt": "15 3\n"}, class: []int32{-1, 0, -1, -1}, names: []string{"3"}, ids: []int64{10, 15, 20, 40}},
		"another set's":    {files: map[string]string{"b-labels.txt": "1\n"}, ids: []int64{10, 20, 40}},
		"too few":          {files: map[string]string{"a-labels.txt": "1\n2\n"}, fault: []string{"a-labels.txt", "2 classes", "3 vertices"}},
		"two classes":      {files: map[string]string{"a-labels.txt": "10 1\n10 2\n"}, fault: []string{"a-labels.txt:2", "vertex 10"}},
		"three columns":    {files: map[string]string{"a-labels.txt": "10 1 1\n"}, fault: []string{"a-labels.txt:1", "two columns"}},
		"changing columns": {files: map[string]string{"a-labels.txt": "10 1\n1\n"}, fault: []string{"a-labels.txt:2", "columns"}},
		"no integer":       {files: map[string]string{"a-labels.txt": "10 red\n"}, fault: []string{"a-labels.txt:1", `"red"`}},
		"two files":        {files: map[string]string{"a-labels.txt": "1\n", "a-groundtruth.txt": "1\n"}, fault: []string{"a-groundtruth.txt", "a-labels.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.files["a.txt"] = "10 20\n20 40\n"
			d, err := openLayout(t.Context(), filepath.Join(datatest.Files(t, c.files), "a.txt"), dataset.Options{})
			if c.fault != nil {
				datatest.WantError(t, err, c.fault...)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(d.Labels.Class, c.class) || !slices.Equal(d.Labels.Names, c.names) || !slices.Equal(d.IDs.Int, c.ids) {
				t.Errorf("got %v %v %v, want %+v", d.Labels.Class, d.Labels.Names, d.IDs.Int, c)
			}
		})
	}
}

// The graph depends on the edges alone, not on the order of lines: vertices are
// in ascending order of ids whatever comes first.
func TestSNAPOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.OneOf(rapid.Int64Range(0, 9), rapid.Int64())
		edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf("%d %d", id.Draw(t, "u"), id.Draw(t, "v"))
		}), 1, 20).Draw(t, "edges")
		first, ids := snapArcs(t, edges)
		again, sameIDs := snapArcs(t, rapid.Permutation(edges).Draw(t, "order"))
		if !slices.Equal(first, again) || !slices.Equal(ids, sameIDs) || !slices.IsSorted(ids) {
			t.Fatalf("%q, %v became %q, %v", first, ids, again, sameIDs)
		}
	})
}

func snapArcs(t *rapid.T, edges []string) (arcs []string, ids []int64) {
	l, _, err := linesOf(strings.Join(edges, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := parseSNAP(l)
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.edges("in").Build(dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return datatest.ArcsOf(g), s.ids.List
}
