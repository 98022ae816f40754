package program

import (
	"errors"
	"slices"

	"github.com/weft-gnn/weft/cost"
)

// shareColumns makes the program of one of the ranks along the axis of features, which
// have the same rows and share out columns and parameters. Where rows that are whole
// meet a weight it is split by columns, and so is the product; where columns do it is
// split by rows, and the product is a partial sum (Megatron-LM, 1909.08053, of a
// perceptron; here of anything that multiplies). Of the rest rules decide:
//
//   - partial sums of rows are resolved where they are read, those that are added up as
//     one: into columns, by a reduce-scatter, or whole, by an all-reduce, as
//     Distribution.Rest says;
//   - an operation that a rule refuses has its operands whole, or the rank's columns of
//     them, whichever is accepted for the fewest words;
//   - the gradient of a parameter lies as the parameter does, and so does what the
//     optimiser keeps of it: updates exchange nothing.
//
// What the data set provides is whole. Where ranks share out edges too, see ranges.
func shareColumns(p *Program, f Facts) (*Program, error) {
	p = lower(p, func(op Op) bool { _, ok := op.(walkingComposite); return ok })
	by := AllEdges
	if f.Distribution.Ranged {
		by = Ranged
	}
	c := &columns{sums: sumsOf(p, f.Distribution.along(Features), by.asked(), "ranks share out columns"), by: by, rest: f.Distribution.Rest, pieces: f.Pieces, env: f.Env, forms: make([]map[Kind]Value, len(p.Nodes))}
	c.findGradients()
	c.b.p.whole = cost.Env{}
	p.Widths(c.b.p.whole)
	return c.distribute(c.place)
}

type columns struct {
	sums
	by     Owner // of edges
	rest   Kind
	pieces map[string]Kind // as another program has them
	env    cost.Env
	forms  []map[Kind]Value // of old values, others than at says
	of     []Value          // the parameter that an old value is the gradient of, or None
}

// findGradients finds what becomes the gradient of a parameter: what its update reads,
// and what that is the sum, or a multiple, of.
func (c *columns) findGradients() {
	c.of = make([]Value, len(c.old.Nodes))
	for i := range c.of {
		c.of[i] = None
	}
	for i := len(c.old.Nodes) - 1; i >= 0; i-- {
		n := c.old.Nodes[i]
		if isEffect(n.Op) {
			c.of[n.In[1]] = n.In[0]
		}
		for _, u := range n.In {
			if c.of[i] != None && c.of[u] == None && c.old.Type(u).same(n.Type) {
				c.of[u] = c.of[i]
			}
		}
	}
}

// place adds node v with its operands where its rule wants them.
func (c *columns) place(v Value) error {
	n := c.old.Nodes[v]
	switch n.Op.(type) {
	case Param:
		return nil // it lies as its first reader has it
	case State:
		c.leaf(v, c.at[c.updated(v)].Kind)
		return nil
	case Input, GraphCoef:
		c.given(v)
		return nil
	}
	for _, u := range n.In {
		if _, ok := c.old.Nodes[u].Op.(Param); ok && c.new[u] == None {
			c.leaf(u, c.firstRead(n, u))
		}
	}
	best, err := c.cheapest(n, c.of[v])
	if err != nil {
		return c.refuse(v, err)
	}
	in := make([]Value, len(n.In))
	for j, u := range n.In {
		in[j] = c.form(u, best.in[j])
	}
	c.rewriter.at(v)
	c.new[v], c.at[v] = c.b.Add(best.op, in...), best.at
	c.leaveRange(v)
	if slices.ContainsFunc(c.old.Outputs, func(o Output) bool { return o.Value == v }) && c.at[v].Kind != Whole && n.Type.Space != One {
		c.new[v], c.at[v] = c.form(v, Placement{Kind: Whole}), Placement{Kind: Whole}
	}
	return nil
}

// updated is the parameter whose update keeps a state.
func (c *columns) updated(state Value) Value {
	for _, n := range c.old.Nodes {
		if isEffect(n.Op) && slices.Contains(n.In, state) {
			return n.In[0]
		}
	}
	return None
}

