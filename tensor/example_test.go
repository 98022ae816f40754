package tensor_test

import (
	"fmt"

	"github.com/weft-gnn/weft/tensor"
)

// Two matrices at planned offsets of one arena, and how far it was used.
func Example() {
	a, err := tensor.NewArena(1 << 20)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	a.Poison()

	x := a.View(0, 2, 3)
	y := a.View(64, 2, 3)
	for i := range x.Rows {
		for j := range x.Cols {
			x.Row(i)[j] = float32(i + j)
			y.Row(i)[j] = 2 * x.Row(i)[j]
		}
	}
	fmt.Println(y.Data, a.HighWater(), "bytes")
	// Output: [0 2 4 2 4 6] 88 bytes
}
