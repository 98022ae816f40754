package layout

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/dataset/internal/realdata"
	"github.com/weft-gnn/weft/graph"
)

// Counted by a plain script: every edge of both files is listed at both ends.
func TestMETISFiles(t *testing.T) {
	for _, c := range []struct {
		file      string
		n         int
		arcs      int64
		maxDegree int64
		features  int
		sum       float64 // of the features
	}{
		{"4elt.graph", 15606, 91756, 10, 0, 0},
		{"test.mgraph", 766, 2628, 4, 2, 15104},
	} {
		t.Run(c.file, func(t *testing.T) {
			d, err := openLayout(t.Context(), realdata.File(t, "metis", c.file), dataset.Options{})
			if err != nil {
				t.Fatal(err)
			}
			g := d.Graph
			if want := (graph.Counts{Rows: c.arcs, Listed: c.arcs, Arcs: c.arcs}); g.N != c.n || g.Counts != want {
				t.Errorf("%d vertices, %+v; want %d, %+v", g.N, g.Counts, c.n, want)
			}
			largest, sum := int64(0), 0.0
			for v := range g.N {
				largest = max(largest, g.Ptr[v+1]-g.Ptr[v])
			}
			for _, x := range d.X.Data {
				sum += float64(x)
			}
			if largest != c.maxDegree || d.X.Cols != c.features || sum != c.sum {
				t.Errorf("largest degree %d, %d features of sum %v; want %+v", largest, d.X.Cols, sum, c)
			}
		})
	}
	d, err := openLayout(t.Context(), realdata.File(t, "metis", "test.mgraph"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// " 1  1  479  389  571    2", the line of vertex 1, and that of 8: "24 8 …".
	if got := datatest.ArcsOf(d.Graph)[:4]; !slices.Equal(got, []string{"1→0", "388→0", "478→0", "570→0"}) {
		t.Errorf("neighbours of vertex 1: %q", got)
	}
	if got := d.X.Row(7); !slices.Equal(got, []float32{24, 8}) || d.IDs.Int[7] != 8 {
		t.Errorf("vertex 8 has weights %v and id %d", got, d.IDs.Int[7])
	}
}

// The first five are figures 2 (a) to (d) of the manual, in spirit: a triangle
// with a tail, plain and with each kind of weights.
func TestMETISContent(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
		x    []float32
	}{
		"plain":           {"4 4\n2 3\n1 3\n1 2 4\n3\n", []string{"1→0", "2→0", "0→1", "2→1", "0→2", "1→2", "3→2", "2→3"}, nil},
		"edge weights":    {"2 1 1\n2 7\n1 7\n", []string{"1→0=7", "0→1=7"}, nil},
		"vertex weights":  {"2 1 10\n5 2\n6 1\n", []string{"1→0", "0→1"}, []float32{5, 6}},
		"three weights":   {"2 1 10 3\n1 2 3 2\n4 5 6 1\n", []string{"1→0", "0→1"}, []float32{1, 2, 3, 4, 5, 6}},
		"all":             {"2 1 111\n9 5 2 7\n8 6 1 7\n", []string{"1→0=7", "0→1=7"}, []float32{9, 5, 8, 6}},
		"sizes":           {"2 1 100\n9 2\n8 1\n", []string{"1→0", "0→1"}, []float32{9, 8}},
		"isolated":        {"3 1\n3\n\n1\n", []string{"2→0", "0→2"}, nil},
		"isolated, last":  {"3 1\n2\n1\n\n\n", []string{"1→0", "0→1"}, nil},
		"no end of line":  {"3 1\n2\n1\n", []string{"1→0", "0→1"}, nil},
		"comments, CRLF":  {"% a\r\n2 1\r\n%% b\r\n2\r\n1\r\n% c", []string{"1→0", "0→1"}, nil},
		"parallel edges":  {"2 2\n2 2\n1 1\n", []string{"1→0", "0→1"}, nil},
		"no vertices":     {"0 0\n", nil, nil},
		"byte-order mark": {"\ufeff1 0\n\n", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := readText(t, "a.graph", c.text, dataset.Options{Direction: dataset.Directed})
			if err != nil {
				t.Fatal(err)
			}
			if got := datatest.ArcsOf(d.Graph); !slices.Equal(got, c.want) || !slices.Equal(d.X.Data, c.x) {
				t.Errorf("got %q, %v; want %q, %v", got, d.X.Data, c.want, c.x)
			}
		})
	}
}

