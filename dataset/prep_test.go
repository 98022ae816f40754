package dataset

import (
	"context"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"
	"pgregory.net/rapid"
)

const (
	trainPeople = "id,age,city,team\na,10,rome,red\nb,30,oslo,blue\nc,,rome,red\n"
	trainKnows  = "from,to,w,kind\na,b,1,x\nb,c,2,y\n"
)

// trained reads the training tables with edge features and weights.
func trained(t testing.TB) *Dataset {
	t.Helper()
	s := tablesOf(t, trainPeople, trainKnows)
	s.Vertices.Label = "team"
	s.Edges.Features = []string{"kind"}
	s.Edges.Weight = "w"
	s.Edges.Direction = Directed
	return openTables(t, s)
}

func TestPrepAppliedToItsOwnTablesGivesTheSame(t *testing.T) {
	d := trained(t)
	s := tablesOf(t, trainPeople, trainKnows)
	s.Prep = d.Prep
	again := openTables(t, s)
	if !slices.Equal(d.X.Flat(), again.X.Flat()) || !slices.Equal(d.EdgeX.Flat(), again.EdgeX.Flat()) {
		t.Errorf("features differ: %v and %v", rowsOf(d.X), rowsOf(again.X))
	}
	if !slices.Equal(d.Labels.Class, again.Labels.Class) || !slices.Equal(d.Graph.Src, again.Graph.Src) || !slices.Equal(d.Graph.Weight, again.Graph.Weight) {
		t.Error("labels, arcs or weights differ")
	}
	if again.Task != VertexClassification || again.Splits != nil {
		t.Errorf("task %v, splits %v", again.Task, again.Splits)
	}
}

func TestPrepAppliedToNewTables(t *testing.T) {
	d := trained(t)
	s := tablesOf(t, "city,id,extra,age\nparis,7,1,20\n,8,2,\noslo,9,3,40\n", "from,to,w,kind\n7,8,1,z\n9,9,1,y\n")
	s.Prep = d.Prep
	got := openTables(t, s)
	// Mean 20 and deviation 10 of the training ages 10 and 30.
	want := [][]float32{{0, 0, 0}, {0, 0, 0}, {2, 1, 0}}
	for i, row := range rowsOf(got.X) {
		if !closeRow(row, want[i]) {
			t.Errorf("row %d: %v, want %v", i, row, want[i])
		}
	}
	if rows := rowsOf(got.EdgeX); !slices.Equal(rows[0], []float32{0, 0}) || !slices.Equal(rows[1], []float32{0, 1}) {
		t.Errorf("edge features %v", rows)
	}
	if !slices.Equal(got.Labels.Class, []int32{-1, -1, -1}) || !slices.Equal(got.Labels.Names, []string{"blue", "red"}) {
		t.Errorf("labels %+v", got.Labels)
	}
	if !slices.Equal(got.IDs.Int, []int64{7, 8, 9}) {
		t.Errorf("ids %v", got.IDs)
	}
	for _, part := range []string{`"paris"`, `no label column "team"`, `"z"`} {
		wantNote(t, got, part)
	}
}

