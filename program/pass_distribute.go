package program

import (
	"errors"
	"slices"

	"github.com/weft-gnn/weft/cost"
)

// Distribution says how a graph, and the values over it, are spread over ranks.
type Distribution struct {
	// Mesh is how many ranks there are along each axis, and At where this one is,
	// on which the widths of columns depend.
	Mesh, At Mesh
	// Edges is who owns an edge along the axis of parts. AllEdges has one part, with
	// all vertices.
	Edges Owner
	// Rest is how values of vertices lie along the axis of features when they have
	// been summed up: in Columns, or Whole.
	Rest Kind
	// Ranged lets ranks along the axis of features share out the edges that each
	// would have, by the ranges of their vertices that edges lead from.
	Ranged bool
	// Overlap lets ranks compute while they exchange.
	Overlap bool
	// Exchange says on which side of products with weights rows are exchanged that
	// edges read of other ranks, and Recompute lets ranks compute such rows again from
	// what never changes, or from what is sent anyway.
	Exchange  Side
	Recompute bool
	// Backward says what ranks send where sums over edges are transposed.
	Backward Return
}

// along is where the rank is along an axis.
func (d *Distribution) along(a Axis) Place { return d.Mesh.Place(a, d.At) }

// Alike returns the number of a rank that runs the same program: the first of those
// that have as many columns.
func (d *Distribution) Alike() int {
	at := Mesh{Features: d.At[Features]}
	if d.Edges == Shared {
		at[Parts] = d.At[Parts]
	}
	return d.Mesh.Number(at)
}

