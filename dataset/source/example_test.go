package source_test

import (
	"context"
	"fmt"
	"log"

	"github.com/goccy/go-yaml"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
)

// What a run records of its data opens the same data again.
func ExampleSpec() {
	s := source.Spec{Data: "karate", Split: dataset.SplitSpec{Kind: dataset.PerClassSplit, PerClass: 4, Val: 10, Seed: 1}}
	text, err := yaml.Marshal(s)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(text))

	var again source.Spec
	if err := yaml.Unmarshal(text, &again); err != nil {
		log.Fatal(err)
	}
	d, err := again.Open(context.Background(), dataset.Options{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(d.Splits[0].Train), len(d.Splits[0].Val), len(d.Splits[0].Test))
	// Output:
	// data: karate
	// split: per-class:4,10,0:1
	// 8 10 16
}
