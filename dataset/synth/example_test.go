package synth_test

import (
	"context"
	"fmt"
	"log"

	"github.com/weft-gnn/weft/dataset/synth"
)

// A hundredth of ogbn-arxiv's vertices and arcs, with its features and classes.
func Example() {
	d, err := synth.Generate(context.Background(), synth.ArxivLike, synth.Options{Scale: 0.01, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Name, d.Graph.N, "vertices,", d.X.Cols, "features,", d.Labels.Classes(), "classes")
	fmt.Println("train", len(d.Splits[0].Train))
	// Output:
	// arxiv@0.01 1693 vertices, 128 features, 40 classes
	// train 909
}
