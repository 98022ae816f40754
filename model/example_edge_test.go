package model_test

import (
	"fmt"
	"log"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
)

// edgeConv multiplies by a matrix on every edge (Wang et al. 2019, Eq. 8):
// h'_v = max_{u∈N(v)} ReLU(W (h_v ‖ h_u − h_v) + b).
func edgeConv(b *program.Builder, h program.Value, l model.Layer) program.Value {
	to := b.Scatter(h, program.Dst, program.Edges)
	from := b.Scatter(h, program.Src, program.Edges)
	message := b.ReLU(b.Affine(b.Concat(to, b.Sub(from, to)), l.Out))
	return b.Select(message, program.Max, program.Dst)
}

// A layer whose messages are dense functions of both ends. Over many edges it
// runs in chunks, and stores no value that has a row per edge.
func Example_edgeConv() {
	m := model.Model{
		Name: "edgeconv", Layer: edgeConv, Activation: kernel.Func{Kind: kernel.ReLU},
		Defaults: model.Options{Layers: 1, Hidden: 64, Heads: 1, OutHeads: 1, Depth: 1},
	}
	declared, err := m.Declare(model.EqualWidths(m.Defaults), m.Defaults)
	if err != nil {
		log.Fatal(err)
	}
	sizes := cost.Env{"n": 100_000, "m": 5_000_000, "ℓ": 0, "k": 64, "d": 50, "d_out": 50}
	p, err := program.Compile(declared, program.Facts{Env: sizes}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(p)
	// Output:
	// program edgeconv
	//   x = Input(x) : vertices[k]
	//   layer0.weight = Param(layer0.weight, glorot) : one[2·k×k]  layer 0
	//   layer0.bias = Param(layer0.bias, zeros) : one[1×k]  layer 0
	//   for chunks of 8192 edges:
	//     v0 = Scatter(dst) (x) : edges[k]  layer 0
	//     v1 = Scatter(src) (x) : edges[k]  layer 0
	//     v2 = Sub (v1, v0) : edges[k]  layer 0
	//     v3 = Concat (v0, v2) : edges[2·k]  layer 0
	//     v4 = Affine(relu(xW + b)) (v3, layer0.weight, layer0.bias) : edges[k]  layer 0
	//     v5 = ArgSelect(max, dst) (v4) : vertices[k] index  layer 0
	//     v6 = Pick (v4, v5) : vertices[k]  layer 0
	//   return logits = v6
}
