package program

import "github.com/weft-gnn/weft/cost"

// Costs returns the cost of every operation, in order.
func (p *Program) Costs() []cost.Cost {
	out := make([]cost.Cost, len(p.Nodes))
	for i, n := range p.Nodes {
		out[i] = n.Op.Cost(p.types(n.In), n.Type)
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

// Total returns the sum of work and bytes over the operations of a stage, and
// the depth of its longest path. Values of the other stage are there already.
func (p *Program) Total(s Stage) cost.Cost {
	var work, bytes, paths []cost.Expr
	depth := make([]cost.Expr, len(p.Nodes))
	costs := p.Costs()
	for i, n := range p.Nodes {
		depth[i] = cost.Int(0)
		if n.Stage != s {
			continue
		}
		in := []cost.Expr{cost.Int(0)}
		for _, v := range n.In {
			in = append(in, depth[v])
		}
		depth[i] = cost.Add(cost.Max(in...), costs[i].Depth)
		work = append(work, costs[i].Work)
		bytes = append(bytes, costs[i].Bytes)
		paths = append(paths, depth[i])
	}
	return cost.Cost{Work: cost.Add(work...), Bytes: cost.Add(bytes...), Depth: cost.Max(append(paths, cost.Int(0))...)}
}
