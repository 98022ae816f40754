package layout_test

import (
	"fmt"

	"github.com/weft-gnn/weft/dataset/layout"
)

func Example() {
	for _, f := range layout.Formats() {
		fmt.Printf("%-10s %s\n", f.Name, f.About)
	}
	// Output:
	// planetoid  citation sets, eight files ind.NAME.x … ind.NAME.test.index
	// npz        one graph in a NumPy archive: adj_*, attr_*, labels; or node_features, edges, …
	// tu         TU Dortmund graph sets: a folder or zip with DS_A.txt, DS_graph_indicator.txt, …
	// gin-txt    GIN's and DGCNN's text files of graph sets (NAME/NAME.txt, 10fold_idx/)
	// ogb        OGB raw sets: a folder or zip with raw/edge.csv.gz, raw/num-node-list.csv.gz, …
	// mtx        Matrix Market coordinate and array files (*.mtx)
	// metis      METIS graph files: the neighbours of a vertex on each line (*.graph)
	// snap       SNAP edge lists: two integer ids on a line (*.txt, *.csv, *.edges)
}
