package layout

import (
	"errors"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/dataset/internal/realdata"
	"github.com/weft-gnn/weft/graph"
)

// Counted by a plain script; the sums are of all features.
func TestOGBFiles(t *testing.T) {
	for _, c := range []struct {
		file         string
		task         dataset.Task
		metric       dataset.Metric
		n, graphs    int
		rows         int64
		x, edgeX     float64
		targets      float64
		first        []float32
		splits       [3]int
		weighted     int64 // the first row with a feature that is not 0
		u, v         int32
		edgeFeatures []float32
	}{
		{"ogbg_molbace", dataset.GraphClassification, dataset.ROCAUC, 51577, 1513, 55768, 875086, 102976, 691, []float32{1, 1},
			[3]int{1210, 151, 152}, 4, 4, 5, []float32{0, 0, 1}},
		{"ogbg_molesol", dataset.GraphRegression, dataset.RMSE, 14991, 1128, 15428, 260440, 27811, -3440.515, []float32{-.77, -3.3},
			[3]int{902, 113, 113}, 12, 12, 13, []float32{2, 0, 0}},
	} {
		t.Run(c.file, func(t *testing.T) {
			path := filepath.Dir(filepath.Dir(realdata.File(t, "ogb", c.file+"/raw/edge.csv.gz")))
			d, err := openLayout(t.Context(), path, dataset.Options{})
			if err != nil {
				t.Fatal(err)
			}
			// The files list an edge once, and master.csv asks for both arcs.
			counts := graph.Counts{Rows: c.rows, Listed: 2 * c.rows, Arcs: 2 * c.rows}
			if d.Graph.N != c.n || len(d.Offsets)-1 != c.graphs || d.Graph.Counts != counts || d.Task != c.task || d.Metric != c.metric {
				t.Errorf("%d vertices, %d graphs, %+v, %v by %v; want %+v", d.Graph.N, len(d.Offsets)-1, d.Graph.Counts, d.Task, d.Metric, c)
			}
			if d.X.Cols != 9 || d.EdgeX.Cols != 3 || sum(d.X.Data) != c.x || sum(d.EdgeX.Data) != c.edgeX {
				t.Errorf("features %v of sum %v, %v of %v", d.X, sum(d.X.Data), d.EdgeX, sum(d.EdgeX.Data))
			}
			y := d.Labels.Value
			if y.Rows != c.graphs || y.Cols != 1 || math.Abs(sum(y.Data)-c.targets) > 1e-3 || !slices.Equal(y.Data[:2], c.first) {
				t.Errorf("targets %v of sum %v, %v…", y, sum(y.Data), y.Data[:2])
			}
			s := d.Splits[0]
			if s.Name != "scaffold" || [3]int{len(s.Train), len(s.Val), len(s.Test)} != c.splits {
				t.Errorf("split %q of %d, %d, %d", s.Name, len(s.Train), len(s.Val), len(s.Test))
			}
			// Both arcs of an edge have the features of its row.
			for _, arc := range [][2]int32{{c.u, c.v}, {c.v, c.u}} {
				row := d.Graph.Listing[position(d.Graph, arc[0], arc[1])]
				if row != c.weighted || !slices.Equal(d.EdgeX.Row(int(row)), c.edgeFeatures) {
					t.Errorf("arc %v comes from row %d, %v", arc, row, d.EdgeX.Row(int(row)))
				}
			}
		})
	}
}

// position returns where the arc u→v is, −1 where it is not.
func position(g *graph.Graph, u, v int32) int64 {
	for i := g.Ptr[v]; i < g.Ptr[v+1]; i++ {
		if g.Src[i] == u {
			return i
		}
	}
	return -1
}

func sum(x []float32) float64 {
	s := 0.0
	for _, v := range x {
		s += float64(v)
	}
	return s
}

// ogbGraphs is a set of three graphs, the second without vertices, with two
// tasks of which two labels are missing.
func ogbGraphs() map[string]string {
	return map[string]string{
		"raw/num-node-list.csv":    "2\n0\n3\n",
		"raw/num-edge-list.csv":    "1\n0\n2\n",
		"raw/edge.csv":             "0,1\n0,2\n2,1\n",
		"raw/graph-label.csv":      "0,\n1,1\nnan,0\n",
		"split/other/train.csv":    "0\n",
		"split/other/valid.csv":    "",
		"split/other/test.csv":     "1\n",
		"split/scaffold/train.csv": "2\n1\n",
		"split/scaffold/valid.csv": "0\n",
		"split/scaffold/test.csv":  "",
	}
}

