package analysis

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/program"
)

// Parts are the costs of a hidden layer's parts for one edge or one vertex, all
// widths being k, as declared: before any pass, so that they compare with
// [PDG] Table 5.
type Parts struct {
	// Message is ψ on one edge; what the graph determines is precomputed and
	// costs nothing here, reading a row costs no operation.
	Message Part `json:"message"`
	// Aggregate is ⊕ per edge, its depth that of a vertex's reductions.
	Aggregate Part `json:"aggregate"`
	// Update is φ on one vertex, with the projections that come before ψ.
	Update Part `json:"update"`
	// Paper is ψ as the paper prints it; null where it does not.
	Paper *Part `json:"paper_message"`
}

// Part is the work and depth of a part.
type Part struct {
	Work  cost.Expr `json:"work"`
	Depth cost.Expr `json:"depth"`
}

// parts derives the costs of ψ, ⊕ and φ from the declaration.
func (r Request) parts() (Parts, error) {
	r.Mode, r.Options.Layers = Inference, 2
	declared, err := r.declare(model.EqualWidths(r.Options))
	if err != nil {
		return Parts{}, err
	}
	p, err := lowered(program.Infer(declared))
	if err != nil {
		return Parts{}, err
	}
	spent := spendingOf(p)
	of := func(k Kernel) Part {
		c := sum(p, spent, func(i int) bool { return p.Nodes[i].Layer == 0 && kernelOf(p.Nodes[i]) == k })
		return Part{r.heads(c.Work.Subst(oneOfEach)), r.heads(c.Depth)}
	}
	parts := Parts{Message: of(EdgeKernel), Aggregate: of(AggregateKernel), Update: of(VertexKernel)}
	if b := r.Model.Bounds.Message; b.Stated() {
		parts.Paper = &Part{b.Work, b.Depth}
	}
	return parts, nil
}

// oneOfEach leaves one vertex and one edge.
var oneOfEach = map[string]cost.Expr{
	cost.Vertices: cost.Int(1), cost.Arcs: cost.Int(1), cost.Loops: cost.Int(0), cost.ArcsWithLoops: cost.Int(1),
}

// heads puts in a single head where there is one: the expressions of a program
// of one head do not hold for more.
func (r Request) heads(e cost.Expr) cost.Expr {
	if r.Options.Heads > 1 {
		return e
	}
	return e.Subst(map[string]cost.Expr{cost.Heads: cost.Int(1)})
}

// lowered returns a declared program with every edge softmax in its three rounds.
func lowered(p *program.Program) (*program.Program, error) {
	b := program.NewBuilder(p.Name)
	to := make([]program.Value, len(p.Nodes))
	for i, n := range p.Nodes {
		if b.EndLayers(); n.Layer >= 0 {
			b.Layer(n.Layer)
		}
		in := make([]program.Value, len(n.In))
		for j, v := range n.In {
			in[j] = to[v]
		}
		if op, ok := n.Op.(program.EdgeSoftmax); ok {
			to[i] = op.Lower(b, in)
		} else {
			to[i] = b.Add(n.Op, in...)
		}
	}
	q, err := b.Build()
	if err != nil {
		return nil, fmt.Errorf("analysis: %w", err)
	}
	return q, nil
}
