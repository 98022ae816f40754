package table_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/table"
)

// A user's own tables become a graph, and what was learnt from them turns the
// tables of another day into the same features.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "tables")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			fmt.Println(err)
		}
		return path
	}
	spec := table.Spec{
		Vertices: table.Vertices{
			File:  write("people.csv", "id,age,city,team\nann,30,Rome,red\nbob,50,Oslo,blue\neve,40,Rome,red\n"),
			Label: "team",
		},
		Edges: table.Edges{File: write("knows.csv", "from,to\nann,eve\neve,bob\n")},
		Scale: table.Unscaled,
	}
	train, err := table.Open(context.Background(), spec, dataset.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(train.Task, train.Labels.Names, train.Graph.Counts.Arcs, "arcs")
	for v, id := range train.IDs.Text {
		fmt.Println(id, train.X.Row(v), train.Labels.Names[train.Labels.Class[v]])
	}

	later, err := table.Open(context.Background(), table.Spec{
		Vertices: table.Vertices{File: write("new.csv", "id,city,age\nzoe,Oslo,20\n")},
		Prep:     train.Prep,
	}, dataset.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(later.IDs.Text[0], later.X.Row(0), later.Labels.Class)
	// Output:
	// vertex-classification [blue red] 4 arcs
	// ann [30 0 1] red
	// bob [50 1 0] blue
	// eve [40 0 1] red
	// zoe [20 1 0] [-1]
}
