package program

import "github.com/weft-gnn/weft/kernel"

// Redraw spares backward the masks of rectified values. Where z drops from
// y = max(x, 0), the gradient of x is 0 where z is: with s = 1/(1 − p),
//
//	relu′(y) · mask · s·g = relu′(z) · s·g
//
// since z > 0 exactly where y > 0 and the mask keeps it. No mask is drawn again,
// and nothing but the dropout reads y, so that both can follow a product.
func Redraw(p *Program, _ Facts) *Program {
	w := &fuser{rewriter: rewrite(p), uses: p.uses()}
	for i := range p.Nodes {
		v := Value(i)
		w.at(v)
		if y := w.redrawn(v); y != None {
			w.new[i] = y
			continue
		}
		w.copy(v)
	}
	return Dead(w.finish())
}

// redrawn returns the gradient that computes node v without a mask, or None.
func (w *fuser) redrawn(v Value) Value {
	slope, ok := w.old.Nodes[v].Op.(UnaryGrad)
	if !ok || slope.Func.Kind != kernel.ReLU {
		return None
	}
	d, ok := below[Dropout](w, v, 1)
	if !ok {
		return None
	}
	drop := w.old.Nodes[d].Op.(Dropout)
	for _, z := range w.uses[w.old.Nodes[v].In[0]] {
		if w.old.Nodes[z].Op == drop && z < v && w.sameStage(z, v) {
			g := w.b.Scale(w.new[w.old.Nodes[d].In[0]], kernel.Mask{P: drop.P}.Scale())
			return w.b.Add(slope, w.new[z], g)
		}
	}
	return None
}
