package kernel_test

import (
	"fmt"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/tensor"
)

// One layer of sum aggregation over the path 0→1→2, Y = relu(A·X·W + b), and
// what it cost.
func Example() {
	path := &graph.Block{Dst: 3, Src: 3, Ptr: []int64{0, 0, 1, 2}, Col: []int32{0, 1}}
	x := tensor.Of(3, 2, []float32{1, 2, 3, 4, 5, 6})
	w := tensor.Of(2, 1, []float32{1, -1})
	bias := tensor.Of(1, 1, []float32{2})

	pool := kernel.NewPool(2)
	defer pool.Close()
	ctx := &kernel.Ctx{Pool: pool}

	neighbours, y := tensor.New(3, 2), tensor.New(3, 1)
	kernel.SpMM(ctx, path, kernel.Dst, tensor.Matrix{}, x, neighbours)
	kernel.Dense(ctx, neighbours, w, bias, kernel.Func{Kind: kernel.ReLU}, y)

	fmt.Println(neighbours.Data)
	fmt.Println(y.Data)
	work, bytes := ctx.Count.Read()
	fmt.Println(work, "operations,", bytes, "bytes")
	// Output:
	// [0 0 1 2 3 4]
	// [2 1 1]
	// 22 operations, 128 bytes
}
