package program

// compareWinners lets ranks compare the winners that each finds, where the edges at
// which a program selects are spread over ranks by their owners: see [Candidates]. What
// is picked of winners is the values of these, unless it is of others.
func compareWinners(p *Program, by Owner) *Program {
	w := rewrite(p)
	winners := map[Value]Value{} // of all ranks, for an index
	for i, n := range p.Nodes {
		v := Value(i)
		switch o := n.Op.(type) {
		case ArgSelect:
			if (Split{Edges: by}).ownsAlong(o.Along) || !o.Over.IsEdges() {
				break
			}
			w.at(v)
			in := w.in(v)
			arg := w.b.Add(o, in...)
			winners[v] = w.b.Add(Candidates{Of: o.Of, Along: o.Along, Over: o.Over}, in[0], arg)
			places := w.b.Add(Slice{n.Type.Cols, n.Type.Cols}, winners[v])
			w.new[v] = w.b.Add(Won{Along: o.Along, Over: o.Over}, arg, places)
			continue
		case Pick:
			if of, ok := winners[n.In[1]]; ok && p.Nodes[n.In[1]].In[0] == n.In[0] {
				w.at(v)
				w.new[v] = w.b.Add(Slice{Cols(0), n.Type.Cols}, of)
				continue
			}
		}
		w.copy(v)
	}
	return w.finish()
}

// Compares lists the ends of edges at which a program of a rank compares winners.
func (p *Program) Compares() (ends []EdgeEnd) {
	for _, n := range p.Nodes {
		if o, ok := n.Op.(Candidates); ok {
			ends = append(ends, EdgeEnd{o.Over.base(), o.Along})
		}
	}
	return ends
}
