package program

import (
	"errors"
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/cost"
)

// Distribution says how a graph is spread over ranks: its vertices have an owner
// each, and so have its edges.
type Distribution struct {
	Ranks int
	Edges Owner
}

// Bound adds to env, which has the sizes of the whole graph, the sizes that a rank
// has at most of what it exchanges, for those who do not know its share.
func (d *Distribution) Bound(env cost.Env) {
	others := int64(d.Ranks - 1)
	env["P"], env["p"] = int64(d.Ranks), 0
	for _, end := range []string{"src", "dst"} {
		env["n_"+end], env["h_"+end], env["b_"+end] = env["n"], env["n"], env["n"]*others
		env["μ_"+end], env["ν_"+end] = others, others
	}
}

// Distribute makes the program of one of several ranks: the same for all of
// them, and at the sizes of each. It places every value by its op's split rule and
// inserts what the ranks exchange where a rule asks for it:
//
//   - rows of other vertices that edges read: an expansion to the ends of edges,
//     once for each value and end, and once for all steps where the value never
//     changes;
//   - what edges sum at ends that other ranks own: a combination at the owner;
//   - sums over all rows, such as gradients of weights: they are added over the
//     ranks, in one exchange where only the updates need them.
//
// Coefficients of the graph become inputs, since they depend on all of it.
func Distribute(p *Program, f Facts) (*Program, error) {
	if f.Distribution.Edges != ByDst {
		p = lower(p)
	}
	d := &distributor{rewriter: rewrite(p), Distribution: *f.Distribution, at: make([]Placement, len(p.Nodes)), expanded: map[expansion]Value{}}
	d.findLate()
	for i := range p.Nodes {
		if d.late[i] {
			continue
		}
		if err := d.place(Value(i)); err != nil {
			return nil, err
		}
	}
	if err := d.updates(); err != nil {
		return nil, err
	}
	return Dead(d.finish()), nil
}

// lower replaces composites, which find a destination's edges together, by what they
// are composed of.
func lower(p *Program) *Program {
	for lowered := true; lowered; {
		lowered = false
		w := rewrite(p)
		for i, n := range p.Nodes {
			w.at(Value(i))
			if c, ok := n.Op.(Composite); ok {
				w.new[i] = c.Lower(w.b, w.in(Value(i)))
				lowered = true
				continue
			}
			w.copy(Value(i))
		}
		p = w.finish()
	}
	return Common(p, Facts{})
}

type distributor struct {
	*rewriter
	Distribution
	at       []Placement // of old values
	late     []bool      // nodes that nothing over rows waits for
	expanded map[expansion]Value
}

// expansion is a value at the ends of edges.
type expansion struct {
	value Value
	to    Space
}

// findLate marks the nodes over One that no row depends on and that read no rows:
// losses and updates.
func (d *distributor) findLate() {
	p := d.old
	d.late = make([]bool, len(p.Nodes))
	uses := p.uses()
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		n := p.Nodes[i]
		_, leaf := n.Op.(Leaf)
		d.late[i] = !leaf && n.Stage == Step && n.Type.Space == One
		for _, u := range uses[i] {
			d.late[i] = d.late[i] && (u == None || d.late[u])
		}
		for _, v := range n.In {
			d.late[i] = d.late[i] && p.Type(v).Space == One
		}
	}
}

// place adds node v with its operands where its split rule wants them.
func (d *distributor) place(v Value) error {
	n := d.old.Nodes[v]
	d.rewriter.at(v)
	if at, ok := d.leaf(v, n); ok {
		d.at[v] = at
		return nil
	}
	if n.Type.Space == Graphs {
		return d.refuse(v, errors.New("values of whole graphs lie on no rank: train on batches of graphs"))
	}
	in, at, err := d.operands(v, n)
	if err != nil {
		return err
	}
	d.rewriter.at(v)
	d.new[v], d.at[v] = d.b.Add(heldBy(n.Op, d.Edges), in...), at
	if at.Kind == Partial && n.Type.Space != One {
		d.new[v], d.at[v] = d.combine(d.new[v], at.Of), Placement{Kind: Rows}
	}
	return nil
}

func (d *distributor) refuse(v Value, why error) error {
	return fmt.Errorf("operation %d, %v, cannot be distributed with edges %v: %w", v, d.old.Nodes[v].Op, d.Edges, why)
}

// heldBy is an op over edges as a rank has them.
func heldBy(op Op, by Owner) Op {
	if h, ok := op.(Holder); ok {
		return h.Held(by)
	}
	return op
}

// leaf places what a rank is given.
func (d *distributor) leaf(v Value, n Node) (Placement, bool) {
	op := n.Op
	switch o := op.(type) {
	case GraphCoef:
		op = o.Input(d.Edges)
	case Input:
		o.Of.Space = o.Of.Space.Held(d.Edges)
		op = o
	case Leaf:
	default:
		return Placement{}, false
	}
	d.new[v] = d.b.Add(op)
	if n.Type.Space == One {
		return Placement{Kind: Whole}, true
	}
	return Placement{Kind: Rows}, true
}

