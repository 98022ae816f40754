package model_test

import (
	"context"
	"fmt"
	"log"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/train"
)

// difference is a layer of one's own: it sends how a vertex differs from its
// neighbours, h'_v = W₁h_v + W₂ Σ_{u∈N(v)} (h_u − h_v).
func difference(b *program.Builder, h program.Value, l model.Layer) program.Value {
	from := b.Scatter(h, program.Src, program.Edges)
	to := b.Scatter(h, program.Dst, program.Edges)
	sum := b.Sum(b.Sub(from, to), program.Dst)
	own := b.LinearNamed("weight_self", h, l.Out)
	return b.AddBias(b.AddValues(own, b.LinearNamed("weight_neigh", sum, l.Out)), b.Bias("bias", l.Out))
}

// A layer of one's own is one function. Its gradient, its cost and the passes
// come with it.
func Example() {
	m := model.Model{
		Name: "difference", Layer: difference, Activation: kernel.Func{Kind: kernel.ReLU},
		Defaults: model.Options{Layers: 2, Hidden: 16, Heads: 1, OutHeads: 1, Depth: 1},
	}
	p, err := m.Declare(model.EqualWidths(m.Defaults), m.Defaults)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("work:", p.Work(program.Step))

	d, err := source.Open(context.Background(), "karate", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	t, err := train.New(train.Defaults(m), d, train.Settings{Models: []model.Model{m}})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	r, err := t.Train(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("counted as predicted:", r.Counted == r.Predicted)
	fmt.Println("the loss fell:", r.Loss[len(r.Loss)-1] < r.Loss[0])
	// Output:
	// work: 4·m·k + 4·ℓ·k + 8·n·k² + 5·n·k
	// counted as predicted: true
	// the loss fell: true
}
