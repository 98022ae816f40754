package program

import "fmt"

// Apart divides a program by what its values depend on. once computes the values
// of the stage Pre that the steps read: what the graph and the inputs alone
// determine, coefficients above all. query is the rest. It reads the outputs of
// once by their names, and the parameters by their slots, as inputs; so that
// once runs a single time over the whole graph, and query for any part of it, by
// many at a time.
//
// Contract: once has no outputs where nothing is computed once.
func Apart(p *Program) (once, query *Program) {
	bare := *p
	bare.Outputs = nil
	pre, step := rewrite(&bare), rewrite(p)
	for i, n := range p.Nodes {
		v := Value(i)
		pre.at(v)
		step.at(v)
		switch op := n.Op.(type) {
		case Param:
			step.new[i] = step.b.Add(Input{Name: op.Slot(), Of: n.Type})
		case Input:
			pre.copy(v)
			step.copy(v)
		default:
			if n.Stage == Step {
				step.copy(v)
				continue
			}
			pre.copy(v)
			if p.Kept(v) {
				name := fmt.Sprintf("once.%d", len(pre.b.p.Outputs))
				pre.b.Output(name, pre.new[i])
				step.b.stage = Step
				step.new[i] = step.b.Add(Input{Name: name, Of: n.Type})
			}
		}
	}
	return Dead(pre.finish()), Dead(step.finish())
}