// Bound adds to env, which has the sizes of the whole graph, the sizes that a rank
// has at most of what it exchanges, for those who do not know its share.
func (d *Distribution) Bound(env cost.Env) {
	d.Mesh.Env(env, Mesh{})
	others := int64(d.Mesh.Along(Parts) - 1)
	env["N"] = env["n"]
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
//     for both, Exchange and Recompute say where among the operations on rows;
//   - sums over all rows, such as gradients of weights: they are added over the
//     ranks, in one exchange where only the updates need them.
//
// Coefficients of the graph become inputs, since they depend on all of it.
//
// Axes of the mesh are distributed one after the other, columns first: what the one
// inserts are operations on rows to the next, and have split rules as all others.
func Distribute(p *Program, f Facts) (*Program, error) {
	d, err := f.Distribution, error(nil)
	if d.Ranged {
		p = spreadEdges(p, d.Edges)
	}
	if d.Ranged || d.Mesh.Along(Features) > 1 {
		if p, err = shareColumns(p, f); err != nil {
			return nil, err
		}
	}
	if d.Edges != AllEdges {
		if p, err = shareGraph(p, f); err != nil {
			return nil, err
		}
	}
	if d.Mesh.Along(Replicas) > 1 {
		if p, err = replicate(p, d); err != nil {
			return nil, err
		}
	}
	return Dead(p), nil
}

// spreads says where edges and vertices are, by whom edges are owned.
var spreads = [...]string{
	AllEdges: "every rank has the graph", ByDst: "ranks have some vertices each", BySrc: "ranks have some vertices each",
	Free: "the edges into a vertex lie on several ranks", Copied: "the edges into a vertex lie on several ranks",
	Shared: "ranks have some columns of all vertices each",
}

// shareGraph gives ranks parts of the graph.
func shareGraph(p *Program, f Facts) (*Program, error) {
	of := f.Distribution
	if !of.Ranged {
		p = spreadEdges(p, of.Edges)
	}
	p, err := mirrored(p, f)
	if err != nil {
		return nil, err
	}
	d := &distributor{ranged: of.Ranged, sums: sumsOf(p, of.along(Parts), of.Edges.asked(), spreads[of.Edges]), Edges: of.Edges, copied: of.Mesh.Along(Copies) > 1, expanded: map[expansion]Value{}, apart: map[Value]parts{}, halos: planHalos(p, of)}
	return d.distribute(d.place)
}

// spreadEdges replaces what finds the edges of a vertex together, which ranks have of
// which edges are owned so.
func spreadEdges(p *Program, by Owner) *Program {
	if by != ByDst {
		p = lower(p, func(Op) bool { return true })
	}
	return compareWinners(p, by.asked())
}

// lower replaces composites, which find a destination's edges together, by what they
// are composed of.
func lower(p *Program, which func(Op) bool) *Program {
	for lowered := true; lowered; {
		lowered = false
		w := rewrite(p)
		for i, n := range p.Nodes {
			w.at(Value(i))
			if c, ok := n.Op.(Composite); ok && which(n.Op) {
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
	sums
	Edges    Owner
	copied   bool // several ranks have the same vertices
	ranged   bool // sources are vertices of a range
	halos    *halos
	expanded map[expansion]Value
	apart    map[Value]parts
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
	if e, ok := d.leftApart(n, v); ok {
		return d.placeApart(v, n, e)
	}
	for _, u := range n.In {
		d.sumUp(u)
	}
	in, lie, at, err := d.operands(v, n)
	if err != nil {
		return err
	}
	d.rewriter.at(v)
	d.new[v], d.at[v] = d.b.Add(d.held(n, lie, at), in...), at
	if d.b.err != nil {
		return d.refuse(v, d.b.err)
	}
	d.settle(v, n, at)
	return nil
}

// settle brings node v, which lies as its rule says, where its readers look for it: rows
// to their owners.
func (d *distributor) settle(v Value, n Node, at Placement) {
	switch t := d.b.Type(d.new[v]); {
	case t.Index: // it counts rows that the rank has
	case t.Space == AllVertices && at.Kind == Whole:
		d.new[v], d.at[v] = d.b.Add(OwnRows{Along: Parts}, d.new[v]), Placement{Kind: Rows}
	case t.Space == AllVertices && at.Kind == Columns:
		rows := d.b.Add(Reshard{Along: Parts, To: Vertices, Cols: n.Type.Cols}, d.new[v])
		d.new[v], d.at[v] = d.b.Add(Untile{Along: Parts}, rows), Placement{Kind: Rows}
	case at.Kind == Partial && d.Edges == Shared && t.Space.IsEdges():
		d.new[v], d.at[v] = d.b.Add(AllReduce{Of: at.Of, Along: Parts}, d.new[v]), Placement{Kind: Whole}
	case at.Kind == Partial && t.Space != One:
		if e, ok := endsOf(t.Space); ok && d.halos.goesOn(v, t.Space) {
			d.takeApart(v, d.new[v], e)
			d.new[v] = None
			return
		}
		d.new[v], d.at[v] = d.combine(d.new[v], at.Of), Placement{Kind: Rows}
	case at.Kind == Partial && d.copied && d.readsEdges(n):
		d.new[v] = d.overCopies(at.Of, d.new[v])
	}
}

// readsEdges reports whether a node reads values of edges, which copies share out.
func (d *distributor) readsEdges(n Node) bool {
	return slices.ContainsFunc(d.old.types(n.In), func(t Type) bool { return t.Space.IsEdges() })
}

// held is an op over edges as a rank has them.
func (d *distributor) held(n Node, in []Placement, at Placement) Op {
	op := n.Op
	if o, ok := op.(ColumnOp); ok && d.Edges == Shared && cut(in, at) {
		op = o.OfColumns(n.Type.Cols, d.here)
	}
	if h, ok := op.(Holder); ok {
		return h.Held(d.Edges)
	}
	return op
}

// cut reports whether operands or the result are split by columns.
func cut(in []Placement, at Placement) bool {
	return at.Kind == Columns || slices.ContainsFunc(in, func(p Placement) bool { return p.Kind == Columns })
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
	if n.Type.Space == One || d.Edges == Shared && n.Type.Space.IsEdges() {
		return Placement{Kind: Whole}, true
	}
	return Placement{Kind: Rows}, true
}

// operands returns the operands of a node as its rule wants them, how they lie, and
// how its result does.
func (d *distributor) operands(v Value, n Node) ([]Value, []Placement, Placement, error) {
	s := d.ask(n, make([]Placement, len(n.In))...)
	s.Edges = d.askedFor(n)
	in := make([]Value, len(n.In))
	for j, u := range n.In {
		in[j], s.In[j] = d.new[u], d.at[u]
		if end, ok := readsAt(n.Op, j); ok && (s.Types[j].Space == Vertices || s.Types[j].Space == Range) {
			in[j], s.In[j] = d.atEnd(u, Edges.Held(d.Edges).End(end))
		}
	}
	at, err := n.Op.Split(s)
	if err == nil {
		return in, s.In, at, nil
	}
	for j, u := range n.In {
		if s.In[j] == (Placement{Partial, Sum}) && s.Types[j].Space == One {
			d.rewriter.at(u)
			d.addUp([]Value{u})
			in[j], s.In[j] = d.new[u], d.at[u]
		}
	}
	if at, err = n.Op.Split(s); err != nil {
		return nil, nil, at, d.refuse(v, err)
	}
	return in, s.In, at, nil
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
	case space == AllVertices && d.old.Type(v).Cols.N < d.here.Ranks:
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

// steady reports whether a value is the same in every step.
func (p *Program) steady(v Value) bool {
	n := p.Nodes[v]
	in, ok := n.Op.(Input)
	return ok && !in.Varies || isCoef(n.Op) || n.Stage == Pre
}

// once lets what is added next run in the stage of value v, or once where v never
// changes.
func (w *rewriter) once(v Value) {
	w.at(v)
	if w.old.steady(v) {
		w.b.stage = Pre
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
	case to == AllVertices && cols.N < d.here.Ranks:
		y = d.b.Add(AllGather{Along: Parts}, d.new[v])
	case to == AllVertices:
		y = d.b.Add(Reshard{Along: Parts, To: to, Cols: d.here.Share(cols)}, d.b.Add(Tile{Along: Parts}, d.new[v]))
	default:
		e, _ := endsOf(to)
		halo := d.atHalo(v, e)
		d.once(v)
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
		c := Combine{Of: of, From: e.all, To: Vertices, Open: d.ranged && (of == Max || of == Min)}
		if d.ranged && e == atSources {
			c.To = Range
		}
		return d.meet(c, v, d.b.Add(Collect{To: e.halo}, v))
	}
	return d.overCopies(of, v)
}

// meet sends what a rank has summed of its halo to the owners, who combine that with
// what they have themselves.
func (d *distributor) meet(c Combine, own, halo Value) Value {
	e, _ := endsOf(c.From)
	return d.overCopies(c.Of, d.b.Add(c, own, d.b.Add(Swap{To: e.boundary}, halo)))
}

// overCopies adds up what the copies of the rank's vertices have of a value.
func (d *distributor) overCopies(of Reduction, v Value) Value {
	if d.copied {
		v = d.b.Add(AllReduce{Of: of, Along: Copies}, v)
	}
	return v
}
