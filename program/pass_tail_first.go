package program

import "github.com/weft-gnn/weft/kernel"

// joinFirst joins to the pass over the edges of sources, node v, what is added to the
// first columns of its rows: the gradient of rows takes that of the scores of both
// ends, for each an outer product with the vector of the score. The sums are then
// columns of the rows, and those behind them, which other operations read, stay.
func (w *fuser) joinFirst(v Value, n Node, o AttentionGradSrc) Value {
	first, own := w.columnsOf(v, w.old.Type(n.In[0]).Cols)
	if first == None {
		return None
	}
	t, in, sum := Tailed{Base: o, Arity: len(n.In)}, w.in(v), first
	for t.Len < kernel.MaxTail {
		step, operands, next := w.outer(sum, own, n.Type)
		if step == nil {
			break
		}
		t.Steps[t.Len] = step
		t.Len++
		in, sum = append(in, operands...), next
	}
	if t.Len == 0 {
		return None
	}
	w.firsts[sum] = first
	w.at(v)
	return w.b.Add(t, in...)
}

// columnsOf returns the slice of the first k columns of v and that of all others, which
// may be None. Both are where another reads v, or other columns of it.
func (w *fuser) columnsOf(v Value, k Dim) (first, own Value) {
	first, own = None, None
	for _, u := range w.uses[v] {
		if u == None {
			return None, None // it is a result
		}
		o, ok := w.old.Nodes[u].Op.(Slice)
		switch {
		case !ok || !w.sameStage(u, v):
			return None, None
		case o.From.N == 0 && o.Width.N == k.N && first == None:
			first = u
		case o.From.N == k.N && o.From.N+o.Width.N == w.old.Type(v).Cols.N && own == None:
			own = u
		default:
			return None, None
		}
	}
	return first, own
}

// outer returns the step that adds to rows the outer product that alone is added to
// sum, its operands, and the sum of both; nil where there is none. Of own it is a step
// on the rows' own columns.
func (w *fuser) outer(sum, own Value, rows Type) (step Op, in []Value, next Value) {
	if len(w.uses[sum]) != 1 {
		return nil, nil, None
	}
	if next = w.uses[sum][0]; next == None || !w.sameStage(sum, next) {
		return nil, nil, None
	}
	n := w.old.Nodes[next]
	if o, ok := n.Op.(Binary); !ok || o.Func != Plus {
		return nil, nil, None
	}
	other := n.In[0] + n.In[1] - sum
	outer := w.old.Nodes[other]
	if _, ok := outer.Op.(HeadOuter); !ok || !w.only(other, next) {
		return nil, nil, None
	}
	s, a := outer.In[0], w.new[outer.In[1]]
	if a == None {
		return nil, nil, None
	}
	if s == own {
		return AddOwnOuter{}, []Value{a}, next
	}
	if !w.early(s) || w.b.Type(w.new[s]).Space != rows.Space {
		return nil, nil, None
	}
	return AddOuter{}, []Value{w.new[s], a}, next
}

// early makes v now, if that is not done, where it is columns of what is there.
func (w *fuser) early(v Value) bool {
	n := w.old.Nodes[v]
	if _, ok := n.Op.(Slice); w.new[v] == None && ok && w.new[n.In[0]] != None {
		w.copy(v)
	}
	return w.new[v] != None
}
