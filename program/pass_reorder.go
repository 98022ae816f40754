package program

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/weft-gnn/weft/kernel"
)

// Reorder chooses between (L(H))·W and L(H·W) for every product with a
// parameter and every mixing L of rows beside it (sums over edges, scatters,
// row scalings and sums of these, all linear in H). Each candidate is
// differentiated where the program trains, folded, and priced; the cheapest
// stands. It is the choice of the side on which rows are narrower, weighed with
// everything that follows from it.
//
// Products are moved one after another while that pays; then other orders are
// tried, all of them where there are few, since two moves may pay together.
func Reorder(p *Program, f Facts) (*Program, error) {
	if f.Distribution != nil { // ranks have other widths, and choose alike
		first := *f.Distribution
		first.At, f.Distribution = Mesh{}, &first
	}
	o := outcomes{f, map[string]float64{}}
	best, err := o.of(p)
	q := p
	for moved := true; moved && err == nil; {
		q, best, moved, err = o.moveEach(q, best)
	}
	if err != nil {
		return nil, err
	}
	if len(productsOf(p)) > maxOrders { // too many orders to tell apart by trying
		return q, nil
	}
	return o.tryOrders(p, q, best)
}

// moveEach tries both moves of every product once, and keeps those that pay. In
// layers that are alike, what paid in the first is done in all of them, so that
// a deep model is compiled in the time of a few of its layers.
func (o outcomes) moveEach(p *Program, best float64) (_ *Program, _ float64, moved bool, err error) {
	decided := map[string]int{} // number of the move that paid, from 1; 0 for none
	for site := 0; site < len(productsOf(p)); site++ {
		key := p.alike(site)
		if move, known := decided[key]; known {
			if q := nth(reordered(p, site), move); q != nil {
				p = q
			}
			continue
		}
		decided[key] = 0
		move := 0
		for q := range reordered(p, site) {
			move++
			price, err := o.of(q)
			if err != nil {
				return nil, 0, false, err
			}
			if price < best {
				p, best, moved = q, price, true
				decided[key] = move
				break
			}
		}
	}
	if moved {
		best, err = o.of(p)
	}
	return p, best, moved, err
}

// nth returns the n-th program of a sequence, from 1, or nil.
func nth(seq iter.Seq[*Program], n int) *Program {
	for q := range seq {
		if n--; n == 0 {
			return q
		}
	}
	return nil
}

// ends is how many layers at either end of a model are unlike all others: they
// border on the features or the prediction, or on a layer that does.
const ends = 2

// alike returns a text that is equal for products of the same place in layers
// of equal operations and widths.
func (p *Program) alike(site int) string {
	product := productsOf(p)[site]
	layer, place := p.Nodes[product].Layer, 0
	var s strings.Builder
	fmt.Fprint(&s, min(layer, ends), min(p.Layers-1-layer, ends))
	for i, n := range p.Nodes {
		if _, leaf := n.Op.(Leaf); leaf || n.Layer != layer {
			continue
		}
		if Value(i) == product {
			fmt.Fprint(&s, " place ", place)
		}
		fmt.Fprint(&s, "; ", anySite(n.Op), n.Type.Space, n.Type.Cols.N)
		place++
	}
	return s.String()
}

// maxOrders is how many orders of products are tried.
const maxOrders = 16

// tryOrders returns the cheapest of the orders that any moves lead to from p,
// the nearest maxOrders of them, or cheap, whose price is best.
func (o outcomes) tryOrders(p, cheap *Program, best float64) (*Program, error) {
	seen, queue := map[string]bool{p.String(): true}, []*Program{p}
	for i := 0; i < len(queue); i++ {
		for site := range productsOf(queue[i]) {
			for q := range reordered(queue[i], site) {
				if len(queue) == maxOrders {
					return cheap, nil
				}
				text := q.String()
				if seen[text] {
					continue
				}
				seen[text], queue = true, append(queue, q)
				price, err := o.of(q)
				if err != nil {
					return nil, err
				}
				if price < best {
					cheap, best = q, price
				}
			}
		}
	}
	return cheap, nil
}

// reordered yields p with one of its products first and last, where it can move.
func reordered(p *Program, site int) iter.Seq[*Program] {
	return func(yield func(*Program) bool) {
		product := productsOf(p)[site]
		if q, ok := productFirst(p, product); ok && !yield(q) {
			return
		}
		if q, ok := productLast(p, product); ok {
			yield(q)
		}
	}
}

// outcome prices what a program becomes after the passes that follow.
func outcome(p *Program, f Facts) (float64, error) {
	passes := Passes()
	next := 1 + slices.IndexFunc(passes, func(p Pass) bool { return p.Name == "reorder" })
	p, err := compile(passes[next:], p, f, nil)
	if err != nil {
		return 0, err
	}
	return price(p, f), nil
}

// outcomes are those of programs, each of them priced once.
type outcomes struct {
	facts Facts
	known map[string]float64 // by a program's text
}

// of prices a program's outcome.
func (o outcomes) of(p *Program) (float64, error) {
	text := p.String()
	if known, ok := o.known[text]; ok {
		return known, nil
	}
	price, err := outcome(p, o.facts)
	if err == nil {
		o.known[text] = price
	}
	return price, err
}

