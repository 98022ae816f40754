package program

import "github.com/weft-gnn/weft/kernel"

// Fuse replaces compositions by operations that do the same in one pass over
// their operands: scatter, multiply and aggregate become an SpMM, the dot of
// both ends an SDDMM, their sum an EdgeAdd, and what follows a product its
// epilogue. A value that something else reads too is not fused away, unless it
// only moves data. Fusing never joins operations of different stages.
func Fuse(p *Program, f Facts) *Program {
	w := &fuser{rewriter: rewrite(p), uses: p.uses()}
	for i := range p.Nodes {
		v := Value(i)
		w.at(v)
		if y := w.fuse(v); y != None {
			w.new[i] = y
			continue
		}
		w.copy(v)
	}
	return Dead(w.finish())
}

type fuser struct {
	*rewriter
	uses [][]Value
	// firsts are sums that are now the first columns of rows, by the slice of these.
	firsts map[Value]Value
}

func (w *fuser) fuse(v Value) Value {
	n := w.old.Nodes[v]
	switch o := n.Op.(type) {
	case Aggregate:
		return w.spmm(v, n, o)
	case HeadDot:
		if x, y, s, ok := w.ends(v, n); ok {
			return w.b.Add(EdgeDot{s, o.Heads}, x, y)
		}
	case Binary:
		if o.Func != Plus {
			return None
		}
		if x, y, s, ok := w.ends(v, n); ok {
			return w.b.Add(EdgeAdd{s}, x, y)
		}
	case AddBias:
		return w.bias(v, n)
	case Unary:
		return w.activation(v, n, o)
	}
	return None
}

// only reports whether v is read once, by a node of its own stage.
func (w *fuser) only(v, reader Value) bool {
	return len(w.uses[v]) == 1 && w.sameStage(v, reader)
}

func (w *fuser) sameStage(a, b Value) bool {
	return w.old.Nodes[a].Stage == w.old.Nodes[b].Stage
}

// spmm fuses Aggregate(Scatter(x)) and Aggregate(HeadScale(Scatter(x), w)).
func (w *fuser) spmm(v Value, n Node, sum Aggregate) Value {
	msg := n.In[0]
	if _, ok := w.old.Nodes[msg].Op.(HeadScale); ok && w.only(msg, v) {
		scale := w.old.Nodes[msg]
		if x, ok := w.across(scale.In[0], v, sum); ok {
			return w.b.Add(SpMM{sum.Along, sum.Over, true}, x, w.new[scale.In[1]])
		}
		return None
	}
	if x, ok := w.across(msg, v, sum); ok {
		return w.b.Add(SpMM{sum.Along, sum.Over, false}, x)
	}
	return None
}

// across returns x where v is Scatter(x) from the end opposite to the sum's.
func (w *fuser) across(v, reader Value, sum Aggregate) (Value, bool) {
	s, ok := w.old.Nodes[v].Op.(Scatter)
	if !ok || sum.Along == Member || s.Along != Dst+Src-sum.Along || !w.sameStage(v, reader) {
		return None, false
	}
	return w.new[w.old.Nodes[v].In[0]], true
}

// ends returns x and y where a symmetric op reads Scatter(x, src) and
// Scatter(y, dst), in either order.
func (w *fuser) ends(v Value, n Node) (x, y Value, s Space, ok bool) {
	a, b := w.old.Nodes[n.In[0]], w.old.Nodes[n.In[1]]
	sa, ok1 := a.Op.(Scatter)
	sb, ok2 := b.Op.(Scatter)
	if !ok1 || !ok2 || !w.sameStage(n.In[0], v) || !w.sameStage(n.In[1], v) {
		return None, None, 0, false
	}
	switch {
	case sa.Along == Src && sb.Along == Dst:
		return w.new[a.In[0]], w.new[b.In[0]], sa.To, true
	case sa.Along == Dst && sb.Along == Src:
		return w.new[b.In[0]], w.new[a.In[0]], sa.To, true
	}
	return None, None, 0, false
}

// bias fuses AddBias(MatMul(x, W), b).
func (w *fuser) bias(v Value, n Node) Value {
	m, ok := w.old.Nodes[n.In[0]].Op.(MatMul)
	if !ok || m.Transposed || !w.only(n.In[0], v) {
		return None
	}
	in := w.in(n.In[0])
	return w.b.Add(Affine{Bias: true}, in[0], in[1], w.new[n.In[1]])
}

// activation fuses f(X·W + b), where f's derivative needs the output only.
func (w *fuser) activation(v Value, n Node, f Unary) Value {
	if !w.only(n.In[0], v) || f.Func.GradFrom() == kernel.Input {
		return None
	}
	below := w.b.p.Nodes[w.new[n.In[0]]]
	switch o := below.Op.(type) {
	case Affine:
		if o.Func != (kernel.Func{}) {
			return None
		}
		o.Func = f.Func
		return w.b.Add(o, below.In...)
	case MatMul:
		if o.Transposed {
			return None
		}
		return w.b.Add(Affine{Func: f.Func}, below.In...)
	}
	return None
}
