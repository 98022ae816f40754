package program

// Views leaves the columns of a value where they are, instead of copying them to rows
// of their own: what passes over edges compute side by side is read with gaps. A copy
// stays where others know the place of the result, where it is sent or more grows
// behind it, and where edges gather it, which read fewer lines of rows that lie together.
func Views(p *Program, _ Facts) *Program {
	w, together := rewrite(p), p.sentWhole()
	for _, n := range p.Nodes {
		if _, ok := n.Op.(Placer); ok {
			for _, v := range n.In {
				together[v] = true
			}
		}
		for _, g := range GathersOf(n.Op) {
			together[n.In[g.Operand]] = true
		}
	}
	for i, n := range p.Nodes {
		v := Value(i)
		if o, ok := n.Op.(Slice); ok && !together[v] && p.viewable(v) && p.viewable(n.In[0]) {
			w.at(v)
			w.new[v] = w.b.Add(View(o), w.in(v)...)
			continue
		}
		w.copy(v)
	}
	return w.finish()
}

// viewable reports whether a value may be a view, or be viewed: its place is the
// layout's to choose, whole rows in each step.
func (p *Program) viewable(v Value) bool {
	n := p.Nodes[v]
	return p.padded(v) && n.Stage == Step && n.Region == 0 && !n.Type.BFloat16
}
