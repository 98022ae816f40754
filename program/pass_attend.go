package program

import "github.com/weft-gnn/weft/kernel"

// Attend makes an Attention of what is one: a sum over the edges of
// destinations, weighted by an edge softmax of rectified sums of both ends. It
// runs before the gradient, which then is Attention's own: two passes over the
// edges and no value per edge. A value that something else reads too is left as
// it is.
func Attend(p *Program, _ Facts) *Program {
	w := &fuser{rewriter: rewrite(p), uses: p.uses()}
	for i := range p.Nodes {
		v := Value(i)
		w.at(v)
		if y := w.attention(v); y != None {
			w.new[i] = y
			continue
		}
		w.copy(v)
	}
	return Dead(w.finish())
}

// attention returns the Attention that computes node v, or None.
func (w *fuser) attention(v Value) Value {
	sum, ok := w.old.Nodes[v].Op.(Aggregate)
	if !ok || sum.Along != Dst || !sum.Over.IsEdges() {
		return None
	}
	message, ok := below[HeadScale](w, v, 0)
	if !ok {
		return None
	}
	z, ok := w.across(w.old.Nodes[message].In[0], v, sum)
	if !ok {
		return None
	}
	o := Attention{Over: sum.Over, Heads: w.old.Type(w.old.Nodes[message].In[1]).Cols}
	at, operand := message, 1
	if mask, ok := below[Dropout](w, message, 1); ok {
		o.Mask = w.old.Nodes[mask].Op.(Dropout)
		at, operand = mask, 0
	}
	α, ok := below[EdgeSoftmax](w, at, operand)
	if !ok {
		return None
	}
	r, l, ok := w.rectified(α, &o)
	if !ok {
		return None
	}
	return w.b.Add(o, z, r, l)
}

// rectified returns both ends of the scores below a softmax.
func (w *fuser) rectified(α Value, o *Attention) (r, l Value, ok bool) {
	score, ok := below[Unary](w, α, 0)
	if !ok {
		return None, None, false
	}
	f := w.old.Nodes[score].Op.(Unary).Func
	plus, ok := below[Binary](w, score, 0)
	if !ok || f.Kind != kernel.LeakyReLU || !(f.Param > 0 && f.Param <= 1) || w.old.Nodes[plus].Op != (Binary{Plus}) {
		return None, None, false
	}
	o.Slope = f.Param
	r, l, over, ok := w.ends(plus, w.old.Nodes[plus])
	return r, l, ok && over == o.Over
}

// below returns operand i of node v where it is a T that v alone reads.
func below[T Op](w *fuser, v Value, i int) (Value, bool) {
	u := w.old.Nodes[v].In[i]
	_, ok := w.old.Nodes[u].Op.(T)
	return u, ok && w.only(u, v)
}
