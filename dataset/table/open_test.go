package table

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/tensor"
)

// tablesOf writes a vertex and an edge table, "" for none, and returns a spec
// of them.
func tablesOf(t testing.TB, vertices, edges string) Spec {
	t.Helper()
	texts := map[string]string{}
	var s Spec
	if vertices != "" {
		texts["people.csv"] = vertices
	}
	if edges != "" {
		texts["knows.csv"] = edges
	}
	dir := datatest.Files(t, texts)
	if vertices != "" {
		s.Vertices.File = filepath.Join(dir, "people.csv")
	}
	if edges != "" {
		s.Edges.File = filepath.Join(dir, "knows.csv")
	}
	return s
}

func openTables(t testing.TB, s Spec) *dataset.Dataset {
	t.Helper()
	d, err := Open(context.Background(), s, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func wantNote(t testing.TB, d *dataset.Dataset, part string) {
	t.Helper()
	if !slices.ContainsFunc(d.Notes, func(n string) bool { return strings.Contains(n, part) }) {
		t.Errorf("no note has %q: %q", part, d.Notes)
	}
}

// arcs lists the graph's arcs as source, destination pairs of identifiers.
func arcs(d *dataset.Dataset) [][2]int64 {
	var out [][2]int64
	name := func(v int) int64 {
		if d.IDs.Int != nil {
			return d.IDs.Int[v]
		}
		return int64(v)
	}
	for v := range d.Graph.N {
		for _, u := range d.Graph.Src[d.Graph.Ptr[v]:d.Graph.Ptr[v+1]] {
			out = append(out, [2]int64{name(int(u)), name(v)})
		}
	}
	slices.SortFunc(out, func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) })
	return out
}

func rowsOf(m tensor.Matrix) [][]float32 {
	out := make([][]float32, m.Rows)
	for i := range out {
		out[i] = slices.Clone(m.Row(i))
	}
	return out
}

func TestTablesIDs(t *testing.T) {
	t.Run("integers", func(t *testing.T) {
		d := openTables(t, tablesOf(t, "", "source,target\n10,20\n20,40\n"))
		if d.Graph.N != 3 || !slices.Equal(d.IDs.Int, []int64{10, 20, 40}) {
			t.Errorf("n = %d, ids %v, want 3 vertices 10, 20, 40", d.Graph.N, d.IDs)
		}
		want := [][2]int64{{10, 20}, {20, 10}, {20, 40}, {40, 20}}
		if got := arcs(d); !slices.Equal(got, want) {
			t.Errorf("arcs %v, want %v", got, want)
		}
	})
	t.Run("no header", func(t *testing.T) {
		d := openTables(t, tablesOf(t, "", "10,20\n20,40\n"))
		if !slices.Equal(d.IDs.Int, []int64{10, 20, 40}) {
			t.Errorf("ids %v, want 10, 20, 40", d.IDs)
		}
		wantNote(t, d, "line 1 holds only numbers")
	})
	t.Run("strings", func(t *testing.T) {
		d := openTables(t, tablesOf(t, "id,age\nann,1\nbo b,2\nçelik,3\n", "from,to\nçelik,ann\n"))
		if !slices.Equal(d.IDs.Text, []string{"ann", "bo b", "çelik"}) || d.IDs.Int != nil {
			t.Errorf("ids %v", d.IDs)
		}
	})
	t.Run("integers that are not canonical stay text", func(t *testing.T) {
		d := openTables(t, tablesOf(t, "id,x\n1,0\n007,1\n12,2\n", "from,to\n007,12\n1,12\n"))
		if !slices.Equal(d.IDs.Text, []string{"1", "007", "12"}) {
			t.Errorf("ids %v", d.IDs)
		}
	})
	t.Run("one-based ids are keys", func(t *testing.T) {
		d := openTables(t, tablesOf(t, "id,x\n1,0\n2,1\n3,2\n", "a,b\n1,3\n"))
		if got, want := arcs(d), [][2]int64{{1, 3}, {3, 1}}; !slices.Equal(got, want) {
			t.Errorf("arcs %v, want %v", got, want)
		}
	})
	t.Run("blank in a vertex table", func(t *testing.T) {
		_, err := Open(context.Background(), tablesOf(t, "id,x\n1,0\n ,1\n", ""), dataset.Options{})
		datatest.WantError(t, err, "people.csv:3", "blank id", `"id"`)
	})
	t.Run("blank in an edge table", func(t *testing.T) {
		_, err := Open(context.Background(), tablesOf(t, "", "a,b\n1,2\n2,3\n4,\n"), dataset.Options{})
		datatest.WantError(t, err, "knows.csv:4", "blank id")
	})
	t.Run("repeated", func(t *testing.T) {
		_, err := Open(context.Background(), tablesOf(t, "id,x\n5,0\n6,0\n5,1\n", ""), dataset.Options{})
		datatest.WantError(t, err, "people.csv:4", "id 5", "people.csv:2")
	})
}

