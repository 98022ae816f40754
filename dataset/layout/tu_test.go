package layout

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/dataset/internal/realdata"
	"github.com/weft-gnn/weft/graph"
)

// Counted by a plain script.
func TestTUFiles(t *testing.T) {
	for _, c := range []struct {
		file             string
		n, graphs        int
		counts           graph.Counts
		features, edgeX  int
		classes          []string
		perClass         []int
		firstGraph, most int64 // vertices
		perFeature       []float32
	}{
		{"MUTAG", 3371, 188, graph.Counts{Rows: 7442, Listed: 7442, Arcs: 7442}, 7, 4,
			[]string{"-1", "1"}, []int{63, 125}, 17, 28, []float32{2395, 345, 593, 12, 1, 23, 2}},
		{"PTC_MR", 4915, 344, graph.Counts{Rows: 10108, Listed: 10108, Arcs: 10108}, 18, 4,
			[]string{"-1", "1"}, []int{192, 152}, 2, 64, []float32{1, 23, 693, 368, 29, 3372, 273, 89, 45, 10, 1, 2, 1, 3, 1, 2, 1, 1}},
		{"IMDB-BINARY.zip", 19773, 1000, graph.Counts{Rows: 386124, Listed: 386124, Duplicates: 193062, Arcs: 193062}, 0, 0,
			[]string{"0", "1"}, []int{500, 500}, 20, 136, nil},
	} {
		t.Run(c.file, func(t *testing.T) {
			d, err := openLayout(t.Context(), realdata.File(t, "tu", c.file), dataset.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if d.Graph.N != c.n || len(d.Offsets)-1 != c.graphs || d.Graph.Counts != c.counts || d.Task != dataset.GraphClassification {
				t.Errorf("%d vertices, %d graphs, %+v, %v; want %+v", d.Graph.N, len(d.Offsets)-1, d.Graph.Counts, d.Task, c)
			}
			perClass := make([]int, len(c.classes))
			for _, k := range d.Labels.Class {
				perClass[k]++
			}
			if !slices.Equal(d.Labels.Names, c.classes) || !slices.Equal(perClass, c.perClass) {
				t.Errorf("classes %q of %v graphs, want %q of %v", d.Labels.Names, perClass, c.classes, c.perClass)
			}
			most := int64(0)
			for k := range c.graphs {
				most = max(most, d.Offsets[k+1]-d.Offsets[k])
			}
			if d.Offsets[1] != c.firstGraph || most != c.most || !slices.Equal(d.Graph.Graphs, d.Offsets) {
				t.Errorf("first graph of %d vertices, largest of %d; want %d, %d", d.Offsets[1], most, c.firstGraph, c.most)
			}
			if d.X.Cols != c.features || d.EdgeX.Cols != c.edgeX {
				t.Errorf("features %v and %v, want %d and %d columns", d.X, d.EdgeX, c.features, c.edgeX)
			}
			for f, want := range c.perFeature {
				got := float32(0)
				for v := range c.n {
					got += d.X.Row(v)[f]
				}
				if got != want {
					t.Errorf("feature %d has sum %v, want %v", f, got, want)
				}
			}
		})
	}
}

// tiny is a set of three graphs, the second of which has no vertices.
func tiny() map[string]string {
	return map[string]string{
		"S_A.txt":               "1, 2\n2, 1\n3, 3\n",
		"S_graph_indicator.txt": "1\n1\n3\n",
		"S_graph_labels.txt":    "-1\n1\n-1\n",
	}
}

func tinyWith(files map[string]string) map[string]string {
	set := tiny()
	for name, text := range files {
		set[name] = text
	}
	return set
}

func TestTUContent(t *testing.T) {
	d, err := openLayout(t.Context(), datatest.Files(t, tinyWith(map[string]string{
		"S_node_labels.txt":     "5\n-2\n5\n",
		"S_node_attributes.txt": "0.5, 1\n2, 3\n4, 5\n",
		"S_edge_labels.txt":     "1\n1\n0\n",
		"S_edge_attributes.txt": "9\r\n8\r\n7\r\n\r\n",
	})), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.Offsets, []int64{0, 2, 2, 3}) || !slices.Equal(d.Labels.Class, []int32{0, 1, 0}) {
		t.Errorf("offsets %v, classes %v", d.Offsets, d.Labels.Class)
	}
	if got := datatest.ArcsOf(d.Graph); !slices.Equal(got, []string{"1→0", "0→1", "2→2"}) {
		t.Errorf("arcs %q", got)
	}
	if want := []float32{.5, 1, 0, 1, 2, 3, 1, 0, 4, 5, 0, 1}; !slices.Equal(d.X.Data, want) {
		t.Errorf("features %v, want attributes before labels %v", d.X.Data, want)
	}
	if want := []float32{9, 0, 1, 8, 0, 1, 7, 1, 0}; !slices.Equal(d.EdgeX.Data, want) {
		t.Errorf("edge features %v, want %v", d.EdgeX.Data, want)
	}
	// Arc 1→0 is the second line.
	if got := d.Graph.Listing; !slices.Equal(got, []int64{1, 0, 2}) {
		t.Errorf("listing rows %v", got)
	}
	if !slices.Equal(d.IDs.Int, []int64{1, 2, 3}) {
		t.Errorf("ids %v", d.IDs.Int)
	}
}

func TestTUTargets(t *testing.T) {
	for name, c := range map[string]struct {
		files   map[string]string
		task    dataset.Task
		offsets []int64
		targets []float32
		notes   int
	}{
		"labels":         {tiny(), dataset.GraphClassification, []int64{0, 2, 2, 3}, nil, 0},
		"attributes":     {tinyWith(map[string]string{"S_graph_attributes.txt": "1.5, 2\n0, 0\n-1, 3\n"}), dataset.GraphRegression, []int64{0, 2, 2, 3}, []float32{1.5, 2, 0, 0, -1, 3}, 1},
		"only structure": {map[string]string{"S_A.txt": "", "S_graph_indicator.txt": "2\n2\n"}, dataset.NoTask, []int64{0, 0, 2}, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := openLayout(t.Context(), datatest.Files(t, c.files), dataset.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if d.Task != c.task || !slices.Equal(d.Offsets, c.offsets) || !slices.Equal(d.Labels.Value.Data, c.targets) || len(d.Notes) != c.notes {
				t.Errorf("%v, %v, %v, %q; want %+v", d.Task, d.Offsets, d.Labels.Value.Data, d.Notes, c)
			}
		})
	}
}

// Parallel arcs are merged, unless they carry features of their own.
func TestTUDuplicates(t *testing.T) {
	plain := map[string]string{"S_A.txt": "1, 2\n1, 2\n1, 2\n"}
	labelled := map[string]string{"S_A.txt": plain["S_A.txt"], "S_edge_labels.txt": "0\n1\n1\n"}
	for name, c := range map[string]struct {
		files map[string]string
		opt   dataset.Options
		arcs  int64
		notes int
	}{
		"plain":             {plain, dataset.Options{}, 1, 0},
		"kept when asked":   {plain, dataset.Options{Duplicates: dataset.KeepDuplicates}, 3, 0},
		"edge labels":       {labelled, dataset.Options{}, 3, 1},
		"merged when asked": {labelled, dataset.Options{Duplicates: dataset.MergeDuplicates}, 1, 0},
	} {
		d, err := openLayout(t.Context(), datatest.Files(t, tinyWith(c.files)), c.opt)
		if err != nil {
			t.Fatal(name, err)
		}
		if d.Graph.Counts.Arcs != c.arcs || d.Graph.Counts.Listed != 3 || len(d.Notes) != c.notes {
			t.Errorf("%s: %+v, %q; want %d arcs", name, d.Graph.Counts, d.Notes, c.arcs)
		}
	}
}

func TestTUFaults(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"id 0":               {map[string]string{"S_A.txt": "1, 2\n0, 1\n"}, []string{"S_A.txt:2", "vertex 0", "1 to 3"}},
		"id 4":               {map[string]string{"S_A.txt": "1, 4\n"}, []string{"S_A.txt:1", "vertex 4", "1 to 3"}},
		"blank id":           {map[string]string{"S_A.txt": "1, 2\n2,\n"}, []string{"S_A.txt:2", "blank"}},
		"one id":             {map[string]string{"S_A.txt": "1\n"}, []string{"S_A.txt:1", "blank"}},
		"three ids":          {map[string]string{"S_A.txt": "1, 2, 3\n"}, []string{"S_A.txt:1", `"3"`}},
		"word":               {map[string]string{"S_A.txt": "1, b\n"}, []string{"S_A.txt:1", `"b"`}},
		"blank line":         {map[string]string{"S_A.txt": "1, 2\n\n2, 1\n"}, []string{"S_A.txt:2", "blank"}},
		"between graphs":     {map[string]string{"S_A.txt": "2, 3\n"}, []string{"S_A.txt:1", "graph 1", "graph 3"}},
		"graph 0":            {map[string]string{"S_graph_indicator.txt": "0\n1\n3\n"}, []string{"indicator.txt:1", "graph 0", "1 to 3"}},
		"graph 4":            {map[string]string{"S_graph_indicator.txt": "1\n1\n4\n"}, []string{"indicator.txt:3", "graph 4", "1 to 3"}},
		"graphs unsorted":    {map[string]string{"S_graph_indicator.txt": "1\n3\n1\n"}, []string{"indicator.txt:3", "graph 1 after graph 3"}},
		"graph of words":     {map[string]string{"S_graph_indicator.txt": "one\n"}, []string{"indicator.txt:1", `"one"`}},
		"two graph columns":  {map[string]string{"S_graph_indicator.txt": "1 2\n"}, []string{"indicator.txt:1", `"1 2"`}},
		"label of words":     {map[string]string{"S_graph_labels.txt": "yes\n"}, []string{"graph_labels.txt:1", `"yes"`}},
		"two labels":         {map[string]string{"S_graph_labels.txt": "1, 2\n1, 2\n1, 2\n"}, []string{"graph_labels.txt", "2 columns"}},
		"node labels":        {map[string]string{"S_node_labels.txt": "1\n2\n"}, []string{"S_node_labels.txt", "2 lines, want 3"}},
		"node attributes":    {map[string]string{"S_node_attributes.txt": "1, 2\n3\n4, 5\n"}, []string{"S_node_attributes.txt:2", "1 values, want 2"}},
		"attribute of words": {map[string]string{"S_node_attributes.txt": "1\nx\n3\n"}, []string{"S_node_attributes.txt:2", `"x"`}},
		"attribute nan":      {map[string]string{"S_node_attributes.txt": "1\nnan\n3\n"}, []string{"S_node_attributes.txt:2", "finite"}},
		"edge labels":        {map[string]string{"S_edge_labels.txt": "1\n"}, []string{"S_edge_labels.txt", "1 lines, want 3"}},
		"two sets":           {map[string]string{"T_A.txt": ""}, []string{"2 sets", "S, T"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openLayout(t.Context(), datatest.Files(t, tinyWith(c.files)), dataset.Options{})
			datatest.WantError(t, err, c.want...)
		})
	}
	t.Run("no indicator", func(t *testing.T) {
		_, err := openLayout(t.Context(), datatest.Files(t, map[string]string{"S_A.txt": ""}), dataset.Options{Format: "tu"})
		datatest.WantError(t, err, "S_graph_indicator.txt")
	})
	t.Run("no arcs", func(t *testing.T) {
		_, err := openLayout(t.Context(), datatest.Files(t, map[string]string{"S_graph_indicator.txt": ""}), dataset.Options{Format: "tu"})
		datatest.WantError(t, err, "_A.txt")
	})
}

