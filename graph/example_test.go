package graph_test

import (
	"fmt"

	"github.com/weft-gnn/weft/graph"
)

// A list that names an edge twice and a loop becomes an undirected graph, and
// the coefficients of a graph convolution over it.
func Example() {
	b := graph.NewBuilder(4, graph.Policy{Symmetrise: true})
	b.Add(0, 1)
	b.Add(1, 2)
	b.Add(0, 1)
	b.Add(2, 2)
	g, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	c := g.Counts
	fmt.Printf("%d rows, %d listed: %d arcs, %d loops, %d duplicates\n", c.Rows, c.Listed, c.Arcs, c.Loops, c.Duplicates)

	block := g.LoopBlock() // exactly one loop per vertex
	s, err := block.SymNorm()
	if err != nil {
		fmt.Println(err)
		return
	}
	for v := range block.Dst {
		for _, u := range block.Col[block.Ptr[v]:block.Ptr[v+1]] {
			fmt.Printf("  %d→%d: %.3f", u, v, s[v]*s[u])
		}
		fmt.Println()
	}
	// Output:
	// 4 rows, 6 listed: 4 arcs, 1 loops, 1 duplicates
	//   0→0: 0.500  1→0: 0.408
	//   0→1: 0.408  1→1: 0.333  2→1: 0.408
	//   1→2: 0.408  2→2: 0.500
	//   3→3: 1.000
}
