package program

// halved computes sums at sources that other ranks need in two parts, the halo's
// first, so that the other one can be computed while these are on their way:
//
//	sources → Collect → halo; Combine(sources, boundary)
//	halo;                     Combine(own, boundary)
func halved(p *Program) *Program {
	w, uses := rewrite(p), p.uses()
	halo := map[Value]Value{}
	for i, n := range p.Nodes {
		v := Value(i)
		w.at(v)
		if p.halves(v, uses[v]) {
			halo[v] = w.b.Add(BySource{Of: n.Op, Half: HaloSources}, w.ofSources(n, 1)...)
			w.new[v] = w.b.Add(BySource{Of: n.Op, Half: OwnSources}, w.ofSources(n, 0)...)
			continue
		}
		if len(n.In) > 0 {
			part, ok := halo[n.In[0]]
			switch o := n.Op.(type) {
			case Collect:
				if ok {
					w.new[v] = part
					continue
				}
			case OwnEnds:
				if ok {
					w.new[v] = w.new[n.In[0]]
					continue
				}
			case Combine:
				if ok {
					o.Own = true
					w.new[v] = w.b.Add(o, w.in(v)...)
					continue
				}
			}
		}
		w.copy(v)
	}
	return w.finish()
}

// halves reports whether node v sums at sources, for nobody but their owners, and
// reads of sources only what was merged.
func (p *Program) halves(v Value, uses []Value) bool {
	n := p.Nodes[v]
	var over Space
	switch o := n.Op.(type) {
	case SpMM:
		over = o.Over
	case AttentionGradSrc:
		over = o.Over
	case Aggregate:
		over = o.Over
	}
	if n.Type.Space != Sources || n.Stage != Step || n.Region > 0 || over.owner() != ByDst {
		return false
	}
	for _, u := range uses {
		if u == None {
			return false
		}
		c, collects := p.Nodes[u].Op.(Collect)
		_, combines := p.Nodes[u].Op.(Combine)
		_, owns := p.Nodes[u].Op.(OwnEnds)
		if !combines && !owns && !(collects && c.To == SourceHalo) {
			return false
		}
	}
	for j, u := range n.In {
		if _, merged := p.Nodes[u].Op.(Merge); atSource(n.Op, j) && !merged {
			return false
		}
	}
	return true
}

// ofSources returns the new operands of a part of an old node: where the whole reads
// what was merged, the part reads one of the two that were.
func (w *rewriter) ofSources(n Node, merged int) []Value {
	in := make([]Value, len(n.In))
	for j, u := range n.In {
		if in[j] = w.new[u]; atSource(n.Op, j) {
			in[j] = w.new[w.old.Nodes[u].In[merged]]
		}
	}
	return in
}