// Counts that no data backs allocate nothing.
func TestTUHostile(t *testing.T) {
	var limit *budget.LimitError
	_, err := openLayout(t.Context(), datatest.Files(t, map[string]string{"S_A.txt": "", "S_graph_indicator.txt": "9000000000000000000\n"}), dataset.Options{})
	if !errors.As(err, &limit) {
		t.Errorf("a graph numbered 9·10¹⁸: %v", err)
	}
	labels := make([]string, 10_000)
	for i := range labels {
		labels[i] = strconv.Itoa(i * i)
	}
	many := map[string]string{"S_A.txt": "", "S_graph_indicator.txt": strings.Repeat("1\n", len(labels)), "S_node_labels.txt": strings.Join(labels, "\n")}
	if _, err = openLayout(t.Context(), datatest.Files(t, many), dataset.Options{Limits: budget.Limits{Floor: 16 << 20, Ratio: 1}}); !errors.As(err, &limit) || limit.What != "one-hot features" {
		t.Errorf("wide one-hot features: %v", err)
	}
}

func TestTUArchives(t *testing.T) {
	flat, inner := tiny(), map[string]string{}
	for name, text := range flat {
		inner["S/"+name] = text
	}
	for name, files := range map[string]map[string]string{"flat": flat, "in a folder": inner} {
		d, err := readText(t, "S.zip", datatest.Zip(t, files), dataset.Options{})
		if err != nil || len(d.Offsets)-1 != 3 {
			t.Error(name, err)
		}
	}
	t.Run("cut short", func(t *testing.T) {
		z := datatest.Zip(t, inner)
		_, err := readText(t, "S.zip", z[:len(z)-8], dataset.Options{Format: "tu"})
		datatest.WantError(t, err, "S.zip")
	})
	t.Run("bomb", func(t *testing.T) {
		files := tinyWith(map[string]string{"S_A.txt": strings.Repeat("1, 2\n", 4<<20)})
		_, err := readText(t, "S.zip", datatest.Zip(t, files), dataset.Options{Limits: budget.Limits{Floor: 1 << 20, Ratio: 8}})
		var limit *budget.LimitError
		if !errors.As(err, &limit) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("beside other files", func(t *testing.T) {
		dir := datatest.Files(t, tinyWith(map[string]string{"T_A.txt": "", "T_graph_indicator.txt": "1\n"}))
		d, err := openLayout(t.Context(), filepath.Join(dir, "T_A.txt"), dataset.Options{})
		if err != nil || d.Graph.N != 1 {
			t.Error(d, err)
		}
		if _, err := os.Stat(dir); err != nil {
			t.Fatal(err)
		}
	})
}
