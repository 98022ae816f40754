package program

// Hoist moves row-wise maps across edges where vertices are fewer:
// f(Scatter(x)) = Scatter(f(x)), m rows becoming n; and a linear map after the
// edges instead of on them: Aggregate(e·W) = Aggregate(e)·W.
func Hoist(p *Program, f Facts) *Program {
	for {
		q, changed := hoistOnce(p, f)
		if !changed {
			return q
		}
		p = q
	}
}

func hoistOnce(p *Program, f Facts) (*Program, bool) {
	w, uses, changed := rewrite(p), p.uses(), false
	for i, n := range p.Nodes {
		v := Value(i)
		if end, ok := hoistable(p, n, f); ok {
			w.at(v)
			in := w.in(v)
			for j, u := range n.In {
				if p.Nodes[u].Type.Space.IsEdges() {
					in[j] = w.new[p.Nodes[u].In[0]]
				}
			}
			w.new[i] = w.b.Scatter(w.b.Add(n.Op, in...), end, n.Type.Space)
			changed = true
			continue
		}
		if e, wt, ok := linearBelow(p, n, uses, f); ok {
			w.at(v)
			w.new[i] = w.b.MatMul(w.b.Add(n.Op, w.new[e]), w.new[wt])
			changed = true
			continue
		}
		w.copy(v)
	}
	return Dead(w.finish()), changed
}

// hoistable reports whether n is a row-wise function of rows that are all
// scattered from one end, and fewer there.
func hoistable(p *Program, n Node, f Facts) (end Map, ok bool) {
	switch n.Op.(type) {
	case MatMul, Unary, Binary, AddBias, HeadScale, HeadDot, HeadProject, ScaleBy, Concat, Slice, L2Normalize:
	default:
		return 0, false
	}
	if !n.Type.Space.IsEdges() || f.Env["n"] >= f.Env[edgeSymbol(n.Type.Space)] {
		return 0, false
	}
	found := false
	for _, u := range n.In {
		if p.Nodes[u].Type.Space == One {
			continue
		}
		s, isScatter := p.Nodes[u].Op.(Scatter)
		if !isScatter || found && s.Along != end {
			return 0, false
		}
		end, found = s.Along, true
	}
	return end, found
}

func edgeSymbol(s Space) string {
	if s.base() == LoopEdges {
		return "m̂"
	}
	return "m"
}

// linearBelow reports whether n aggregates e·W where e·W has no other use.
func linearBelow(p *Program, n Node, uses [][]Value, f Facts) (e, w Value, ok bool) {
	if _, isSum := n.Op.(Aggregate); !isSum || !p.Nodes[n.In[0]].Type.Space.IsEdges() {
		return None, None, false
	}
	in := p.Nodes[n.In[0]]
	mul, isMul := in.Op.(MatMul)
	if !isMul || mul.Transposed || len(uses[n.In[0]]) != 1 || f.Env["n"] >= f.Env[edgeSymbol(in.Type.Space)] {
		return None, None, false
	}
	return in.In[0], in.In[1], true
}
