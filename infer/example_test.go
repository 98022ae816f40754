package infer_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/infer"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/tensor"
)

// A model that was trained on a user's tables is loaded and applied to two
// new vertices; the result carries their ids and the names of the classes. (The
// weights are the identity here, so that the numbers can be followed: one GCN
// layer averages the two vertices, and softmax makes 1/(1+e^−0.2) of 0.6 − 0.4.)
func Example() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	gcn, _ := model.ByName("gcn")
	o := gcn.Defaults
	o.Layers = 1
	trained := &model.Saved{
		Model: "gcn", Options: o, Features: 2, Out: 2, Task: dataset.VertexClassification, Classes: []string{"blue", "red"},
		Weights: map[string]tensor.Matrix{"layer0.weight": tensor.Of(2, 2, []float32{1, 0, 0, 1}), "layer0.bias": tensor.New(1, 2)},
	}
	if err := trained.Write(filepath.Join(dir, "model.safetensors")); err != nil {
		fmt.Println(err)
		return
	}

	m, err := infer.Load(dir, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := graph.FromCOO(2, []int32{0}, []int32{1}, nil, graph.Policy{Symmetrise: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	d := &dataset.Dataset{Name: "new", Graph: g, X: tensor.Of(2, 2, []float32{0.8, 0, 0.4, 0.8}), IDs: dataset.IDs{Text: []string{"zoe", "yan"}}}
	p, err := m.Predict(d)
	if err != nil {
		fmt.Println(err)
		return
	}
	for v, id := range d.IDs.Text {
		fmt.Printf("%s: %s, with probability %.3f\n", id, p.Classes[p.Class[v]], p.Probability.Row(v)[p.Class[v]])
	}
	// Output:
	// zoe: blue, with probability 0.550
	// yan: blue, with probability 0.550
}
