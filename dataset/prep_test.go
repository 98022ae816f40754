package dataset

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"
	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/dataset/internal/datatest"
)

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
		Task:     Task(rapid.IntRange(0, int(LinkPrediction)).Draw(t, "task")),
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
		datatest.WantError(t, p.Validate(), name)
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
	datatest.WantError(t, task.UnmarshalText([]byte("clustering")), `"clustering"`, "link-prediction")
	if _, err := Task(42).MarshalText(); err == nil {
		t.Error("task 42 has a text")
	}
}