func TestPrepFaults(t *testing.T) {
	d := trained(t)
	for _, c := range []struct {
		name, vertices, edges string
		want                  []string
	}{
		{"missing column", "id,city\n1,rome\n", "", []string{"people.csv", `no column "age"`}},
		{"missing column, near miss", "id,city,Age\n1,rome,1\n", "", []string{`did you mean "Age"`}},
		{"text for a number", "id,city,age\n1,rome,1\n2,rome,old\n", "", []string{"people.csv:3", `"age"`, `"old"`}},
		{"no vertex table", "", "from,to,w,kind\n1,2,1,x\n", []string{"age, city", "vertex table"}},
		{"missing weight", "id,city,age\n1,rome,1\n", "from,to,kind\n1,1,x\n", []string{"knows.csv", `no column "w"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tablesOf(t, c.vertices, c.edges)
			s.Prep = d.Prep
			_, err := OpenTables(context.Background(), s, Options{})
			wantError(t, err, c.want...)
		})
	}
	t.Run("unseen label", func(t *testing.T) {
		s := tablesOf(t, "id,city,age,team\n1,rome,1,green\n2,rome,1,red\n", "")
		s.Prep = d.Prep
		got := openTables(t, s)
		if !slices.Equal(got.Labels.Class, []int32{-1, 1}) {
			t.Errorf("classes %v", got.Labels.Class)
		}
		wantNote(t, got, `"green"`)
	})
}

func TestPrepOfDegreesAppliedToNewEdges(t *testing.T) {
	d := openTables(t, tablesOf(t, "", "a,b\n1,2\n1,3\n1,4\n"))
	s := tablesOf(t, "", "a,b\n5,6\n")
	s.Prep = d.Prep
	got := openTables(t, s)
	c := d.Prep.Vertex[0]
	want := float32((math.Log(2) - c.Mean) / c.Scale)
	if !closeRow(got.X.Flat(), []float32{want, want}) {
		t.Errorf("features %v, want %v", got.X.Flat(), want)
	}
	// Training vertex 2 has the same degree and hence the same feature.
	if !closeRow(d.X.Row(1), got.X.Row(0)) {
		t.Errorf("degree 1 is %v in training and %v later", d.X.Row(1), got.X.Row(0))
	}
}

// drawPrep draws a valid Prep.
func drawPrep(t *rapid.T) *Prep {
	text := rapid.StringMatching(`[a-z:#\-"' {}0-9é]{1,8}`)
	number := rapid.Float64Range(-1e300, 1e300)
	column := rapid.Custom(func(t *rapid.T) PrepColumn {
		c := PrepColumn{Name: text.Draw(t, "name")}
		if rapid.Bool().Draw(t, "category") {
			c.Kind = Category
			c.Values = rapid.SliceOfNDistinct(text, 1, 5, rapid.ID).Draw(t, "values")
			return c
		}
		c.Fill, c.Mean = number.Draw(t, "fill"), number.Draw(t, "mean")
		c.Scale = rapid.Float64Range(1e-300, 1e300).Draw(t, "scale")
		return c
	})
	byName := func(c PrepColumn) string { return c.Name }
	return &Prep{
		ID: text.Draw(t, "id"), Label: text.Draw(t, "label"),
		Task:     Task(rapid.IntRange(0, len(taskNames)-1).Draw(t, "task")),
		Classes:  rapid.SliceOfNDistinct(text, 1, 4, rapid.ID).Draw(t, "classes"),
		Source:   text.Draw(t, "source"),
		Directed: rapid.Bool().Draw(t, "directed"),
		Vertex:   rapid.SliceOfNDistinct(column, 1, 4, byName).Draw(t, "vertex"),
		Edge:     rapid.SliceOfNDistinct(column, 1, 4, byName).Draw(t, "edge"),
	}
}

func TestPrepSurvivesJSONAndYAML(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPrep(t)
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		for name, codec := range map[string]struct {
			write func(any) ([]byte, error)
			read  func([]byte, any) error
		}{
			"JSON": {json.Marshal, json.Unmarshal},
			"YAML": {
				func(v any) ([]byte, error) { return yaml.Marshal(v) },
				func(b []byte, v any) error { return yaml.UnmarshalWithOptions(b, v, yaml.Strict()) },
			},
		} {
			data, err := codec.write(p)
			if err != nil {
				t.Fatal(name, err)
			}
			var back Prep
			if err := codec.read(data, &back); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, data)
			}
			if !samePrep(p, &back) {
				t.Fatalf("%s: %+v became %+v\n%s", name, *p, back, data)
			}
		}
	})
}

func samePrep(a, b *Prep) bool {
	same := func(a, b PrepColumn) bool {
		return a.Name == b.Name && a.Kind == b.Kind && a.Fill == b.Fill && a.Mean == b.Mean && a.Scale == b.Scale && slices.Equal(a.Values, b.Values)
	}
	return a.ID == b.ID && a.Label == b.Label && a.Task == b.Task && slices.Equal(a.Classes, b.Classes) &&
		a.Source == b.Source && a.Directed == b.Directed &&
		slices.EqualFunc(a.Vertex, b.Vertex, same) && slices.EqualFunc(a.Edge, b.Edge, same)
}

func TestPrepValidate(t *testing.T) {
	ok := PrepColumn{Name: "x", Scale: 1}
	for name, p := range map[string]*Prep{
		"no task":        {Task: 99},
		"listed twice":   {Classes: []string{"a", "a"}},
		"no name":        {Vertex: []PrepColumn{{Scale: 1}}},
		"scale 0":        {Vertex: []PrepColumn{{Name: "x"}}},
		"must be finite": {Edge: []PrepColumn{{Name: "x", Scale: 1, Mean: math.NaN()}}},
		`"x" is listed`:  {Vertex: []PrepColumn{ok, ok}},
		"no column kind": {Vertex: []PrepColumn{{Name: "x", Kind: 9}}},
	} {
		wantError(t, p.Validate(), name)
	}
}