// productsOf lists the products of rows with a matrix.
func productsOf(p *Program) []Value {
	var out []Value
	for i, n := range p.Nodes {
		if m, ok := n.Op.(MatMul); ok && !m.Transposed {
			out = append(out, Value(i))
		}
	}
	return out
}

// mixes returns the operands that a row-mixing op is linear in, nil for
// other ops. They commute with a product from the right.
func mixes(p *Program, n Node) []Value {
	switch o := n.Op.(type) {
	case Aggregate, Scatter, ScaleBy:
		return n.In[:1]
	case Unary:
		if o.Func.Kind == kernel.Scale {
			return n.In[:1]
		}
	case HeadScale:
		if p.Nodes[n.In[1]].Type.Cols.N == 1 {
			return n.In[:1]
		}
	case Binary:
		if o.Func == Plus || o.Func == Minus {
			return n.In
		}
	}
	return nil
}

// productFirst turns L(h)·W into L(h·W).
func productFirst(p *Program, product Value) (*Program, bool) {
	inner := map[Value]bool{}
	h, ok := mixedFrom(p, p.Nodes[product].In[0], product, inner)
	if !ok || !sumsEdges(p, inner) || !closed(p, inner, product) {
		return nil, false
	}
	w := rewrite(p)
	for i, n := range p.Nodes {
		switch v := Value(i); {
		case v == product:
			w.at(v)
			z := w.b.MatMul(w.new[h], w.new[n.In[1]])
			w.new[i] = w.remix(inner, h, z, n.In[0])
		case !inner[v]:
			w.copy(v)
		}
	}
	return Dead(w.finish()), true
}

// productLast turns L(h·W) into L(h)·W, L being as large as can be.
func productLast(p *Program, product Value) (*Program, bool) {
	inner, root := mixedInto(p, product)
	if root == None || !sumsEdges(p, inner) {
		return nil, false
	}
	n := p.Nodes[product]
	w := rewrite(p)
	for i := range p.Nodes {
		switch v := Value(i); {
		case v == root:
			w.at(v)
			w.new[i] = w.b.MatMul(w.remix(inner, product, w.new[n.In[0]], root), w.new[n.In[1]])
		case v != product && !inner[v]:
			w.copy(v)
		}
	}
	return Dead(w.finish()), true
}

// mixedFrom walks down from v through mixing ops, collects them in inner, and
// returns the one value they all start from.
func mixedFrom(p *Program, v, product Value, inner map[Value]bool) (Value, bool) {
	rows := mixes(p, p.Nodes[v])
	if rows == nil {
		return v, true
	}
	inner[v] = true
	base := None
	for _, r := range rows {
		b, ok := mixedFrom(p, r, product, inner)
		if !ok || base != None && b != base {
			return None, false
		}
		base = b
	}
	return base, true
}

// mixedInto walks up from a product through the mixing ops that read nothing
// else, and returns them with the last one, whose result alone is used beyond.
func mixedInto(p *Program, product Value) (map[Value]bool, Value) {
	order := []Value{product}
	for i := int(product) + 1; i < len(p.Nodes); i++ {
		rows := mixes(p, p.Nodes[i])
		if rows != nil && !slices.ContainsFunc(rows, func(r Value) bool { return !slices.Contains(order, r) }) {
			order = append(order, Value(i))
		}
	}
	for ; len(order) > 1; order = order[:len(order)-1] {
		root := order[len(order)-1]
		inner := map[Value]bool{}
		for _, v := range order[1:] {
			inner[v] = true
		}
		if closed(p, without(inner, root, product), root) {
			return inner, root
		}
	}
	return nil, None
}

// without returns inner less the root, and with the product.
func without(inner map[Value]bool, root, product Value) map[Value]bool {
	m := map[Value]bool{product: true}
	for v := range inner {
		if v != root {
			m[v] = true
		}
	}
	return m
}

// closed reports whether the values of inner are used by each other and by
// reader only.
func closed(p *Program, inner map[Value]bool, reader Value) bool {
	for _, o := range p.Outputs {
		if inner[o.Value] {
			return false
		}
	}
	for i, n := range p.Nodes {
		for _, v := range n.In {
			if inner[v] && !inner[Value(i)] && Value(i) != reader {
				return false
			}
		}
	}
	return true
}

func sumsEdges(p *Program, inner map[Value]bool) bool {
	for v := range inner {
		if a, ok := p.Nodes[v].Op.(Aggregate); ok && a.Along != Member {
			return true
		}
	}
	return false
}

// remix applies the mixing ops of inner to z in place of from, and returns what
// stands for root.
func (w *rewriter) remix(inner map[Value]bool, from, z, root Value) Value {
	mixed := map[Value]Value{from: z}
	for _, v := range slices.Sorted(maps.Keys(inner)) {
		n := w.old.Nodes[v]
		in := w.in(v)
		for j, u := range n.In {
			if m, ok := mixed[u]; ok {
				in[j] = m
			}
		}
		mixed[v] = w.b.Add(n.Op, in...)
	}
	return mixed[root]
}
