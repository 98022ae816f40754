package numpy_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/weft-gnn/weft/dataset/budget"
	"github.com/weft-gnn/weft/dataset/numpy"
	"github.com/weft-gnn/weft/tensor"
)

// A matrix that numpy.load reads, read again.
func Example() {
	var file bytes.Buffer
	if err := numpy.WriteMatrix(&file, tensor.Of(2, 2, []float32{1, 2, 3, 4})); err != nil {
		log.Fatal(err)
	}
	g := budget.Limits{}.Guard("x.npy", int64(file.Len()))
	a, err := numpy.Parse("x.npy", file.Bytes(), g)
	if err != nil {
		log.Fatal(err)
	}
	m, err := a.Matrix(g)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Shape, m.Row(1))
	_, err = a.Ints(g)
	fmt.Println(err)
	// Output:
	// [2 2] [3 4]
	// dataset: x.npy: elements of type f4, want integers
}
