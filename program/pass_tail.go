package program

import (
	"slices"

	"github.com/weft-gnn/weft/kernel"
)

// Tail joins row-wise operations to the product whose result they alone read,
// so that the result is not written and read again for each: scalings of rows,
// biases, sums, activations and their gradients, dropout. It runs after Fuse and joins
// nothing across stages.
func Tail(p *Program, f Facts) *Program {
	w := &fuser{rewriter: rewrite(p), uses: p.uses(), firsts: map[Value]Value{}}
	for i := range p.Nodes {
		v := Value(i)
		if w.new[v] != None {
			continue // it was needed before
		}
		w.at(v)
		if y := w.tail(v); y != None {
			w.new[i] = y
			continue
		}
		w.copy(v)
	}
	return Dead(w.finish())
}

// tail joins node v to the product below it, or returns None.
func (w *fuser) tail(v Value) Value {
	n := w.old.Nodes[v]
	if first, ok := w.firsts[v]; ok {
		return w.new[first]
	}
	if o, ok := n.Op.(AttentionGradSrc); ok {
		return w.joinFirst(v, n, o)
	}
	if !tailable(w.old, n) {
		return None
	}
	if _, sum := n.Op.(Binary); sum { // commutes
		if y := w.joinSum(v, n, 0); y != None {
			return y
		}
		return w.joinSum(v, n, 1)
	}
	_, at := stepOperands(n.Op)
	return w.join(v, n.Op, n.In[at], others(n.In, at))
}

// joinSum joins a sum to the product at its operand number at. A multiple or an
// outer product that nothing else reads is taken while it is added.
func (w *fuser) joinSum(v Value, n Node, at int) Value {
	other := n.In[1-at]
	if w.only(other, v) {
		var op Op
		switch o := w.old.Nodes[other].Op.(type) {
		case ScaleBy:
			op = AddScaled(o)
		case HeadOuter:
			op = AddOuter{}
		}
		if op != nil {
			if y := w.join(v, op, n.In[at], w.old.Nodes[other].In); y != None {
				return y
			}
		}
	}
	return w.join(v, n.Op, n.In[at], []Value{other})
}

// others returns a copy of s without its element at i.
func others(s []Value, i int) []Value { return slices.Delete(slices.Clone(s), i, i+1) }

// join makes an operation, which computes node v from a running value and others,
// the next step of the product that computes the former.
func (w *fuser) join(v Value, op Op, running Value, others []Value) Value {
	if !w.only(running, v) || slices.Contains(others, running) {
		return None
	}
	t, in, ok := w.product(w.new[running])
	if !ok {
		return None
	}
	if _, drop := op.(Dropout); drop && t.drops() {
		return None
	}
	w.b.layer = w.b.p.Nodes[w.new[running]].Layer // the product's
	t.Steps[t.Len] = op
	t.Len++
	for _, o := range others {
		in = append(in, w.new[o])
	}
	return w.b.Add(t, in...)
}

// product views a new node as a product with a tail that has room.
func (w *fuser) product(v Value) (Tailed, []Value, bool) {
	n := w.b.p.Nodes[v]
	in := append([]Value(nil), n.In...)
	switch o := n.Op.(type) {
	case Tailed:
		return o, in, o.Len < kernel.MaxTail
	case MatMul, Affine, SpMM, SparseMatMul, Attention, Slice:
		return Tailed{Base: o, Arity: len(in)}, in, true
	}
	return Tailed{}, nil, false
}

// tailable reports whether a node is a step that a tail can run: an operation
// on rows, the running value in the place that the step expects.
func tailable(p *Program, n Node) bool {
	switch o := n.Op.(type) {
	case AddBias, Unary, UnaryGrad:
		return true
	case Dropout:
		return o.Over != Entries && !o.Apart
	case HeadScale:
		return p.Nodes[n.In[1]].Type.Cols.N == 1
	case Binary:
		return o.Func == Plus
	}
	return false
}