func TestMETISFaults(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"empty":              {"", []string{"a.graph:", "no header"}},
		"comments only":      {"% x\n", []string{"a.graph:1", "no header"}},
		"one count":          {"3\n\n\n\n", []string{"a.graph:1", "header"}},
		"five counts":        {"1 0 0 1 1\n\n", []string{"a.graph:1", "header"}},
		"negative":           {"-3 1\n", []string{"a.graph:1", `"-3"`}},
		"negative edges":     {"3 -1\n", []string{"a.graph:1", `"-1"`}},
		"huge":               {"9999999999 9999999999\n", []string{"a.graph:1", "vertices"}},
		"huge for its size":  {"2000000000 1\n", []string{"a.graph:1", "vertices"}},
		"many edges":         {"2 99999999999\n2\n1\n", []string{"a.graph:1", "arcs"}},
		"format":             {"2 1 2\n", []string{"a.graph:1", `"2"`}},
		"format, four":       {"2 1 0011\n", []string{"a.graph:1", `"0011"`}},
		"weights not stated": {"2 1 1 2\n", []string{"a.graph:1", "second digit"}},
		"no weights":         {"2 1 10 0\n", []string{"a.graph:1", `"0"`}},
		"many weights":       {"2 1 10 99999999\n", []string{"a.graph:1", `"99999999"`}},
		"neighbour 0":        {"2 1\n0\n1\n", []string{"a.graph:2", "neighbour 0 of vertex 1", "1 to 2"}},
		"neighbour 9":        {"8 1\n% c\n9\n", []string{"a.graph:3", "neighbour 9 of vertex 1", "1 to 8"}},
		"word":               {"2 1\nx\n1\n", []string{"a.graph:2", `"x"`}},
		"NUL":                {"2 1\n2\x00\n1\n", []string{"a.graph:2"}},
		"loop":               {"2 1\n1\n2\n", []string{"a.graph:2", "vertex 1 lists itself"}},
		"one end":            {"3 1\n2 3\n\n\n", []string{"a.graph", "vertex 1 lists 2", "other way round"}},
		"other end":          {"3 1\n\n1\n2\n", []string{"a.graph", "not the other way round"}},
		"unequal weights":    {"2 1 1\n2 7\n1 8\n", []string{"a.graph", "edge 1–2", "7 and 8"}},
		"no edge weight":     {"2 1 1\n2\n1 8\n", []string{"a.graph:2", "no edge weight"}},
		"no vertex weight":   {"2 1 10 2\n1\n1 2 1\n", []string{"a.graph:2", "want 2"}},
		"infinite weight":    {"2 1 1\n2 inf\n1 inf\n", []string{"a.graph:2", `"inf"`}},
		"cut short":          {"4 2\n2\n1\n", []string{"a.graph:3", "2 of 4"}},
		"too many lines":     {"2 1\n2\n1\n1\n", []string{"a.graph:4", "more lines"}},
		"too few edges":      {"2 3\n2\n1\n", []string{"a.graph", "2 neighbours", "3 edges"}},
		"too many edges":     {"3 1\n2 3\n1\n1\n", []string{"a.graph:3", "1 edges"}},
		"million columns":    {"2 1\n" + strings.Repeat("2 ", 1_000_000) + "\n1\n", []string{"a.graph:2", "1 edges"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readText(t, "a.graph", c.text, dataset.Options{Format: "metis"})
			datatest.WantError(t, err, c.want...)
		})
	}
}

// Dropping or changing any one entry of a symmetric file breaks its symmetry or
// its counts: the reader never takes it.
func TestMETISSymmetry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "n")
		adjacent := make([][]int, n)
		edges := 0
		for i := range n {
			for j := range i {
				if rapid.Bool().Draw(t, "edge") {
					adjacent[i], adjacent[j] = append(adjacent[i], j), append(adjacent[j], i)
					edges++
				}
			}
		}
		if _, err := readMETISText(metisText(n, edges, adjacent)); err != nil {
			t.Fatal(err)
		}
		v := rapid.IntRange(0, n-1).Draw(t, "vertex")
		if len(adjacent[v]) == 0 {
			return
		}
		i := rapid.IntRange(0, len(adjacent[v])-1).Draw(t, "entry")
		other := rapid.IntRange(0, n-1).Draw(t, "other")
		if slices.Contains(adjacent[v], other) {
			return
		}
		adjacent[v][i] = other
		if _, err := readMETISText(metisText(n, edges, adjacent)); err == nil {
			t.Fatalf("read %v", adjacent)
		}
	})
}

func metisText(n, edges int, adjacent [][]int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d\n", n, edges)
	for _, row := range adjacent {
		for _, u := range row {
			fmt.Fprintf(&b, " %d", u+1)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func readMETISText(text string) (*dataset.Dataset, error) {
	l, g, err := linesOf(text)
	if err != nil {
		return nil, err
	}
	m, err := parseMETIS(l, g)
	if err != nil {
		return nil, err
	}
	return m.dataset("in", dataset.Options{})
}
