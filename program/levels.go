package program

// Level returns, for each value, how many hops of neighbours it depends on: the
// number of Scatter → Aggregate rounds it lies behind. A sampler draws that many
// blocks and a partition exchanges that many halos. A value over edges has the
// level of the vertices that it reads.
func (p *Program) Level() []int {
	reach, level := make([]reach, len(p.Nodes)), make([]int, len(p.Nodes))
	for i := range p.Nodes {
		reach[i] = p.reach(Value(i), reach)
		level[i] = reach[i].own
	}
	return level
}

// reach is how many hops a value depends on: counted from where it lies, and for
// edges also from either end. A source is one hop from the destination.
type reach struct{ own, dst, src int }

// reach returns the reach of a value from those of its operands.
func (p *Program) reach(v Value, of []reach) reach {
	n := p.Nodes[v]
	var r reach
	for _, u := range n.In {
		r = r.or(of[u])
	}
	switch o := BaseOf(n.Op).(type) {
	case Scatter:
		r = r.scatter(o.Along)
	case Aggregate:
		r.own = r.from(o.Along)
	case ArgSelect:
		r.own = r.from(o.Along)
	case Extreme:
		r.own = r.from(o.Along)
	case Pick:
		r.own = of[n.In[1]].own
	case Route:
		r = r.scatter(o.Along)
	case EdgeDot, EdgeAdd:
		r = of[n.In[0]].scatter(Src).or(of[n.In[1]].scatter(Dst))
	case SpMM:
		r = of[n.In[0]].scatter(o.other())
		if o.Weighted {
			r = r.or(of[n.In[1]])
		}
		r.own = r.from(o.Along)
		for _, u := range n.In[o.arity():] { // steps of a tail
			r = r.or(of[u])
		}
	case Walker:
		_, along, reads := o.Walk()
		r = reach{}
		for i, end := range reads {
			r = r.or(of[n.In[i]].scatter(end))
		}
		r.own = r.from(along)
		for _, u := range n.In[len(reads):] { // steps of a tail
			r = r.or(of[u])
		}
	case EdgeSoftmax, EdgeSoftmaxGrad:
		r = r.or(reach{own: r.dst}.scatter(Dst))
	}
	if !n.Type.Space.IsEdges() {
		r.dst, r.src = r.own, r.own
	}
	return r
}

func (r reach) or(q reach) reach {
	return reach{max(r.own, q.own), max(r.dst, q.dst), max(r.src, q.src)}
}

// from returns the reach of a sum along m.
func (r reach) from(m Map) int {
	switch m {
	case Dst:
		return r.dst
	case Src:
		return r.src
	}
	return r.own
}

// scatter returns the reach of edges that read a value of reach r along m.
func (r reach) scatter(m Map) reach {
	switch m {
	case Dst:
		return reach{r.own, r.own, r.own + 1}
	case Src:
		return reach{r.own, r.own + 1, r.own}
	}
	return r
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
	switch BaseOf(op).(type) {
	case Aggregate, ArgSelect, Extreme, SpMM, EdgeSoftmaxGrad, AttentionGradSrc:
		return 1
	case EdgeSoftmax:
		return 2
	case Attention:
		return 3
	case AttentionGradDst:
		return 4
	}
	return 0
}
