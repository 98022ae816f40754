package program_test

import (
	"fmt"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/program"
)

// A layer is declared as it reads in a paper: features weighted on the edges,
// summed at destinations, then multiplied. Compiled for a graph and widths, the
// product comes first where it makes rows narrower, the normalisation leaves the
// edges, and gather and sum are one operation.
func Example() {
	b := program.NewBuilder("layer")
	x := b.Input("x", program.Vertices, program.Sym("k", 64))
	m := b.HeadScale(b.Scatter(x, program.Src, program.LoopEdges), b.EdgeCoef(program.SymNorm, program.LoopEdges))
	b.Output("h", b.ReLU(b.Affine(b.Sum(m, program.Dst), program.Sym("C", 7))))
	p, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p)

	g, err := graph.FromCOO(3, []int32{0, 1, 2}, []int32{1, 2, 0}, nil, graph.Policy{Symmetrise: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	facts := program.Facts{Env: program.ExtentOf(g, p).Env(), Steps: 1}
	p.Widths(facts.Env)
	q, err := program.Compile(p, facts, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(q)
	fmt.Println("work", q.Work(program.Step))
	fmt.Println("depth", q.Depth(program.Step))
	// Output:
	// program layer
	//   x = Input(x) : vertices[k]
	//   v0 = Scatter(src) (x) : edges+loops[k]
	//   v1 = Coef(symnorm) : edges+loops[1]
	//   v2 = HeadScale (v0, v1) : edges+loops[k]
	//   v3 = Aggregate(sum, dst) (v2) : vertices[k]
	//   weight = Param(weight, glorot) : one[k×C]
	//   v4 = MatMul(xW) (v3, weight) : vertices[C]
	//   bias = Param(bias, zeros) : one[1×C]
	//   v5 = AddBias (v4, bias) : vertices[C]
	//   v6 = relu (v5) : vertices[C]
	//   return h = v6
	// program layer
	//   x = Input(x) : vertices[k]
	//   v0 = Coef(invsqrt) : vertices[1]  once
	//   weight = Param(weight, glorot) : one[k×C]
	//   v1 = MatMul(xW) → HeadScale (x, weight, v0) : vertices[C]
	//   bias = Param(bias, zeros) : one[1×C]
	//   v2 = SpMM(dst, edges+loops) → HeadScale → AddBias → relu (v1, v0, bias) : vertices[C]
	//   return h = v2
	// work m̂·C + 2·n·k·C + 4·n·C
	// depth 5 + ⌈log₂ d̂⌉ + ⌈log₂ k⌉
}
