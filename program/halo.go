package program

import (
	"cmp"
	"slices"
)

// Side says on which side of products with weights ranks exchange the rows that edges
// read, and the sums over edges that go back to their owners in backward.
type Side int

// The sides.
const (
	AfterProducts  Side = iota // a rank multiplies the rows of its own vertices alone
	BeforeProducts             // products are computed again for the halo's rows
	FewerWords                 // either, whichever sends fewer words in a step
)

// halos plans what a rank computes again for the rows of its halo, and what is
// exchanged: for each value that edges read at vertices of other ranks, where in the
// chain of row-wise operations that make it the exchange stands, and for each gradient
// that edges sum up at such vertices, how far backward it goes as parts of a sum, the
// one at own vertices and the other at the halo's.
//
// A way costs the words that a step sends for each row of the halo: the columns of what
// is exchanged, once where it changes from step to step, and once more where its
// gradient is sent back. What never changes is sent before the first step and costs
// nothing, and so does what is sent for another value anyway. Of the ways that side and
// recompute leave, the one of fewest words is taken:
//
//   - products are passed if side is not AfterProducts, and whenever they can be if it
//     is BeforeProducts; where that makes no difference they are not;
//   - what passes no product is computed again if recompute says so, also where it
//     makes no difference, since what else needs the same rows is then spared.
type halos struct {
	p         *Program
	uses      [][]Value
	side      Side
	recompute bool
	copied    bool   // several ranks have the same vertices
	learns    []bool // what has a gradient at the halo that is sent back
	fetched   front  // what edges read
	returned  front  // gradients that edges sum
}

// front is where exchanges stand, of all values in one direction.
type front struct {
	// past returns what has to be at the halo, or be summed up, for an exchange to
	// stand past a value, and the way so far.
	past func(x expansion) (way, []Value)
	// has says of the values of the halo how they come to be there.
	has map[expansion]halo
}

// halo says whether a value of the halo is made of others there, rather than exchanged,
// and past a product.
type halo struct{ past, product bool }

// way is what is exchanged so that a value, or its gradient, is where it is wanted.
type way struct {
	none bool // there is no such way
	halo
	at []Value
}

// planHalos plans for the values that edges read at ends that are not own vertices.
// Wide ones come first: narrow ones may be computed from them.
func planHalos(p *Program, d *Distribution) *halos {
	h := &halos{p: p, uses: p.uses(), side: d.Exchange, recompute: d.Recompute, copied: d.Mesh.Along(Copies) > 1, learns: make([]bool, len(p.Nodes))}
	h.fetched, h.returned = front{h.operands, map[expansion]halo{}}, front{h.readers, map[expansion]halo{}}
	if slices.ContainsFunc(p.Nodes, p.returns) {
		h.learns = reaches(p, p.Params())
	}
	var read []expansion
	for _, n := range p.Nodes {
		for j, u := range n.In {
			if end, ok := readsAt(n.Op, j); ok && p.Type(u).Space == Vertices {
				read = append(read, expansion{u, Edges.Held(d.Edges).End(end)})
			}
		}
	}
	slices.SortStableFunc(read, func(a, b expansion) int { return cmp.Compare(p.Type(b.value).Cols.N, p.Type(a.value).Cols.N) })
	for _, x := range read {
		if _, ok := endsOf(x.to); ok {
			h.settle(&h.fetched, x, map[Value]way{})
		}
	}
	return h
}

// settle takes the best way of a value, and returns how it comes to be at the halo.
func (h *halos) settle(f *front, x expansion, known map[Value]way) halo {
	if have, ok := f.has[x]; ok {
		return have
	}
	f.has[x] = h.best(f, x, known).halo
	if f.has[x].past {
		_, next := f.past(x)
		for _, v := range next {
			h.settle(f, expansion{v, x.to}, known)
		}
	}
	return f.has[x]
}

// best returns the best way of a value, beside what is settled.
func (h *halos) best(f *front, x expansion, known map[Value]way) way {
	if have, ok := f.has[x]; ok {
		return way{halo: halo{product: have.product}}
	}
	if w, ok := known[x.value]; ok {
		return w
	}
	on, next := f.past(x)
	for _, v := range next {
		if !on.none {
			on = on.and(h.best(f, expansion{v, x.to}, known))
		}
	}
	known[x.value] = h.better(way{at: []Value{x.value}}, on)
	return known[x.value]
}

// and returns the way on which both are brought.
func (w way) and(o way) way {
	w.none, w.product = w.none || o.none, w.product || o.product
	for _, v := range o.at {
		if !slices.Contains(w.at, v) {
			w.at = append(w.at, v)
		}
	}
	return w
}

// better chooses between an exchange of a value and the way past it.
func (h *halos) better(here, on way) way {
	switch {
	case on.none, !on.product && !h.recompute:
		return here
	case on.product && h.side == BeforeProducts, h.words(on) < h.words(here):
		return on
	case !on.product && h.words(on) == h.words(here):
		return on
	}
	return here
}

