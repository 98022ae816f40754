package table

import (
	"reflect"
	"testing"

	"github.com/goccy/go-yaml"
	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
)

// drawSpec draws a description of tables that Validate may refuse: only the
// text is tested.
func drawSpec(t *rapid.T) *Spec {
	s := &Spec{
		Task:    rapid.SampledFrom([]dataset.Task{dataset.NoTask, dataset.VertexClassification, dataset.VertexRegression, dataset.LinkPrediction}).Draw(t, "task"),
		Unknown: Unknown(rapid.IntRange(0, 2).Draw(t, "unknown")), Scale: Scaling(rapid.IntRange(0, 1).Draw(t, "scale")),
	}
	name := func(label string) string {
		if rapid.Bool().Draw(t, "has "+label) {
			return datatest.DrawName(t, label)
		}
		return ""
	}
	names := func(label string) (list []string) {
		for range rapid.IntRange(0, 3).Draw(t, "number of "+label) {
			list = append(list, datatest.DrawName(t, label))
		}
		return list
	}
	delimiter := rapid.SampledFrom([]rune{0, ',', ';', '\t', '|', '·'})
	header := rapid.SampledFrom([]Header{DetectHeader, WithHeader, WithoutHeader})
	s.Split = rapid.SampledFrom([]dataset.SplitSpec{{}, {Kind: dataset.ColumnSplit, Column: datatest.DrawName(t, "column")}, {Kind: dataset.FileSplit, File: datatest.DrawName(t, "file")},
		{Kind: dataset.RandomSplit, Fractions: [3]float64{0.5, 0.25, 0.125}, Seed: 7}}).Draw(t, "split")
	if rapid.Bool().Draw(t, "vertices") {
		s.Vertices = Vertices{
			File: datatest.DrawName(t, "file"), ID: name("id"), Features: names("feature"), Label: name("label"),
			Delimiter: delimiter.Draw(t, "delimiter"), Header: header.Draw(t, "header"),
		}
	}
	if s.Vertices.File == "" || rapid.Bool().Draw(t, "edges") {
		s.Edges = Edges{
			File: datatest.DrawName(t, "file"), Source: name("source"), Target: name("target"), Weight: name("weight"), Features: names("feature"),
			Direction: dataset.Direction(rapid.IntRange(0, 2).Draw(t, "direction of edges")),
			Delimiter: delimiter.Draw(t, "delimiter"), Header: header.Draw(t, "header"),
		}
	}
	return s
}

// TestNoFeaturesStayNone: an empty list of features is not all of them.
func TestNoFeaturesStayNone(t *testing.T) {
	want := &Spec{Vertices: Vertices{File: "v.csv", Features: []string{}}}
	text, err := yaml.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Spec
	if err := yaml.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if f := got.Vertices.Features; f == nil || len(f) != 0 {
		t.Errorf("features %v (nil: %v), want an empty list\n%s", f, f == nil, text)
	}
}

// TestTableSpecRoundTrip: a description that was written as YAML and read again
// is the same.
func TestTableSpecRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawSpec(t)
		text, err := yaml.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got := new(Spec)
		if err := yaml.UnmarshalWithOptions(text, got, yaml.Strict()); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v\nwant %+v\n%s", got, want, text)
		}
	})
}