func TestTablesOutOfRange(t *testing.T) {
	vertices := "id,x\n0,1\n1,1\n2,1\n3,1\n4,1\n5,1\n6,1\n7,1\n"
	s := tablesOf(t, vertices, "a,b\n0,1\n3,8\n")
	_, err := Open(context.Background(), s, dataset.Options{})
	datatest.WantError(t, err, "knows.csv:3", "id 8", "people.csv")

	s.Unknown = AddUnknown
	d := openTables(t, s)
	if d.Graph.N != 9 || d.IDs.Int[8] != 8 || d.Graph.Counts.Arcs != 4 {
		t.Errorf("add: n = %d, ids %v, %d arcs", d.Graph.N, d.IDs.Int, d.Graph.Counts.Arcs)
	}
	wantNote(t, d, "1 vertices added")

	s.Unknown = DropUnknown
	d = openTables(t, s)
	if d.Graph.N != 8 || d.Graph.Counts.Arcs != 2 {
		t.Errorf("drop: n = %d, %d arcs", d.Graph.N, d.Graph.Counts.Arcs)
	}
	wantNote(t, d, "1 edges to unknown ids dropped")
}

func TestTablesIsolatedLastVertices(t *testing.T) {
	d := openTables(t, tablesOf(t, "id,x\n0,1\n1,2\n2,3\n3,4\n4,5\n", "a,b\n0,1\n1,2\n"))
	if d.Graph.N != 5 || d.X.Rows != 5 || len(d.Graph.Ptr) != 6 {
		t.Errorf("n = %d, %d feature rows, want 5", d.Graph.N, d.X.Rows)
	}
	if in := d.Graph.Ptr[5] - d.Graph.Ptr[3]; in != 0 {
		t.Errorf("vertices 3 and 4 have %d arcs", in)
	}
}

func TestTablesDirection(t *testing.T) {
	const edges = "a,b,w\n0,1,5\n1,2,7\n"
	t.Run("both ways", func(t *testing.T) {
		d := openTables(t, tablesOf(t, "", edges))
		if got, want := arcs(d), [][2]int64{{0, 1}, {1, 0}, {1, 2}, {2, 1}}; !slices.Equal(got, want) {
			t.Errorf("arcs %v, want %v", got, want)
		}
		wantNote(t, d, "both ways")
	})
	t.Run("directed", func(t *testing.T) {
		s := tablesOf(t, "", edges)
		s.Edges.Direction = dataset.Directed
		d := openTables(t, s)
		if got, want := arcs(d), [][2]int64{{0, 1}, {1, 2}}; !slices.Equal(got, want) {
			t.Errorf("arcs %v, want %v", got, want)
		}
		if !d.Prep.Directed {
			t.Error("the preprocessing does not say directed")
		}
	})
	t.Run("listing both ways is the same as one, with edge features", func(t *testing.T) {
		s := tablesOf(t, "", edges+"1,0,5\n2,1,7\n")
		s.Edges.Features = []string{"w"}
		s.Scale = Unscaled
		twice := openTables(t, s)
		s = tablesOf(t, "", edges)
		s.Edges.Features = []string{"w"}
		s.Scale = Unscaled
		once := openTables(t, s)
		if !slices.Equal(arcs(once), arcs(twice)) {
			t.Errorf("arcs %v, then %v", arcs(once), arcs(twice))
		}
		if a, b := arcFeatures(once), arcFeatures(twice); !slices.Equal(a, b) {
			t.Errorf("edge features %v, then %v", a, b)
		}
	})
}