// leaf adds the rank's piece of a parameter or of a state.
func (c *columns) leaf(v Value, k Kind) {
	c.rewriter.at(v)
	full, op := c.old.Type(v), c.old.Nodes[v].Op
	of, f := c.local(full, k), Fragment{}
	if k != Whole {
		f = Fragment{By: k, Full: full}
		f.Row, f.Col, _, _ = f.Of(c.here.Rank, c.here.Ranks)
	}
	switch o := op.(type) {
	case Param:
		o.Of, o.Fragment = of, f
		op = o
	case State:
		o.Of, o.Fragment = of, f
		op = o
	}
	c.new[v], c.at[v] = c.b.Add(op), Placement{Kind: k}
}

// firstRead is how a parameter lies that a node is the first to read: as another program
// has it; else by rows or by columns where that meets what the others are, or whole.
func (c *columns) firstRead(n Node, param Value) Kind {
	if k, ok := c.pieces[c.old.Nodes[param].Op.(Param).Name]; ok {
		return k
	}
	t := c.old.Type(param)
	for _, k := range []Kind{Rows, Columns} {
		if k == Rows && t.Rows.N < c.here.Ranks || k == Columns && t.Cols.N < c.here.Ranks {
			continue
		}
		in := make([]Placement, len(n.In))
		for j, u := range n.In {
			if in[j] = c.resolved(u); u == param {
				in[j] = Placement{Kind: k}
			}
		}
		if _, ok := c.accepts(n, in); ok {
			return k
		}
	}
	return Whole
}

// choice is where operands are brought, and what follows.
type choice struct {
	in           []Placement
	at           Placement
	op           Op
	words, moved int64
}

// cheapest returns the choice that the node's rule accepts for the fewest words, and
// of these the one that moves the fewest operands. The gradient of a parameter is to lie as that does.
func (c *columns) cheapest(n Node, param Value) (best choice, err error) {
	if sum, ok := c.sumOfParts(n); ok {
		return sum, nil
	}
	found := false
	err = c.eachChoice(n, func(in []Placement) error {
		x, ok := c.accepts(n, in)
		if !ok || param != None && !follows(x.at, c.at[param]) {
			return nil
		}
		for j, u := range n.In {
			words, err := c.words(u, in[j])
			if err != nil {
				return err
			}
			if x.words += words; in[j] != c.at[u] {
				x.moved++
			}
		}
		if !found || x.words < best.words || x.words == best.words && x.moved < best.moved {
			best, found = x, true
		}
		return nil
	})
	if err == nil && !found {
		_, err = n.Op.Split(c.asked(n, c.lie(n)))
		err = errors.Join(errors.New("no way to share out its columns is known"), err)
	}
	return best, err
}

// follows reports whether a gradient that lies so is, or adds up to be, where its
// parameter lies.
func follows(at, param Placement) bool {
	return at == param || at.Kind == Partial && param.Kind == Whole
}

func (c *columns) lie(n Node) []Placement {
	in := make([]Placement, len(n.In))
	for j, u := range n.In {
		in[j] = c.at[u]
	}
	return in
}

// sumOfParts leaves partial sums that are added up as they are.
func (c *columns) sumOfParts(n Node) (choice, bool) {
	in := c.lie(n)
	for _, p := range in {
		if p.Kind != Partial {
			return choice{}, false
		}
	}
	if len(in) < 2 {
		return choice{}, false
	}
	return c.accepts(n, in)
}

// accepts asks the rule of a node, and whether what a rank then has fits.
func (c *columns) accepts(n Node, in []Placement) (choice, bool) {
	at, err := n.Op.Split(c.asked(n, in))
	if err != nil {
		return choice{}, false
	}
	op := n.Op
	if o, ok := op.(ColumnOp); ok && cut(in, at) {
		op = o.OfColumns(n.Type.Cols, c.here)
	}
	if h, ok := op.(Holder); ok {
		op = h.Held(c.by)
	}
	types := make([]Type, len(in))
	for j, u := range n.In {
		types[j] = c.local(c.old.Type(u), in[j].Kind)
	}
	got, err := op.Shape(types)
	return choice{in: in, at: at, op: op}, err == nil && got.same(c.local(n.Type, at.Kind))
}