// words is what a step sends for a row of the halo.
func (h *halos) words(w way) (words int) {
	for _, v := range w.at {
		cols := h.p.Type(v).Cols.N
		if !h.p.steady(v) {
			words += cols
		}
		if h.learns[v] && !h.p.Nodes[v].Backward {
			words += cols
		}
	}
	return words
}

// operands are what a value can be computed from at the halo.
func (h *halos) operands(x expansion) (way, []Value) {
	n := h.p.Nodes[x.value]
	if !h.p.rowwise(n) {
		return way{none: true}, nil
	}
	var rows []Value
	for _, u := range n.In {
		if h.p.Type(u).Space == Vertices {
			rows = append(rows, u)
		}
	}
	return h.through(n), rows
}

// readers are what the parts of a gradient make parts of.
func (h *halos) readers(x expansion) (way, []Value) {
	on, rows := way{halo: halo{past: true}}, []Value(nil)
	for _, u := range h.uses[x.value] {
		if u == None || !h.linear(u, x) {
			return way{none: true}, nil
		}
		if on = on.and(h.through(h.p.Nodes[u])); h.p.Type(u).Space != One {
			rows = append(rows, u)
		}
	}
	return on, rows
}

// shrinks reports whether gradient v, which edges sum at an end, is sent in fewer words
// for going on in parts.
func (h *halos) shrinks(v Value, to Space) bool {
	return h.words(h.best(&h.returned, expansion{v, to}, map[Value]way{})) < h.p.Type(v).Cols.N
}

// through is the way past an operation.
func (h *halos) through(n Node) way {
	product := false
	switch n.Op.(type) {
	case MatMul, MatMulT:
		product = true
	}
	return way{none: product && h.side == AfterProducts, halo: halo{past: true, product: product}}
}

// goesOn reports whether the gradient v, which edges sum at an end, is left in parts by
// what reads it.
func (h *halos) goesOn(v Value, to Space) bool {
	return h.p.Nodes[v].Backward && h.settle(&h.returned, expansion{v, to}, map[Value]way{}).past
}

// linear reports whether node u of backward makes of the parts of gradient x parts of its
// result: it is linear in x, and all else that it reads of vertices is at the halo too.
// A sum may have another operand at own vertices alone, unless they have copies.
func (h *halos) linear(u Value, x expansion) bool {
	n := h.p.Nodes[u]
	if !n.Backward || !h.p.ofRows(n) {
		return false
	}
	if isPlus(n.Op) {
		return !h.copied
	}
	at := -1
	for j, v := range n.In {
		switch {
		case v == x.value && at < 0:
			at = j
		case h.p.Type(v).Space == Vertices && !h.there(expansion{v, x.to}):
			return false
		}
	}
	s := Split{Ranks: 2, In: make([]Placement, len(n.In)), Types: h.p.types(n.In), Out: n.Type}
	s.In[at] = Placement{Partial, Sum}
	got, err := n.Op.Split(s)
	return err == nil && got == s.In[at]
}

// there reports whether a value is at the halo, or can be for no words.
func (h *halos) there(x expansion) bool {
	_, ok := h.fetched.has[x]
	return ok || h.p.steady(x.value)
}

func isPlus(op Op) bool { return op == Op(Binary{Plus}) }

// rowwise reports whether a node of forward makes each row of vertices from the same
// rows of its operands, so that it can be computed for any rows.
func (p *Program) rowwise(n Node) bool {
	if n.Backward || n.Stage != Step || n.Type.Space != Vertices || len(n.In) == 0 || !p.ofRows(n) {
		return false
	}
	s := Split{Ranks: 2, Edges: ByDst, In: make([]Placement, len(n.In)), Types: p.types(n.In), Out: n.Type}
	for j, t := range s.Types {
		if t.Space == Vertices {
			s.In[j] = Placement{Kind: Rows}
		}
	}
	at, err := n.Op.Split(s)
	return err == nil && at.Kind == Rows
}

// returns reports whether a node of backward sums at the sources of edges, so that what
// these read has a gradient at the halo.
func (p *Program) returns(n Node) bool {
	if !n.Backward || n.Type.Space != Vertices {
		return false
	}
	s := Split{Ranks: 2, Edges: ByDst, In: make([]Placement, len(n.In)), Types: p.types(n.In), Out: n.Type}
	for j, t := range s.Types {
		if end, ok := readsAt(n.Op, j); ok && end == Src {
			s.In[j] = Placement{Kind: Halo}
		} else if t.Space != One {
			s.In[j] = Placement{Kind: Rows}
		}
	}
	at, err := n.Op.Split(s)
	return err == nil && at == Placement{Partial, Sum}
}

// ofRows reports whether a node reads rows of vertices and single matrices alone, makes
// one of the two, and depends neither on the rank nor on the targets of vertices.
func (p *Program) ofRows(n Node) bool {
	switch n.Op.(type) {
	case interface{ ofRank() }, OfTargets, Effect:
		return false
	}
	return !slices.ContainsFunc(append(p.types(n.In), n.Type), func(t Type) bool { return t.Space != Vertices && t.Space != One })
}
