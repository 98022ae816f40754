package plan_test

import (
	"context"
	"fmt"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/plan"
	"github.com/weft-gnn/weft/program"
)

// A path of six vertices on two ranks: each has three, and of the edges between
// them one goes to the other rank in each direction.
func Example() {
	g, err := graph.FromCOO(6, []int32{0, 1, 2, 3, 4, 1, 2, 3, 4, 5}, []int32{1, 2, 3, 4, 5, 0, 1, 2, 3, 4}, nil, graph.Policy{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := plan.Parse("algorithm=1d,partition=2,partitioner=range")
	if err != nil {
		fmt.Println(err)
		return
	}
	owners, err := p.Owners(context.Background(), g, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	b := program.NewBuilder("sum of neighbours")
	b.Output("y", b.Sum(b.Scatter(b.Input("x", program.Vertices, program.Cols(4)), program.Src, program.Edges), program.Dst))
	declared, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	pieces, err := plan.Pieces(g, owners, declared)
	if err != nil {
		fmt.Println(err)
		return
	}
	for r := range p.Ranks() {
		mine := pieces(r)
		fmt.Printf("rank %d has %v, its edges name %v, it sends %d row\n", r, mine.Share.Own, mine.Share.Sources.IDs, len(mine.Share.Sources.Boundary))
	}
	// Output:
	// rank 0 has [0 1 2], its edges name [0 1 2 3], it sends 1 row
	// rank 1 has [3 4 5], its edges name [3 4 5 2], it sends 1 row
}
