package parted_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/parted"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// A path of four vertices is divided in two, and each rank opens its own half.
func Example() {
	g, err := graph.FromCOO(4, []int32{0, 1, 2}, []int32{1, 2, 3}, nil, graph.Policy{Symmetrise: true})
	if err != nil {
		log.Fatal(err)
	}
	d := &dataset.Dataset{Name: "path", Graph: g, X: tensor.Of(4, 1, []float32{10, 20, 30, 40}), IDs: dataset.IDs{Text: []string{"a", "b", "c", "d"}}}
	tmp, err := os.MkdirTemp("", "weft-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	dir := filepath.Join(tmp, "halves")
	halves := parted.Division{Assignment: graph.Assignment{Parts: 2, Vertex: []int32{0, 0, 1, 1}}, Method: "range"}
	if err := parted.Write(context.Background(), dir, d, halves, parted.Options{}); err != nil {
		log.Fatal(err)
	}
	for rank := range 2 {
		p, err := parted.Open(dir, rank, parted.ReadOptions{})
		if err != nil {
			log.Fatal(err)
		}
		for v := range p.Own {
			fmt.Printf("rank %d has %s: %v\n", rank, p.ID(v), p.X.Row(v))
		}
		for i, owner := range p.Owner {
			fmt.Printf("rank %d fetches %s from rank %d\n", rank, p.ID(p.Own+i), owner)
		}
	}
	// Output:
	// rank 0 has a: [10]
	// rank 0 has b: [20]
	// rank 0 fetches c from rank 1
	// rank 1 has c: [30]
	// rank 1 has d: [40]
	// rank 1 fetches b from rank 0
}