// arcFeatures returns the first feature of each arc, in the graph's order.
func arcFeatures(d *dataset.Dataset) []float32 {
	out := make([]float32, len(d.Graph.Src))
	for i := range out {
		row := int64(i)
		if d.Graph.Listing != nil {
			row = d.Graph.Listing[i]
		}
		out[i] = d.EdgeX.Row(int(row))[0]
	}
	return out
}

func TestTablesUnsortedEdges(t *testing.T) {
	s := tablesOf(t, "id\n0\n1\n2\n", "src,dst,msg\n2,1,10\n1,0,20\n0,1,30\n")
	s.Edges.Direction = dataset.Directed
	s.Edges.Features = []string{"msg"}
	s.Scale = Unscaled
	d := openTables(t, s)
	sums := make([]float32, 3)
	at := arcFeatures(d)
	for v := range d.Graph.N {
		for i := d.Graph.Ptr[v]; i < d.Graph.Ptr[v+1]; i++ {
			sums[v] += at[i]
		}
	}
	if want := []float32{20, 40, 0}; !slices.Equal(sums, want) {
		t.Errorf("sums %v, want %v", sums, want)
	}
}

func TestTablesWeights(t *testing.T) {
	s := tablesOf(t, "", "a,b,w\n0,1,0.5\n1,2,-2\n")
	s.Edges.Weight = "w"
	s.Edges.Direction = dataset.Directed
	d := openTables(t, s)
	if !slices.Equal(d.Graph.Weight, []float32{0.5, -2}) {
		t.Errorf("weights %v", d.Graph.Weight)
	}
	s = tablesOf(t, "", "a,b,w\n0,1,0.5\n1,0,9\n")
	s.Edges.Weight = "w"
	d = openTables(t, s)
	if !slices.Equal(d.Graph.Weight, []float32{0.5, 0.5}) {
		t.Errorf("weights of an edge listed twice: %v", d.Graph.Weight)
	}
	wantNote(t, d, "the first weight stays")
	for _, bad := range []string{"", "x", "1e300", "inf"} {
		s := tablesOf(t, "", "a,b,w\n0,1,0.5\n1,2,"+bad+"\n")
		s.Edges.Weight = "w"
		_, err := Open(context.Background(), s, dataset.Options{})
		datatest.WantError(t, err, "knows.csv:3", "weight")
	}
}

func TestTablesFeatures(t *testing.T) {
	// Numbers are standardised over the rows that have one; the third age is
	// missing and hence 0, the mean.
	s := tablesOf(t, "id,age,city,team,empty\n1,10,rome,a,\n2,30,oslo,b,\n3,NA,,a,\n4,20,rome,,\n", "x,y\n1,2\n")
	s.Vertices.Label = "team"
	d := openTables(t, s)
	const r = 1.2247449 // 10 / √(200/3)
	want := [][]float32{{-r, 0, 1}, {r, 1, 0}, {0, 0, 0}, {0, 0, 1}}
	for i, row := range rowsOf(d.X) {
		if !closeRow(row, want[i]) {
			t.Errorf("row %d: %v, want %v", i, row, want[i])
		}
	}
	if d.Task != dataset.VertexClassification || !slices.Equal(d.Labels.Names, []string{"a", "b"}) || !slices.Equal(d.Labels.Class, []int32{0, 1, 0, -1}) {
		t.Errorf("task %v, labels %+v", d.Task, d.Labels)
	}
	for _, part := range []string{"column empty has no values", "age: 1 missing values, filled with the mean 20", "city: 1 missing values", "1 vertices are unlabelled", "standardised", "2 classes", "60 % train"} {
		wantNote(t, d, part)
	}
}

