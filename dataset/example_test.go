package dataset_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/ondisk"
	"github.com/weft-gnn/weft/dataset/source"
)

// Open the embedded set with a split of one's own, look at it, save it where
// Python can read it, and open what was saved.
func Example() {
	ctx := context.Background()
	d, err := source.Open(ctx, "karate", dataset.Options{
		Split: dataset.SplitSpec{Kind: dataset.RandomSplit, Fractions: [3]float64{0.5, 0.25, 0.25}, Seed: 1},
	})
	if err != nil {
		log.Fatal(err)
	}
	f := dataset.Info(d)
	fmt.Printf("%s: %d vertices, %d arcs, %d classes\n", f.Name, f.Vertices, f.Arcs, f.Classes)
	fmt.Printf("train %d, val %d, test %d\n", f.Splits["train"], f.Splits["val"], f.Splits["test"])

	tmp, err := os.MkdirTemp("", "weft-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	dir := filepath.Join(tmp, "karate")
	if err := ondisk.Write(dir, d, ondisk.Options{}); err != nil {
		log.Fatal(err)
	}
	again, err := source.Open(ctx, dir, dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("saved and read:", again.Graph.Counts.Arcs, "arcs,", again.Labels.Names)

	_, err = source.Open(ctx, "karat", dataset.Options{})
	fmt.Println(err)
	// Output:
	// karate: 34 vertices, 156 arcs, 2 classes
	// train 17, val 9, test 8
	// saved and read: 156 arcs, [Mr. Hi Officer]
	// dataset: no set or file is called "karat"; did you mean karate? (no data folder: set WEFT_DATA, or give a path)
}

// The features of citation sets are bags of words; the papers that use them
// divide each row by its sum, which readers leave to whoever wants it.
func ExampleRowNormalise() {
	d, err := source.Open(context.Background(), "karate", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	copy(d.X.Row(0), []float32{1, 1, 2})
	fmt.Println(dataset.RowNormalise(d.X).Row(0)[:4])
	// Output: [0.25 0.25 0.5 0]
}