// ogbVertices is a set of one graph with classes of its vertices.
func ogbVertices() map[string]string {
	return map[string]string{
		"raw/num-node-list.csv": "3\n",
		"raw/num-edge-list.csv": "2\n",
		"raw/edge.csv":          "0,1\n1,2\n",
		"raw/node-feat.csv":     "0.5,1\n2,3\n-1,0\n",
		"raw/node-label.csv":    "2\n0\nnan\n",
	}
}

// in puts a set's files into a folder, gzip'ed, over which others go.
func in(t testing.TB, folder string, set map[string]string, others map[string]string) string {
	t.Helper()
	files := map[string]string{}
	for name, text := range set {
		if _, replaced := others[name]; !replaced {
			files[folder+"/"+name+".gz"] = datatest.Gzip(t, []byte(text))
		}
	}
	for name, text := range others {
		if strings.HasPrefix(name, "..") {
			files[filepath.Join(folder, name)] = text
		} else if text != "" {
			files[folder+"/"+name] = text
		}
	}
	return filepath.Join(datatest.Files(t, files), folder)
}

func TestOGBGraphs(t *testing.T) {
	d, err := openLayout(t.Context(), in(t, "ogbg_molclintox", ogbGraphs(), nil), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := datatest.ArcsOf(d.Graph); !slices.Equal(got, []string{"1→0", "0→1", "4→2", "4→3", "2→4", "3→4"}) {
		t.Errorf("arcs %q", got)
	}
	if !slices.Equal(d.Offsets, []int64{0, 2, 2, 5}) || d.X.Cols != 0 || d.EdgeX.Cols != 0 {
		t.Errorf("offsets %v, features %v, %v", d.Offsets, d.X, d.EdgeX)
	}
	missing := float32(math.NaN())
	same := func(a, b float32) bool { return a == b || a != a && b != b }
	if want := []float32{0, missing, 1, 1, missing, 0}; !slices.EqualFunc(d.Labels.Value.Data, want, same) || d.Task != dataset.GraphClassification {
		t.Errorf("%v with targets %v", d.Task, d.Labels.Value.Data)
	}
	if s := d.Splits[0]; s.Name != "scaffold" || !slices.Equal(s.Train, []int32{2, 1}) || len(d.Splits) != 2 {
		t.Errorf("%d splits, the first is %+v", len(d.Splits), s)
	}
}

func TestOGBVertices(t *testing.T) {
	d, err := openLayout(t.Context(), in(t, "ogbn_arxiv", ogbVertices(), nil), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := datatest.ArcsOf(d.Graph); !slices.Equal(got, []string{"0→1", "1→2"}) || d.Offsets != nil {
		t.Errorf("arcs %q, offsets %v", got, d.Offsets)
	}
	if d.Task != dataset.VertexClassification || d.Metric != dataset.Accuracy || !slices.Equal(d.Labels.Class, []int32{2, 0, -1}) || d.Labels.Classes() != 40 {
		t.Errorf("%v by %v, classes %v of %d", d.Task, d.Metric, d.Labels.Class, d.Labels.Classes())
	}
	if want := []float32{.5, 1, 2, 3, -1, 0}; !slices.Equal(d.X.Data, want) {
		t.Errorf("features %v", d.X.Data)
	}
	if d.Graph.Counts.Listed != 2 {
		t.Errorf("%+v", d.Graph.Counts)
	}
}

// What a set means comes from master.csv, else from its name, else from the
// labels' values.
func TestOGBMeta(t *testing.T) {
	master := func(task, classes, inverse string) string {
		return ",other,ogbn-mine\ndownload_name,o,m\ntask type,regression," + task + "\nnum classes,-1," + classes +
			"\nadd_inverse_edge,False," + inverse + "\neval metric,rmse,F1\nsplit,x,y\n"
	}
	for name, c := range map[string]struct {
		folder  string
		others  map[string]string
		task    dataset.Task
		classes int
		values  int
		arcs    int64
		metric  dataset.Metric
		notes   int
	}{
		"master.csv inside": {"ogbn_mine", map[string]string{"master.csv": master("multiclass classification", "3", "True")}, dataset.VertexClassification, 3, 0, 4, dataset.F1, 0},
		"master.csv beside": {"ogbn-mine", map[string]string{"../master.csv": master("multiclass classification", "9", "False")}, dataset.VertexClassification, 9, 0, 2, dataset.F1, 0},
		"by download name":  {"m", map[string]string{"../master.csv": master("regression", "-1", "True")}, dataset.VertexRegression, 0, 1, 4, dataset.F1, 0},
		"by name":           {"ogbn_products", nil, dataset.VertexClassification, 47, 0, 4, dataset.Accuracy, 0},
		"classes by values": {"mine", nil, dataset.VertexClassification, 3, 0, 2, dataset.NoMetric, 1},
		"binary by values":  {"mine", map[string]string{"raw/node-label.csv": "0\n1\nnan\n"}, dataset.VertexClassification, 0, 1, 2, dataset.NoMetric, 1},
		"reals by values":   {"mine", map[string]string{"raw/node-label.csv": "0\n1.5\nnan\n"}, dataset.VertexRegression, 0, 1, 2, dataset.NoMetric, 1},
		"columns by values": {"mine", map[string]string{"raw/node-label.csv": "0,2\n1,1\n0,\n"}, dataset.VertexRegression, 0, 2, 2, dataset.NoMetric, 1},
		"no labels":         {"mine", map[string]string{"raw/node-label.csv": ""}, dataset.NoTask, 0, 0, 2, dataset.NoMetric, 1},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := openLayout(t.Context(), in(t, c.folder, ogbVertices(), c.others), dataset.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if d.Task != c.task || d.Labels.Classes() != c.classes || d.Labels.Value.Cols != c.values || d.Graph.Counts.Arcs != c.arcs || d.Metric != c.metric || len(d.Notes) != c.notes {
				t.Errorf("%v, %d classes, %d targets, %d arcs, %v, %q; want %+v", d.Task, d.Labels.Classes(), d.Labels.Value.Cols, d.Graph.Counts.Arcs, d.Metric, d.Notes, c)
			}
		})
	}
}

func TestOGBFaults(t *testing.T) {
	master := func(property, value string) map[string]string {
		return map[string]string{"master.csv": ",ogbn-arxiv\n" + property + "," + value + "\n"}
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"vertex 3":          {map[string]string{"raw/edge.csv": "0,1\n3,0\n"}, []string{"edge.csv:2", "vertex 3 of graph 0", "0 to 2"}},
		"vertex -1":         {map[string]string{"raw/edge.csv": "-1,1\n"}, []string{"edge.csv:1", "vertex -1"}},
		"blank id":          {map[string]string{"raw/edge.csv": "0,1\n,2\n"}, []string{"edge.csv:2", "blank"}},
		"word":              {map[string]string{"raw/edge.csv": "u,v\n"}, []string{"edge.csv:1", `"u"`}},
		"third column":      {map[string]string{"raw/edge.csv": "0,1,2\n"}, []string{"edge.csv:1", `"2"`}},
		"few edges":         {map[string]string{"raw/edge.csv": "0,1\n"}, []string{"edge.csv:1", "1 of the 2 edges"}},
		"many edges":        {map[string]string{"raw/edge.csv": "0,1\n0,1\n0,1\n"}, []string{"edge.csv:3", "more edges"}},
		"negative count":    {map[string]string{"raw/num-node-list.csv": "-3\n"}, []string{"num-node-list.csv:1", `"-3"`}},
		"huge count":        {map[string]string{"raw/num-node-list.csv": "9999999999\n"}, []string{"num-node-list.csv:1", "9999999999"}},
		"unbacked count":    {map[string]string{"raw/num-node-list.csv": "2000000000\n"}, []string{"vertices"}},
		"count of words":    {map[string]string{"raw/num-edge-list.csv": "many\n"}, []string{"num-edge-list.csv:1", `"many"`}},
		"unequal graphs":    {map[string]string{"raw/num-edge-list.csv": "1\n1\n"}, []string{"1 graphs in num-node-list and 2"}},
		"few features":      {map[string]string{"raw/node-feat.csv": "1\n2\n"}, []string{"node-feat.csv", "2 lines, want 3"}},
		"ragged features":   {map[string]string{"raw/node-feat.csv": "1\n2,3\n4\n"}, []string{"node-feat.csv:2", "2 values, want 1"}},
		"missing feature":   {map[string]string{"raw/node-feat.csv": "1\nnan\n4\n"}, []string{"node-feat.csv:2", "finite"}},
		"edge features":     {map[string]string{"raw/edge-feat.csv": "1\n"}, []string{"edge-feat.csv", "1 lines, want 2"}},
		"few labels":        {map[string]string{"raw/node-label.csv": "1\n"}, []string{"node-label.csv", "1 lines, want 3"}},
		"class 40":          {map[string]string{"raw/node-label.csv": "1\n40\n2\n"}, []string{"node-label.csv:2", "40", "0 to 39"}},
		"class -1":          {map[string]string{"raw/node-label.csv": "1\n-1\n2\n"}, []string{"node-label.csv:2", "-1"}},
		"class 1.5":         {map[string]string{"raw/node-label.csv": "1\n1.5\n2\n"}, []string{"node-label.csv:2", "1.5"}},
		"two classes":       {map[string]string{"raw/node-label.csv": "1,1\n1,1\n1,1\n"}, []string{"node-label.csv", "2 columns"}},
		"unknown task":      {master("task type", "subtoken prediction"), []string{"master.csv", "subtoken prediction", "regression"}},
		"classes of words":  {master("num classes", "some"), []string{"master.csv", `"some"`}},
		"many classes":      {map[string]string{"master.csv": ",ogbn-arxiv\ntask type,multiclass classification\nnum classes,999999999999\n"}, []string{"classes"}},
		"hetero":            {master("is hetero", "True"), []string{"master.csv", "one kind"}},
		"binary":            {master("binary", "True"), []string{"master.csv", "text layout"}},
		"ragged master.csv": {map[string]string{"master.csv": ",ogbn-arxiv\na\n"}, []string{"master.csv", "line 2"}},
		"no split file":     {map[string]string{"split/time/train.csv": "0\n"}, []string{"split/time/valid.csv.gz"}},
		"split item 3":      {map[string]string{"split/time/train.csv": "3\n"}, []string{"train.csv:1", "item 3"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openLayout(t.Context(), in(t, "ogbn_arxiv", ogbVertices(), c.files), dataset.Options{})
			datatest.WantError(t, err, c.want...)
		})
	}
	for name, c := range map[string]struct{ task, label string }{
		"label 2 of a binary task": {"binary classification", "2\n"},
		"infinite target":          {"regression", "inf\n"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openLayout(t.Context(), in(t, "ogbn_arxiv", ogbVertices(), map[string]string{
				"raw/node-label.csv": "1\n" + c.label + "0\n", "master.csv": ",ogbn-arxiv\ntask type," + c.task + "\n",
			}), dataset.Options{})
			datatest.WantError(t, err, "node-label.csv:2")
		})
	}
}

