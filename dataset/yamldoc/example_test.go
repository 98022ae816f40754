package yamldoc_test

import (
	"fmt"

	"github.com/weft-gnn/weft/dataset/yamldoc"
)

// A fault is found before the content is believed, and says where it is.
func Example() {
	var v struct{ Epochs int }
	fmt.Println(yamldoc.Unmarshal("run.yaml", []byte("epochs: 20\n"), &v), v.Epochs)
	fmt.Println(yamldoc.Unmarshal("run.yaml", []byte("epochs: &n 20\nmore: *n\n"), &v))
	// Output:
	// <nil> 20
	// dataset: run.yaml:1: anchors and aliases are not read
}
