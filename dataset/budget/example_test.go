package budget_test

import (
	"fmt"

	"github.com/weft-gnn/weft/dataset/budget"
)

// A reader asks before it believes a count: a file of five bytes gets 100 bytes
// and ten for each of its own.
func Example() {
	g := budget.Limits{Floor: 100, Ratio: 10}.Guard("tiny.npz", 5)
	fmt.Println(g.Need("features", 10, 4), g.Left())
	fmt.Println(g.Need("labels", 1<<40, 8))
	// Output:
	// <nil> 110
	// dataset: tiny.npz: labels: 8796093022208 bytes is over the limit of 110 bytes
}
