package program

// Level returns, for each value, the number of Scatter(src) → Aggregate rounds
// it lies behind: how many hops of neighbours it depends on. A sampler draws
// that many blocks and a partition exchanges that many halos.
func (p *Program) Level() []int {
	level := make([]int, len(p.Nodes))
	remote := make([]bool, len(p.Nodes)) // an edge value that read a source
	for i, n := range p.Nodes {
		for _, v := range n.In {
			level[i] = max(level[i], level[v])
			remote[i] = remote[i] || remote[v]
		}
		reads, sums := endsOf(n.Op)
		if reads {
			remote[i] = true
		}
		if sums && remote[i] {
			level[i]++
			remote[i] = false
		}
	}
	return level
}

// endsOf reports whether an op reads sources into edges, and whether it
// reduces edges at destinations.
func endsOf(op Op) (reads, sums bool) {
	switch o := op.(type) {
	case Scatter:
		return o.Along == Src, false
	case EdgeDot, EdgeAdd:
		return true, false
	case Aggregate:
		return false, o.Along == Dst
	case ArgSelect:
		return false, o.Along == Dst
	case SpMM:
		return true, true
	}
	return false, false
}

// Round returns, for each value, the stage of its layer's micro-pipeline: the
// number of reductions over edges (⊕) behind it within the layer. An edge
// softmax is three rounds, two of which end before its result.
func (p *Program) Round() []int {
	round := make([]int, len(p.Nodes))
	for i, n := range p.Nodes {
		for _, v := range n.In {
			if p.Nodes[v].Layer == n.Layer {
				round[i] = max(round[i], round[v])
			}
		}
		round[i] += reductions(n.Op)
	}
	return round
}

// reductions is the number of ⊕ over edges that an op contains.
func reductions(op Op) int {
	switch op.(type) {
	case Aggregate, ArgSelect, SpMM, EdgeSoftmaxGrad:
		return 1
	case EdgeSoftmax:
		return 2
	}
	return 0
}
