package program

import "errors"

// Return says what ranks send in backward for a sum over edges. The gradient of x, whose
// rows edges read at their sources, is the transposed sum of the gradient g of what was
// summed, ∂x_u = Σ_{u→v} w_uv g_v; edges, and g, lie with their destinations.
type Return int

// What is sent.
const (
	// ReturnSums are what a rank's edges sum at vertices of other ranks, who add up what
	// they receive: edges stay with who has them, and the lists of forward are gone
	// through in reverse.
	ReturnSums Return = iota
	// ReturnRows are the rows of g at vertices that other ranks' edges leave from. It
	// takes A = Aᵀ, see [Facts.Symmetric]: the transposed sum is then one at
	// destinations, ∂x_v = Σ_{u→v} w_uv g_u, over the edges, the lists and the halo of
	// forward. Each row has the bits that it has on one rank, nobody indexes edges by
	// source, and what works row by row on ∂x joins the sum, which is whole. The words
	// of all ranks are as many as those of sums that are sent as they are.
	ReturnRows
	// ReturnFewer are sums that stay in parts through what is linear in them, where these
	// are sent in fewer words, see [Distribution]; of all others rows, and sums where A
	// is not Aᵀ.
	ReturnFewer
)

// Mirrors reports whether [Facts.Symmetric] matters.
func (d *Distribution) Mirrors() bool { return d.Backward != ReturnSums }

// errOneWay is why rows cannot be sent.
var errOneWay = errors.New("rows of gradients go back along the reverse of edges, and the graph has edges without one of the same weight: sums can go back along the edges themselves")

// mirrored returns the program in which ranks send back what they are asked to.
func mirrored(p *Program, f Facts) (*Program, error) {
	d := f.Distribution
	switch {
	case d.Backward == ReturnSums || d.Backward == ReturnFewer && !f.Symmetric, d.Edges == BySrc: // whose rows go back anyway
		return p, nil
	case !f.Symmetric:
		return nil, errOneWay
	}
	h := planHalos(p, d)
	w := rewrite(p)
	for i := range p.Nodes {
		v := Value(i)
		m, ok := p.transposed(v)
		if !ok || d.Backward == ReturnFewer && h.shrinks(v, Edges.Held(d.Edges).End(Src)) {
			w.copy(v)
			continue
		}
		w.at(v)
		msg := w.b.Scatter(w.new[m.of], Src, m.over)
		if m.weight != None {
			msg = w.b.HeadScale(msg, w.new[m.weight])
		}
		w.new[i] = w.b.Sum(msg, Dst)
	}
	return Dead(w.finish()), nil
}

// transposed is a sum at sources of rows at destinations.
type transposed struct {
	of     Value
	over   Space
	weight Value // a coefficient of edges, or None
}

// transposed reports whether v is such a sum of backward, over edges that have no values
// but what the graph gives to an edge and to its reverse alike.
func (p *Program) transposed(v Value) (t transposed, ok bool) {
	sum, ok := p.Nodes[v].Op.(Aggregate)
	if !ok || sum.Along != Src || !p.Nodes[v].Backward {
		return t, false
	}
	t.over, t.weight = sum.Over, None
	msg := p.Nodes[p.Nodes[v].In[0]]
	if _, scaled := msg.Op.(HeadScale); scaled && isCoef(p.Nodes[msg.In[1]].Op) {
		t.weight, msg = msg.In[1], p.Nodes[msg.In[0]]
	}
	read, ok := msg.Op.(Scatter)
	if ok = ok && read.Along == Dst; ok {
		t.of = msg.In[0]
	}
	return t, ok
}
