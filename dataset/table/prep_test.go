package table

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
)

const (
	trainPeople = "id,age,city,team\na,10,rome,red\nb,30,oslo,blue\nc,,rome,red\n"
	trainKnows  = "from,to,w,kind\na,b,1,x\nb,c,2,y\n"
)

// trained reads the training tables with edge features and weights.
func trained(t testing.TB) *dataset.Dataset {
	t.Helper()
	s := tablesOf(t, trainPeople, trainKnows)
	s.Vertices.Label = "team"
	s.Edges.Features = []string{"kind"}
	s.Edges.Weight = "w"
	s.Edges.Direction = dataset.Directed
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
	if again.Task != dataset.VertexClassification || again.Splits != nil {
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
			_, err := Open(context.Background(), s, dataset.Options{})
			datatest.WantError(t, err, c.want...)
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
