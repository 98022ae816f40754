package dataset

import (
	"testing"

	"github.com/goccy/go-yaml"
	"pgregory.net/rapid"
)

// drawSpec draws a description of tables that Validate may refuse: only the
// text is tested.
func drawSpec(t *rapid.T) *TableSpec {
	s := &TableSpec{
		Task:    rapid.SampledFrom([]Task{NoTask, VertexClassification, VertexRegression, LinkPrediction}).Draw(t, "task"),
		Unknown: Unknown(rapid.IntRange(0, 2).Draw(t, "unknown")), Scale: Scaling(rapid.IntRange(0, 1).Draw(t, "scale")),
	}
	name := func(label string) string {
		if rapid.Bool().Draw(t, "has "+label) {
			return drawName(t, label)
		}
		return ""
	}
	names := func(label string) (list []string) {
		for range rapid.IntRange(0, 3).Draw(t, "number of "+label) {
			list = append(list, drawName(t, label))
		}
		return list
	}
	delimiter := rapid.SampledFrom([]rune{0, ',', ';', '\t', '|', '·'})
	header := rapid.SampledFrom([]Header{DetectHeader, WithHeader, WithoutHeader})
	if s.Split = drawSplit(t); s.Split.Kind == PerClassSplit || s.Split.Kind == OwnSplit {
		s.Split = SplitSpec{}
	}
	if rapid.Bool().Draw(t, "vertices") {
		s.Vertices = VertexTable{
			File: drawName(t, "file"), ID: name("id"), Features: names("feature"), Label: name("label"),
			Delimiter: delimiter.Draw(t, "delimiter"), Header: header.Draw(t, "header"),
		}
	}
	if s.Vertices.File == "" || rapid.Bool().Draw(t, "edges") {
		s.Edges = EdgeTable{
			File: drawName(t, "file"), Source: name("source"), Target: name("target"), Weight: name("weight"), Features: names("feature"),
			Direction: Direction(rapid.IntRange(0, 2).Draw(t, "direction of edges")),
			Delimiter: delimiter.Draw(t, "delimiter"), Header: header.Draw(t, "header"),
		}
	}
	return s
}

// TestNoFeaturesStayNone: an empty list of features is not all of them.
func TestNoFeaturesStayNone(t *testing.T) {
	want := Source{Tables: &TableSpec{Vertices: VertexTable{File: "v.csv", Features: []string{}}}}
	text, err := yaml.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Source
	if err := yaml.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if f := got.Tables.Vertices.Features; f == nil || len(f) != 0 {
		t.Errorf("features %v (nil: %v), want an empty list\n%s", f, f == nil, text)
	}
}
