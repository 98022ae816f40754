package table

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
)

func TestTableYAML(t *testing.T) {
	dir := datatest.Files(t, map[string]string{
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
	d, err := read(context.Background(), filepath.Join(dir, "set.yaml"), dataset.Options{})
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
	d, err = read(context.Background(), filepath.Join(dir, "set.yaml"), dataset.Options{Direction: dataset.Undirected})
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
		{"edges: &a {file: e.csv}\nvertices: *a", []string{":1", "aliases"}},
		{"edges: {file: e.csv", []string{"spec.yaml:1:"}},
		{"edges: {file: e.csv}\nedges: {file: f.csv}", []string{"spec.yaml:2:", "edges"}},
		{"", []string{"want one YAML document"}},
		{"a: 1\n---\nb: 2", []string{"want one YAML document"}},
	} {
		_, err := parseSpec("spec.yaml", []byte(c.text))
		datatest.WantError(t, err, append(c.want, "spec.yaml")...)
	}
	dir := datatest.Files(t, map[string]string{"a.yaml": "task: link-prediction\n"})
	_, err := ReadSpec(filepath.Join(dir, "a.yaml"))
	datatest.WantError(t, err, "a.yaml", "neither")
}