// operands returns the operands of a node as its rule wants them, and where its
// result lies.
func (d *distributor) operands(v Value, n Node) ([]Value, Placement, error) {
	s := Split{Ranks: d.Ranks, Edges: d.Edges, In: make([]Placement, len(n.In)), Types: d.old.types(n.In), Out: n.Type}
	in := make([]Value, len(n.In))
	for j, u := range n.In {
		in[j], s.In[j] = d.new[u], d.at[u]
		if end, ok := readEnd(n.Op, j); ok && s.Types[j].Space == Vertices {
			if space := end.edges.Held(d.Edges).End(end.of); space != Vertices {
				in[j], s.In[j] = d.expand(u, space), Placement{Kind: Halo}
			}
		}
	}
	at, err := n.Op.Split(s)
	if err == nil {
		return in, at, nil
	}
	for j, u := range n.In {
		if s.In[j] == (Placement{Partial, Sum}) && s.Types[j].Space == One {
			d.rewriter.at(u)
			d.new[u], d.at[u] = d.b.Add(AllReduce{}, d.new[u]), Placement{Kind: Whole}
			in[j], s.In[j] = d.new[u], d.at[u]
		}
	}
	if at, err = n.Op.Split(s); err != nil {
		return nil, at, d.refuse(v, err)
	}
	return in, at, nil
}

// edgeEnd is one end of the edges of a space.
type edgeEnd struct {
	edges Space
	of    Map
}

// readEnd returns at which end of which edges an op reads an operand.
func readEnd(op Op, operand int) (edgeEnd, bool) {
	switch o := op.(type) {
	case Scatter:
		return edgeEnd{o.To, o.Along}, o.To.IsEdges()
	case SpMM:
		return edgeEnd{o.Over, o.other()}, operand == 0
	case EdgeDot:
		return edgeEnd{o.Over, []Map{Src, Dst}[operand]}, true
	case EdgeAdd:
		return edgeEnd{o.Over, []Map{Src, Dst}[operand]}, true
	case Walker:
		over, _, reads := o.Walk()
		return edgeEnd{over, reads[operand]}, true
	}
	return edgeEnd{}, false
}

// expand returns value v at the ends of a rank's edges. What never changes is
// exchanged once.
func (d *distributor) expand(v Value, to Space) Value {
	if y, ok := d.expanded[expansion{v, to}]; ok {
		return y
	}
	e, _ := endsOf(to)
	d.rewriter.at(v)
	if in, ok := d.old.Nodes[v].Op.(Input); ok && !in.Varies || isCoef(d.old.Nodes[v].Op) {
		d.b.stage = Pre
	}
	halo := d.b.Add(Swap{To: e.halo}, d.b.Add(Collect{To: e.boundary}, d.new[v]))
	y := d.b.Add(Merge{To: to}, d.new[v], halo)
	d.expanded[expansion{v, to}] = y
	return y
}

func isCoef(op Op) bool { _, ok := op.(GraphCoef); return ok }

// combine returns the sum, at their owners, of what edges summed at their ends.
func (d *distributor) combine(v Value, of Reduction) Value {
	e, _ := endsOf(d.b.Type(v).Space)
	boundary := d.b.Add(Swap{To: e.boundary}, d.b.Add(Collect{To: e.halo}, v))
	return d.b.Add(Combine{Of: of, From: e.all}, v, boundary)
}

// updates adds the late nodes: those that partial sums suffice for, then one
// exchange of the sums that the others need, then these.
func (d *distributor) updates() error {
	waits := make([]bool, len(d.old.Nodes))
	var all []Value // partial sums to be added over the ranks
	add := func(v Value) {
		if !waits[v] && d.at[v].Kind == Partial && !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	for i, n := range d.old.Nodes {
		if !d.late[i] {
			continue
		}
		if !d.now(Value(i), n, waits) {
			waits[i] = true
			for _, v := range n.In {
				add(v)
			}
		}
	}
	for _, o := range d.old.Outputs {
		add(o.Value)
	}
	d.addUp(all)
	for i := range d.old.Nodes {
		if waits[i] {
			if err := d.place(Value(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// now adds a late node if its operands are there and their sums need not be added
// up first.
func (d *distributor) now(v Value, n Node, waits []bool) bool {
	s := Split{Ranks: d.Ranks, Edges: d.Edges, Types: d.old.types(n.In), Out: n.Type}
	for _, u := range n.In {
		if waits[u] {
			return false
		}
		s.In = append(s.In, d.at[u])
	}
	at, err := n.Op.Split(s)
	if err != nil {
		return false
	}
	d.copy(v)
	d.at[v] = at
	return true
}

// addUp adds partial sums over the ranks, in one exchange.
func (d *distributor) addUp(all []Value) {
	if len(all) == 0 {
		return
	}
	d.b.layer, d.b.stage, d.b.region = -1, Step, 0
	d.b.backward = d.old.Nodes[all[len(all)-1]].Backward
	if len(all) == 1 {
		d.new[all[0]], d.at[all[0]] = d.b.Add(AllReduce{}, d.new[all[0]]), Placement{Kind: Whole}
		return
	}
	parts := make([]Value, len(all))
	for i, v := range all {
		parts[i] = d.new[v]
	}
	sum := d.b.Add(AllReduce{}, d.b.Add(Bundle{}, parts...))
	from := Cols(0)
	for _, v := range all {
		t := d.old.Type(v)
		d.new[v], d.at[v] = d.b.Add(Unbundle{From: from, Rows: t.Rows, Cols: t.Cols}, sum), Placement{Kind: Whole}
		from = from.Plus(t.Rows.Times(t.Cols))
	}
}