// Layouts of OGB that are not read say so.
func TestOGBOtherLayouts(t *testing.T) {
	for file, want := range map[string]string{"raw/data.npz": "text layout", "raw/triplet-type-list.csv.gz": "one kind"} {
		_, err := openLayout(t.Context(), datatest.Files(t, map[string]string{file: "x"}), dataset.Options{})
		datatest.WantError(t, err, want)
	}
}

func TestOGBArchive(t *testing.T) {
	files := map[string]string{}
	for name, text := range ogbGraphs() {
		files["bace/"+name+".gz"] = datatest.Gzip(t, []byte(text))
	}
	d, err := readText(t, "bace.zip", datatest.Zip(t, files), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Graph.Counts.Arcs != 6 || d.Metric != dataset.ROCAUC || d.Splits[0].Name != "scaffold" {
		t.Errorf("%+v by %v", d.Graph.Counts, d.Metric)
	}
}

func TestOGBBomb(t *testing.T) {
	set := maps.Clone(ogbVertices())
	set["raw/node-feat.csv"] = strings.Repeat("0,1\n", 8<<20)
	_, err := openLayout(t.Context(), in(t, "ogbn_arxiv", set, nil), dataset.Options{Limits: budget.Limits{Floor: 1 << 20, Ratio: 8}})
	var limit *budget.LimitError
	if !errors.As(err, &limit) {
		t.Errorf("got %v", err)
	}
}