// closeRow compares to 1e-6: one rounding to float32 of values near 1.
func closeRow(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return x-y < 1e-6 && y-x < 1e-6 })
}

func TestTablesChosenFeatures(t *testing.T) {
	s := tablesOf(t, "id,a,b,c\n1,1,2,3\n2,4,5,6\n", "")
	s.Vertices.Features = []string{"c", "a"}
	s.Scale = Unscaled
	d := openTables(t, s)
	if got := rowsOf(d.X); !slices.Equal(got[0], []float32{3, 1}) || !slices.Equal(got[1], []float32{6, 4}) {
		t.Errorf("features %v, want columns c and a", got)
	}
	if d.Graph.N != 2 || d.Graph.Counts.Arcs != 0 || d.Task != dataset.NoTask {
		t.Errorf("n = %d, %d arcs, task %v", d.Graph.N, d.Graph.Counts.Arcs, d.Task)
	}
	s.Vertices.Features = []string{"a", "d"}
	_, err := Open(context.Background(), s, dataset.Options{})
	datatest.WantError(t, err, "people.csv", `no column "d"`, "id, a, b, c")
	s.Vertices.Features = []string{"a", "a"}
	_, err = Open(context.Background(), s, dataset.Options{})
	datatest.WantError(t, err, `"a" is named twice`)
}

func TestTablesCategoryLimit(t *testing.T) {
	var b strings.Builder
	b.WriteString("id,name,x\n")
	for i := range MaxCategories + 1 {
		b.WriteString(strings.Repeat("n", i+1) + "," + strings.Repeat("v", i+1) + ",1\n")
	}
	s := tablesOf(t, b.String(), "")
	_, err := Open(context.Background(), s, dataset.Options{})
	datatest.WantError(t, err, "people.csv", `column "name"`, "64", "features")
	s.Vertices.Features = []string{"x"}
	openTables(t, s)
}

func TestTablesDegreeFeatures(t *testing.T) {
	s := tablesOf(t, "", "a,b\n1,2\n1,3\n")
	s.Scale = Unscaled
	d := openTables(t, s)
	const log2, log3 = 0.6931472, 1.0986123
	if got := d.X.Flat(); !closeRow(got, []float32{log3, log2, log2}) {
		t.Errorf("features %v, want log(1 + degree)", got)
	}
	if d.Task != dataset.LinkPrediction {
		t.Errorf("task %v, want link prediction", d.Task)
	}
	wantNote(t, d, "degree")

	s.Edges.Direction = dataset.Directed
	d = openTables(t, s)
	if got := d.X.Flat(); !closeRow(got, []float32{0, log3, log2, 0, log2, 0}) {
		t.Errorf("directed: features %v, want logs of in- and out-degree", got)
	}
}

func TestTablesLabels(t *testing.T) {
	cases := []struct {
		name, column string
		task, want   dataset.Task
		classes      []string
	}{
		{"numbers sort as numbers", "10,9,2", dataset.NoTask, dataset.VertexClassification, []string{"2", "9", "10"}},
		{"texts sort as texts", "b,a,10", dataset.NoTask, dataset.VertexClassification, []string{"10", "a", "b"}},
		{"real numbers", "1.5,2,3", dataset.NoTask, dataset.VertexRegression, nil},
		{"whole numbers, asked for regression", "1,2,3", dataset.VertexRegression, dataset.VertexRegression, nil},
		{"real numbers, asked for classes", "1.5,2,1.5", dataset.VertexClassification, dataset.VertexClassification, []string{"1.5", "2"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			text := "id,y\n"
			for i, v := range strings.Split(c.column, ",") {
				text += string(rune('a'+i)) + "," + v + "\n"
			}
			s := tablesOf(t, text, "")
			s.Vertices.Label, s.Task = "y", c.task
			d := openTables(t, s)
			if d.Task != c.want || !slices.Equal(d.Labels.Names, c.classes) {
				t.Errorf("task %v, classes %q, want %v, %q", d.Task, d.Labels.Names, c.want, c.classes)
			}
			if c.want == dataset.VertexRegression && (d.Labels.Value.Rows != 3 || d.Labels.Value.Data[2] != 3) {
				t.Errorf("targets %v", d.Labels.Value)
			}
		})
	}
	s := tablesOf(t, "id,y\n1,3\n2,low\n", "")
	s.Vertices.Label, s.Task = "y", dataset.VertexRegression
	_, err := Open(context.Background(), s, dataset.Options{})
	datatest.WantError(t, err, "people.csv:3", `"low"`)
}

