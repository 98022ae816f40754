package program

import "github.com/weft-gnn/weft/cost"

// Costs returns the cost of every operation, in order.
func (p *Program) Costs() []cost.Cost {
	out := make([]cost.Cost, len(p.Nodes))
	for i, n := range p.Nodes {
		if n.Region > 0 {
			out[i] = p.inChunks(n)
		} else {
			out[i] = n.Op.Cost(p.types(n.In), n.Type)
		}
	}
	return out
}

func (p *Program) types(vs []Value) []Type {
	t := make([]Type, len(vs))
	for i, v := range vs {
		t[i] = p.Nodes[v].Type
	}
	return t
}

// Work returns the scalar operations of one run of a stage.
func (p *Program) Work(s Stage) cost.Expr {
	return p.sum(s, func(c cost.Cost) cost.Expr { return c.Work })
}

// Bytes returns the bytes moved by one run of a stage.
func (p *Program) Bytes(s Stage) cost.Expr {
	return p.sum(s, func(c cost.Cost) cost.Expr { return c.Bytes })
}

func (p *Program) sum(s Stage, of func(cost.Cost) cost.Expr) cost.Expr {
	var terms []cost.Expr
	for i, c := range p.Costs() {
		if p.Nodes[i].Stage == s {
			terms = append(terms, of(c))
		}
	}
	return cost.Add(terms...)
}

// Depth returns the depth of a stage's longest path. Values of the other stage
// are there already.
func (p *Program) Depth(s Stage) cost.Expr {
	paths := []cost.Expr{cost.Int(0)}
	depth := make([]cost.Expr, len(p.Nodes))
	for i, c := range p.Costs() {
		depth[i] = cost.Int(0)
		if p.Nodes[i].Stage != s {
			continue
		}
		in := []cost.Expr{cost.Int(0)}
		for _, v := range p.Nodes[i].In {
			in = append(in, depth[v])
		}
		depth[i] = cost.Add(cost.Max(in...), c.Depth)
		paths = append(paths, depth[i])
	}
	return cost.Max(paths...)
}

// Traffic returns what one run of a stage sends to other ranks.
func (p *Program) Traffic(s Stage) Traffic {
	var t Traffic
	for i, x := range p.Traffics() {
		if p.Nodes[i].Stage == s {
			t = t.Plus(x)
		}
	}
	return t
}

// Traffics returns what every operation sends to other ranks, in order: nothing,
// unless it is a [Collective].
func (p *Program) Traffics() []Traffic {
	out := make([]Traffic, len(p.Nodes))
	for i, n := range p.Nodes {
		if c, ok := n.Op.(Collective); ok {
			out[i] = c.Traffic(p.types(n.In), n.Type)
		}
	}
	return out
}