// local is the type of the rank's piece of a value.
func (c *columns) local(t Type, k Kind) Type {
	t.Space = t.Space.Held(c.by)
	switch {
	case k == Rows && t.Space == Vertices:
		t.Space = Range
	case k == Rows && t.Space == One:
		t.Rows = c.here.Share(t.Rows)
	case k == Columns:
		t.Cols = c.here.Share(t.Cols)
	}
	return t
}

// eachChoice calls f with every way to bring a node's operands, as they are first.
func (c *columns) eachChoice(n Node, f func([]Placement) error) error {
	in := make([]Placement, len(n.In))
	var next func(j int) error
	next = func(j int) error {
		if j == len(in) {
			return f(slices.Clone(in))
		}
		for _, p := range c.ways(n, j) {
			in[j] = p
			if err := next(j + 1); err != nil {
				return err
			}
		}
		return nil
	}
	return next(0)
}

// ways are how an operation may have an operand, as it is first.
func (c *columns) ways(n Node, operand int) []Placement {
	v := n.In[operand]
	t, is := c.old.Type(v), c.resolved(v)
	if at, ok := c.atEnd(n, operand); ok {
		return []Placement{at}
	}
	all := []Placement{is}
	switch {
	case t.Index || is.Kind == Rows:
	case is.Kind == Whole && t.Cols.N >= c.here.Ranks:
		all = append(all, Placement{Kind: Columns})
	case is.Kind == Columns:
		all = append(all, Placement{Kind: Whole})
	}
	return all
}

// resolved is how a value lies, once it is summed up.
func (c *columns) resolved(v Value) Placement {
	switch t, at := c.old.Type(v), c.at[v]; {
	case at.Kind != Partial || t.Index:
		return at
	case at.Of != Sum:
	case t.Space != One && c.rest == Columns && t.Cols.N >= c.here.Ranks:
		return Placement{Kind: Columns}
	}
	return Placement{Kind: Whole}
}

// words is what it takes to bring a value: of all rows, what columns are gathered
// for, and that a sum is resolved for once, however it is read.
func (c *columns) words(v Value, to Placement) (int64, error) {
	t := c.old.Type(v)
	if _, have := c.forms[v][to.Kind]; have || c.resolved(v) == to || to.Kind == Columns {
		return 0, nil
	}
	rows, err := t.rows().Eval(c.env)
	return rows * int64(t.Cols.N), err
}

// form returns a value as it is wanted.
func (c *columns) form(v Value, to Placement) Value {
	if to == c.at[v] {
		return c.new[v]
	}
	if y, ok := c.forms[v][to.Kind]; ok {
		return y
	}
	from, at := c.new[v], c.at[v]
	if is := c.resolved(v); is != at && is != to {
		from, at = c.form(v, is), is
	}
	c.rewriter.at(v)
	c.keep(v, to.Kind, c.bring(from, v, at, to.Kind))
	return c.forms[v][to.Kind]
}

// keep notes a form of a value.
func (c *columns) keep(v Value, k Kind, form Value) {
	if c.forms[v] == nil {
		c.forms[v] = map[Kind]Value{}
	}
	c.forms[v][k] = form
}

// bring adds what resolves partial values, gathers columns, or takes the rank's own or
// its rows, of what lies so of old value v.
func (c *columns) bring(x, v Value, at Placement, to Kind) Value {
	t := c.old.Type(v)
	own, partial := c.here.Share(t.Cols), at.Kind == Partial
	switch {
	case to == Rows:
		return c.enterRange(x, v, at.Kind)
	case partial && to == Columns:
		swap := SwapTiles{Own: own, Ranks: c.here.Ranks}
		return c.b.Add(AddTiles(swap), c.b.Add(swap, c.b.Add(Tile{Along: Features}, x)))
	case partial:
		return c.b.Add(AllReduce{Of: at.Of, Along: Features}, x)
	case to == Columns:
		return c.b.Add(Slice{From: Cols(c.here.First(t.Cols)), Width: own}, x)
	}
	return c.b.Add(Untile{Along: Features}, c.b.Add(GatherTiles{Cols: t.Cols}, x))
}