func TestTablesSplits(t *testing.T) {
	vertices := "id,y,part,fold\n1,a,train,0\n2,b,val,1\n3,a,test,2\n4,,train,0\n5,b,Train,1\n6,a,,\n"
	t.Run("words", func(t *testing.T) {
		s := tablesOf(t, vertices, "")
		s.Vertices.Label = "y"
		s.Split = dataset.SplitSpec{Kind: dataset.ColumnSplit, Column: "part"}
		d := openTables(t, s)
		got := d.Splits[0]
		if !slices.Equal(got.Train, []int32{0, 4}) || !slices.Equal(got.Val, []int32{1}) || !slices.Equal(got.Test, []int32{2}) {
			t.Errorf("split %+v: the unlabelled vertex 4 must be in no part", got)
		}
		if len(d.Prep.Vertex) != 1 { // fold: part and y have another use
			t.Errorf("features %+v", d.Prep.Vertex)
		}
	})
	t.Run("folds", func(t *testing.T) {
		s := tablesOf(t, vertices, "")
		s.Vertices.Label = "y"
		s.Split = dataset.SplitSpec{Kind: dataset.ColumnSplit, Column: "fold"}
		d := openTables(t, s)
		if len(d.Splits) != 3 {
			t.Fatalf("%d splits, want one per fold", len(d.Splits))
		}
		got := d.Splits[0]
		if !slices.Equal(got.Test, []int32{0}) || !slices.Equal(got.Val, []int32{1, 4}) || !slices.Equal(got.Train, []int32{2}) {
			t.Errorf("fold 0: %+v", got)
		}
	})
	t.Run("file", func(t *testing.T) {
		s := tablesOf(t, vertices, "")
		s.Vertices.Label = "y"
		dir := datatest.Files(t, map[string]string{"parts.csv": "id,part\n3,train\n1,test\n2,val\n", "bad.csv": "id,part\n9,train\n"})
		s.Split = dataset.SplitSpec{Kind: dataset.FileSplit, File: filepath.Join(dir, "parts.csv")}
		got := openTables(t, s).Splits[0]
		if !slices.Equal(got.Train, []int32{2}) || !slices.Equal(got.Val, []int32{1}) || !slices.Equal(got.Test, []int32{0}) {
			t.Errorf("split %+v", got)
		}
		s.Split.File = filepath.Join(dir, "bad.csv")
		_, err := Open(context.Background(), s, dataset.Options{})
		datatest.WantError(t, err, "bad.csv:2", "id 9")
	})
	t.Run("unknown word", func(t *testing.T) {
		s := tablesOf(t, "id,y,part\n1,a,train\n7,b,tset\n", "")
		s.Vertices.Label = "y"
		s.Split = dataset.SplitSpec{Kind: dataset.ColumnSplit, Column: "part"}
		_, err := Open(context.Background(), s, dataset.Options{})
		datatest.WantError(t, err, `"tset"`, "7")
	})
}

