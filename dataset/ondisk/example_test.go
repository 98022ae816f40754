package ondisk_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/ondisk"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/tensor"
)

// A set becomes a folder, and no other set in its place unless asked to.
func ExampleWrite() {
	g, err := graph.FromCOO(2, []int32{0}, []int32{1}, nil, graph.Policy{})
	if err != nil {
		log.Fatal(err)
	}
	d := &dataset.Dataset{Name: "pair", Graph: g, X: tensor.Of(2, 1, []float32{1, 2})}
	tmp, err := os.MkdirTemp("", "weft-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	dir := filepath.Join(tmp, "pair")
	if err := ondisk.Write(dir, d, ondisk.Options{}); err != nil {
		log.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range files {
		fmt.Println(f.Name())
	}
	fmt.Println("again:", ondisk.Write(dir, d, ondisk.Options{}) != nil, ondisk.Write(dir, d, ondisk.Options{Overwrite: true}))
	// Output:
	// edges.npy
	// feat.npy
	// metadata.yaml
	// weft.json
	// weft_csr
	// again: true <nil>
}
