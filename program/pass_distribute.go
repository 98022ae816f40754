package program

import (
	"errors"
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/cost"
)

// Distribution says how a graph is spread over ranks: its vertices have an owner
// each, and so have its edges.
type Distribution struct {
	// Ranks is the number of those with other vertices, or columns, than this one.
	Ranks int
	// Edges is who owns an edge. AllEdges makes every rank a replica, with its own
	// targets.
	Edges Owner
	// Rank is this one's number, on which the widths of columns depend.
	Rank int
	// Copies is how many ranks have the same vertices, where Edges is Copied.
	Copies int
	// Overlap lets ranks compute while they exchange.
	Overlap bool
}

// Alike returns the number of a rank that runs the same program: the first, or, where
// ranks have columns, this one.
func (d *Distribution) Alike() int {
	if d.Edges == Shared {
		return d.Rank
	}
	return 0
}

// Bound adds to env, which has the sizes of the whole graph, the sizes that a rank
// has at most of what it exchanges, for those who do not know its share.
func (d *Distribution) Bound(env cost.Env) {
	others := int64(d.Ranks - 1)
	env["P"], env["p"], env["c"], env["q"], env["N"] = int64(d.Ranks), 0, int64(max(1, d.Copies)), 0, env["n"]
	for _, end := range []string{"src", "dst"} {
		env["n_"+end], env["h_"+end], env["b_"+end] = env["n"], env["n"], env["n"]*others
		env["μ_"+end], env["ν_"+end] = others, others
	}
	env["m_src"] = 0
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
	if e := f.Distribution.Edges; e != ByDst && e != AllEdges {
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
	if d.Edges == AllEdges {
		return d.replicate(v, n)
	}
	in, at, err := d.operands(v, n)
	if err != nil {
		return err
	}
	d.rewriter.at(v)
	d.new[v], d.at[v] = d.b.Add(d.held(n, at), in...), at
	if d.b.err != nil {
		return d.refuse(v, d.b.err)
	}
	switch t := d.b.Type(d.new[v]); {
	case t.Space == AllVertices && at.Kind == Whole:
		d.new[v], d.at[v] = d.b.Add(OwnRows{}, d.new[v]), Placement{Kind: Rows}
	case t.Space == AllVertices && at.Kind == Columns:
		rows := d.b.Add(Reshard{To: Vertices, Cols: n.Type.Cols}, d.new[v])
		d.new[v], d.at[v] = d.b.Add(Untile{}, rows), Placement{Kind: Rows}
	case at.Kind == Partial && d.Edges == Shared && t.Space.IsEdges():
		d.new[v], d.at[v] = d.b.Add(AllReduce{Of: at.Of}, d.new[v]), Placement{Kind: Whole}
	case at.Kind == Partial && t.Space != One:
		d.new[v], d.at[v] = d.combine(d.new[v], at.Of), Placement{Kind: Rows}
	case at.Kind == Partial && d.Edges == Copied && d.readsEdges(n):
		d.new[v] = d.b.Add(AllReduce{Of: at.Of, Copies: true}, d.new[v])
	}
	return nil
}

// readsEdges reports whether a node reads values of edges, which copies share out.
func (d *distributor) readsEdges(n Node) bool {
	return slices.ContainsFunc(d.old.types(n.In), func(t Type) bool { return t.Space.IsEdges() })
}

// replicate adds a node to a program that runs over the whole graph, for the
// targets of one rank: its loss, and all that is linear in the loss's gradient, are
// parts of sums over the ranks.
func (d *distributor) replicate(v Value, n Node) error {
	at := Placement{Kind: Whole}
	for _, u := range n.In {
		if d.at[u].Kind == Partial {
			at = d.at[u]
		}
	}
	_, loss := n.Op.(OfTargets)
	switch {
	case loss:
		at = Placement{Partial, Sum}
	case at.Kind == Partial && !n.Backward:
		return d.refuse(v, errors.New("it reads what depends on the targets of all ranks"))
	}
	d.copy(v)
	d.at[v] = at
	return nil
}

func (d *distributor) refuse(v Value, why error) error {
	return fmt.Errorf("operation %d, %v, cannot be distributed with edges %v: %w", v, d.old.Nodes[v].Op, d.Edges, why)
}

// held is an op over edges as a rank has them.
func (d *distributor) held(n Node, at Placement) Op {
	op := n.Op
	if d.Edges == Shared {
		switch o := op.(type) {
		case EdgeDot:
			if atHeads(d.Ranks, o.Heads.N) {
				o.Heads = share(o.Heads, d.Rank, d.Ranks)
			}
			op = o
		case Dropout:
			if lo, _ := comm.Cut(n.Type.Cols.N, d.Rank, d.Ranks); at.Kind == Columns {
				op = o.At(lo)
			}
		}
	}
	if h, ok := op.(Holder); ok {
		return h.Held(d.Edges)
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
	if n.Type.Space == One || d.Edges == AllEdges || d.Edges == Shared && n.Type.Space.IsEdges() {
		return Placement{Kind: Whole}, true
	}
	return Placement{Kind: Rows}, true
}

// operands returns the operands of a node as its rule wants them, and where its
// result lies.
func (d *distributor) operands(v Value, n Node) ([]Value, Placement, error) {
	s := Split{Ranks: d.Ranks, Edges: d.askedFor(n), In: make([]Placement, len(n.In)), Types: d.old.types(n.In), Out: n.Type}
	in := make([]Value, len(n.In))
	for j, u := range n.In {
		in[j], s.In[j] = d.new[u], d.at[u]
		if end, ok := readsAt(n.Op, j); ok && s.Types[j].Space == Vertices {
			in[j], s.In[j] = d.atEnd(u, Edges.Held(d.Edges).End(end))
		}
	}
	at, err := n.Op.Split(s)
	if err == nil {
		return in, at, nil
	}
	for j, u := range n.In {
		if s.In[j] == (Placement{Partial, Sum}) && s.Types[j].Space == One {
			d.rewriter.at(u)
			d.addUp([]Value{u})
			in[j], s.In[j] = d.new[u], d.at[u]
		}
	}
	if at, err = n.Op.Split(s); err != nil {
		return nil, at, d.refuse(v, err)
	}
	return in, at, nil
}

// askedFor is the owner that a node's rule is asked with: entries of features lie with
// the rows of vertices, whoever has the edges.
func (d *distributor) askedFor(n Node) Owner {
	over := n.Type.Space == Entries
	for _, u := range n.In {
		over = over || d.old.Type(u).Space == Entries
	}
	if over && d.Edges == Shared {
		return ByDst
	}
	return d.Edges.asked()
}

// readsAt returns at which end of edges an op reads an operand.
func readsAt(op Op, operand int) (end Map, ok bool) {
	switch o := op.(type) {
	case EndReader:
		return o.ReadsAt(operand)
	case Walker:
		_, _, reads := o.Walk()
		return reads[operand], true
	}
	return end, false
}

// atEnd returns value v, whose rows have owners, where edges read it.
func (d *distributor) atEnd(v Value, space Space) (Value, Placement) {
	switch {
	case space == AllVertices && d.old.Type(v).Cols.N < d.Ranks:
		return d.expand(v, space), Placement{Kind: Whole}
	case space == AllVertices:
		return d.expand(v, space), Placement{Kind: Columns}
	case space != Vertices:
		return d.expand(v, space), Placement{Kind: Halo}
	case d.Edges == Copied:
		return d.new[v], Placement{Kind: Halo} // every copy has them
	}
	return d.new[v], d.at[v]
}

// once lets what is added next run in the stage of value v, or once where v never
// changes.
func (d *distributor) once(v Value) {
	d.rewriter.at(v)
	if in, ok := d.old.Nodes[v].Op.(Input); ok && !in.Varies || isCoef(d.old.Nodes[v].Op) {
		d.b.stage = Pre
	}
}

// expand returns value v at the ends of a rank's edges: the halo's rows with its own,
// or the rank's columns of all vertices; all of these where there are too few to
// share out. What never changes is exchanged once.
func (d *distributor) expand(v Value, to Space) Value {
	if y, ok := d.expanded[expansion{v, to}]; ok {
		return y
	}
	d.once(v)
	var y Value
	switch cols := d.old.Type(v).Cols; {
	case to == AllVertices && cols.N < d.Ranks:
		y = d.b.Add(AllGather{}, d.new[v])
	case to == AllVertices:
		y = d.b.Add(Reshard{To: to, Cols: share(cols, d.Rank, d.Ranks)}, d.b.Add(Tile{}, d.new[v]))
	default:
		e, _ := endsOf(to)
		halo := d.b.Add(Swap{To: e.halo}, d.b.Add(Collect{To: e.boundary}, d.new[v]))
		y = d.b.Add(Merge{To: to}, d.new[v], halo)
	}
	d.expanded[expansion{v, to}] = y
	return y
}

func isCoef(op Op) bool { _, ok := op.(GraphCoef); return ok }

// combine returns the sum, at their owners, of what edges summed at their ends: of
// those of all copies.
func (d *distributor) combine(v Value, of Reduction) Value {
	if e, ok := endsOf(d.b.Type(v).Space); ok {
		boundary := d.b.Add(Swap{To: e.boundary}, d.b.Add(Collect{To: e.halo}, v))
		v = d.b.Add(Combine{Of: of, From: e.all}, v, boundary)
	}
	if d.Edges == Copied {
		v = d.b.Add(AllReduce{Of: of, Copies: true}, v)
	}
	return v
}
