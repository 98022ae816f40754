package perf_test

import (
	"context"
	"fmt"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/machine"
	"github.com/weft-gnn/weft/perf"
)

// A case is measured in this process; perf.Train does so in a process for each
// case, and holds operations against the machine's limits.
func Example() {
	ctx := context.Background()
	d, err := source.Open(ctx, "karate", dataset.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := perf.TrainCase{Model: "gat", Graph: d.Name, Hidden: 16, Heads: 4, Threads: 1, Epochs: 5}
	found, err := c.Measure(ctx, d, machine.Detect(1), func() *int64 { return nil })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c)
	fmt.Println(found.Epoch.Min <= found.Epoch.Median, found.Heads, len(found.Ops) > 20)
	// Output:
	// gat on karate, hidden 16, 1 thread, not folded
	// true 4 true
}