func TestTaskText(t *testing.T) {
	for task := NoTask; task <= LinkPrediction; task++ {
		text, err := task.MarshalText()
		var back Task
		if err == nil {
			err = back.UnmarshalText(text)
		}
		if err != nil || back != task {
			t.Errorf("%v became %v: %v", task, back, err)
		}
	}
	var task Task
	wantError(t, task.UnmarshalText([]byte("clustering")), `"clustering"`, "link-prediction")
	if _, err := Task(42).MarshalText(); err == nil {
		t.Error("task 42 has a text")
	}
}

func TestTableYAML(t *testing.T) {
	dir := files(t, map[string]string{
		"people.csv": trainPeople, "knows.csv": trainKnows,
		"set.yaml": `# a comment
vertices: {file: people.csv, id: id, features: [age, city], label: team}
edges:
  file: knows.csv
  source: from
  target: to
  weight: w
  directed: true
task: vertex-classification
split: {random: [0.34, 0.33, 0.33], seed: 3}
unknown: drop
scale: none
`})
	d, err := Open(context.Background(), filepath.Join(dir, "set.yaml"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Graph.N != 3 || d.Graph.Counts.Arcs != 2 || d.X.Cols != 3 || d.X.Row(1)[0] != 30 {
		t.Errorf("%s: n = %d, %d arcs, %v", d.Name, d.Graph.N, d.Graph.Counts.Arcs, rowsOf(d.X))
	}
	s := d.Splits[0]
	if len(s.Train) != 1 || len(s.Val) != 1 || len(s.Test) != 1 {
		t.Errorf("split %+v", s)
	}
	// A flag beats the description.
	d, err = Open(context.Background(), filepath.Join(dir, "set.yaml"), Options{Direction: Undirected})
	if err != nil || d.Graph.Counts.Arcs != 4 || d.Prep.Directed {
		t.Errorf("undirected: %v", err)
	}
}

func TestTableYAMLFaults(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"vertices: {file: v.csv, featurs: [a]}", []string{":1:25", `unknown key "featurs"`, `did you mean "features"`}},
		{"edges:\n  file: e.csv\n  directed: maybe\n", []string{":3:13", "true or false"}},
		{"vertices:\n- {file: a.csv, type: a}\n- {file: b.csv, type: b}\n", []string{":2:1", "one kind", "file, header"}},
		{"vertices: v.csv", []string{":1:11", "mapping"}},
		{"task: guess\nedges: {file: e.csv}", []string{":1:7", `"guess"`, "link-prediction"}},
		{"unknown: ad\nedges: {file: e.csv}", []string{":1:10", "add, drop, error"}},
		{"edges: {file: e.csv}\nsplit: {random: [1]}", []string{":2:17", "0.6"}},
		{"edges: {file: e.csv}\nsplit: {random: [1, x, 0]}", []string{":2:21", `"x"`}},
		{"edges: {file: e.csv}\nsplit: {random: [1, 1, 0]}", []string{":2:8", "sum to 2"}},
		{"edges: {file: e.csv}\nsplit: {random: [1, 0, 0], column: x}", []string{"one of random"}},
		{"edges: {file: e.csv}\nsplit: {seed: -1}", []string{`seed "-1"`}},
		{"edges: {file: e.csv, delimiter: ab}", []string{`"ab"`}},
		{"edges: {file: [e.csv]}", []string{"a text"}},
		{"edges: {file: e.csv, features: w}", []string{"list of columns"}},
		{"edges: &a {file: e.csv}\nvertices: *a", []string{"mapping"}},
		{"edges: {file: e.csv", []string{"spec.yaml:1:"}},
		{"edges: {file: e.csv}\nedges: {file: f.csv}", []string{"spec.yaml:2:", "edges"}},
		{"", []string{"want one description"}},
		{"a: 1\n---\nb: 2", []string{"want one description"}},
	} {
		_, err := parseTableSpec("spec.yaml", []byte(c.text))
		wantError(t, err, append(c.want, "spec.yaml")...)
	}
	dir := files(t, map[string]string{"a.yaml": "task: link-prediction\n"})
	_, err := ReadTableSpec(filepath.Join(dir, "a.yaml"))
	wantError(t, err, "a.yaml", "neither")
}
