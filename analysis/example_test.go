package analysis_test

import (
	"fmt"

	"github.com/weft-gnn/weft/analysis"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/model"
)

// What does a graph attention network cost, and is that what the literature says?
func ExampleAnalyze() {
	gat, err := model.ByName("gat")
	if err != nil {
		fmt.Println(err)
		return
	}
	// A path 0 – 1 – 2 – 3, both ways, with 5 features and 3 classes.
	src, dst := []int32{0, 1, 1, 2, 2, 3}, []int32{1, 0, 2, 1, 3, 2}
	path, err := graph.FromCOO(4, src, dst, nil, graph.Policy{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rep, err := analysis.Analyze(analysis.Request{
		Model:   gat,
		Options: gat.Defaults,
		Data:    analysis.Data{Name: "path", Graph: path, Features: 5, Classes: 3},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rep.Class, rep.Class.Formula())
	fmt.Printf("W = %v = %d\n", rep.Step.Work.Expr, *rep.Step.Work.Value)
	fmt.Printf("D = %v = %d\n", rep.Step.Depth.Expr, *rep.Step.Depth.Value)
	fmt.Println("paper:", rep.Bound.Paper.Work.BigO())
	fmt.Println("weft: ", rep.Bound.Derived.Work.BigO())
	fmt.Println(rep.Verdict.Text)
	// Output:
	// A-GNN φ(h_v, ⊕ a(h_v, h_u)·ψ(h_u))
	// W = 2·m̂·k + 7·m̂·H + 2·m̂·H_out·C + 7·m̂·H_out + 2·n·k·k_in + 2·n·k·H_out·C + 6·n·k + 5·n·H_out·C = 7662
	// D = 19 + 6·⌈log₂ d̂⌉ + ⌈log₂ k⌉ + ⌈log₂ k_in⌉ + ⌈log₂ C⌉ + ⌈log₂(⌈k/H⌉)⌉ = 45
	// paper: O(L·m·d·k² + L·n·k²)
	// weft:  O(L·m̂·k + L·n·k²)
	// the work is less than [PDG]'s and the same as weft's, the depth is the same as [PDG]'s and weft's
}
