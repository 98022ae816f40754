package cost_test

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
)

// The cost of one layer of a graph convolution, ÂHW + b: a sparse product over
// m̂ arcs, a dense product and a bias.
func Example() {
	n, m, d, k := cost.Sym(cost.Vertices), cost.Sym(cost.ArcsWithLoops), cost.Sym(cost.DegreeWithLoops), cost.Sym(cost.Features)

	work := cost.Add(
		cost.Mul(cost.Int(2), m, k),
		cost.Mul(cost.Int(2), n, k, k),
		cost.Mul(n, k))
	depth := cost.Add(
		cost.Int(1), cost.Log2(d),
		cost.Int(1), cost.Log2(k),
		cost.Int(1))

	fmt.Println("work ", work)
	fmt.Println("      ", work.BigO())
	fmt.Println("depth", depth)
	fmt.Println("      ", depth.BigO())

	// Cora with 16 features.
	env := cost.Env{cost.Vertices: 2708, cost.ArcsWithLoops: 13264, cost.DegreeWithLoops: 169, cost.Features: 16}
	fmt.Println("on Cora:", work.MustEval(env), "operations,", depth.MustEval(env), "deep")

	paper := cost.Add(cost.Mul(cost.Sym(cost.Arcs), k), cost.Mul(n, k, k))
	fmt.Println("against m·k + n·k²:", cost.BoundWithin(work, paper))

	// Output:
	// work  2·m̂·k + 2·n·k² + n·k
	//        O(m̂·k + n·k²)
	// depth 3 + ⌈log₂ d̂⌉ + ⌈log₂ k⌉
	//        O(log d̂ + log k)
	// on Cora: 1854272 operations, 15 deep
	// against m·k + n·k²: same
}

// Depths of branches that run side by side keep a maximum where the longer one
// depends on the graph.
func ExampleMax() {
	d, k := cost.Sym("d"), cost.Sym("k")
	aggregate := cost.Add(cost.Int(1), cost.Log2(d))
	dense := cost.Add(cost.Int(1), cost.Log2(k))

	fmt.Println(cost.Max(aggregate, dense))
	fmt.Println(cost.Max(aggregate, cost.Add(aggregate, dense)))
	// Output:
	// 1 + max(⌈log₂ d⌉, ⌈log₂ k⌉)
	// 2 + ⌈log₂ d⌉ + ⌈log₂ k⌉
}