func TestTextTableLayouts(t *testing.T) {
	want := openTables(t, tablesOf(t, "", "from,to,w\n1,2,\"3\"\n2,3,4\n"))
	for name, text := range map[string]string{
		"e.tsv":     "from\tto\tw\n1\t2\t3\n2\t3\t4\n",
		"e.csv":     "from;to;w\r\n1;2;3\r\n2;3;4\r\n",
		"e.csv.gz":  datatest.Gzip(t, []byte("from,to,w\n1,2,3\n2,3,4\n")),
		"bar.csv":   "from|to|w\n1|2|3\n2|3|4",
		"bom.csv":   "\ufefffrom,to,w\n1,2,3\n2,3,4\n",
		"quote.csv": "\"from\",\"to\",\"w, in kg\"\n1,2,3\n2,3,4\n",
	} {
		dir := datatest.Files(t, map[string]string{name: text})
		got := openTables(t, Spec{Edges: Edges{File: filepath.Join(dir, name)}})
		if !slices.Equal(arcs(got), arcs(want)) || got.Prep.Source != "from" || got.Prep.Target != "to" {
			t.Errorf("%s: arcs %v, source %q, target %q", name, arcs(got), got.Prep.Source, got.Prep.Target)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"", "is empty"},
		{"a,b\n1,2\n3\n", ":3: 1 fields"},
		{"a,b\n1,\"2\n", "column"},
		{"a,a\n1,2\n", `both called "a"`},
		{"a\n1\n", "no column 2"},
		{"\xff\xfea\x00", "UTF-16"},
		{"a,b\n1,\xff\n", "not UTF-8"},
		{"a,b\n1,\"" + strings.Repeat("x", 17<<20), "quote left open"},
	} {
		dir := datatest.Files(t, map[string]string{"e.csv": c.text})
		_, err := Open(context.Background(), Spec{Edges: Edges{File: filepath.Join(dir, "e.csv")}}, dataset.Options{})
		datatest.WantError(t, err, "e.csv", c.want)
	}
}

func TestTableSpecFaults(t *testing.T) {
	v, e := Vertices{File: "v.csv"}, Edges{File: "e.csv"}
	labelled := Vertices{File: "v.csv", Label: "y"}
	for want, s := range map[string]Spec{
		"neither a vertex table": {},
		"needs a label":          {Vertices: v, Task: dataset.VertexRegression},
		"tables hold one graph":  {Vertices: labelled, Task: dataset.GraphClassification},
		"the task is link":       {Vertices: labelled, Edges: e, Task: dataset.LinkPrediction},
		"needs an edge table":    {Vertices: v, Task: dataset.LinkPrediction},
		"no vertex table":        {Edges: e, Vertices: Vertices{Label: "y"}},
		"read the answer":        {Vertices: Vertices{File: "v.csv", Label: "y", Features: []string{"y"}}},
		"needs a vertex table":   {Edges: e, Split: dataset.SplitSpec{Kind: dataset.ColumnSplit, Column: "p"}},
		"sum to":                 {Vertices: v, Split: dataset.SplitSpec{Kind: dataset.RandomSplit, Fractions: [3]float64{1, 1, 0}}},
		"read from files":        {Edges: Edges{File: "postgres://host/base"}},
		"no such file":           {Edges: Edges{File: filepath.Join(t.TempDir(), "none.csv")}},
	} {
		_, err := Open(context.Background(), s, dataset.Options{})
		datatest.WantError(t, err, want)
	}
}

func TestTablesCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(ctx, tablesOf(t, "", "a,b\n1,2\n"), dataset.Options{}); err != context.Canceled {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestTablesLimits(t *testing.T) {
	s := tablesOf(t, "", "a,b\n1,2\n3,4\n")
	_, err := Open(context.Background(), s, dataset.Options{Limits: budget.Limits{Vertices: 3}})
	datatest.WantError(t, err, "vertices", "4", "3")
	_, err = Open(context.Background(), s, dataset.Options{Limits: budget.Limits{Floor: 100, Ratio: 1}})
	datatest.WantError(t, err, "limit")
}
