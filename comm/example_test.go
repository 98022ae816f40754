package comm_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/comm/local"
)

// Three ranks add what each of them has; every rank gets the sum, and knows
// what that took.
func Example() {
	var wg sync.WaitGroup
	for _, end := range local.World(3, local.Options{}) {
		wg.Go(func() {
			c := comm.New(end, nil)
			words := []float32{1, 2, float32(c.Rank())}
			if err := c.AllReduce(context.Background(), words, comm.Sum); err != nil {
				fmt.Println(err)
			}
			if c.Rank() == 0 {
				fmt.Println(words, "words sent:", c.Counter().Words)
			}
		})
	}
	wg.Wait()
	// Output: [3 6 3] words sent: 4
}
