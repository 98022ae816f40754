package partition_test

import (
	"context"
	"fmt"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/partition"
)

// A ring of twelve vertices is divided in three: arcs of consecutive vertices are
// cut at three places, and each part fetches the two rows next to its own.
func Example() {
	b := graph.NewBuilder(12, graph.Policy{Symmetrise: true})
	for v := range int32(12) {
		b.Add(v, (v+1)%12)
	}
	g, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := partition.Divide(context.Background(), g, partition.Options{Parts: 3, Method: partition.Multilevel})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := partition.Measure(g.Block(), a)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("vertices of parts: %d\n", s.Vertices)
	fmt.Printf("%d of %d arcs cut; halo %d, of a part %d; every vertex in %.1f parts\n",
		s.CutArcs, g.Counts.Arcs, s.Halo.Total, s.Halo.Max, s.Replication)
	fmt.Printf("words in a layer of 16 columns: %d\n", 16*s.Words.Total)
	// Output:
	// vertices of parts: [4 4 4]
	// 6 of 24 arcs cut; halo 6, of a part 2; every vertex in 1.5 parts
	// words in a layer of 16 columns: 96
}
