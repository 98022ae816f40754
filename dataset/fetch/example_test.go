package fetch_test

import (
	"context"
	"fmt"
	"log"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/fetch"
	"github.com/weft-gnn/weft/dataset/source"
)

// Bring a set into a folder, and open it from there.
func ExampleSet() {
	ctx, dir := context.Background(), "data"
	_, err := fetch.Set(ctx, "cora", fetch.Options{Dir: dir, Progress: func(p fetch.Progress) {
		fmt.Printf("%s: %d of %d bytes\n", p.File, p.Done, p.Total)
	}})
	if err != nil {
		log.Fatal(err)
	}
	d, err := source.Open(ctx, "cora", dataset.Options{CacheDir: dir})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Graph.N)
}

func ExampleNames() {
	fmt.Println(fetch.Names()[:2])
	// Output: [cora citeseer]
}
