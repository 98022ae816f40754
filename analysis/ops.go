package analysis

import (
	"cmp"
	"slices"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/program"
)

// Phase is the part of a step that an operation belongs to.
type Phase int

// The phases, in the order in which they run.
const (
	Forward  Phase = iota
	LossPart       // the loss, the regularisation and where their gradients start
	Backward
	Update // the optimiser
)

// String returns the phase's name.
func (p Phase) String() string { return [...]string{"forward", "loss", "backward", "update"}[p] }

// MarshalText writes the phase.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// Op is one operation of the program that runs. Leaves (inputs, parameters,
// optimiser state) are stored, not computed, and are not listed.
type Op struct {
	// Once is set where the operation runs once per run, before the first step.
	Once bool `json:"once"`
	// Layer counts from 0; null outside layers.
	Layer *int `json:"layer"`
	// Round counts the reductions over edges behind the operation in its layer:
	// the stage of the micro-pipeline.
	Round int    `json:"round"`
	Phase Phase  `json:"phase"`
	Op    string `json:"op"`
	Space string `json:"space"`
	Shape Shape  `json:"shape"`
	// NNZ is the number of stored values; Density their share of the matrix that
	// the value stands for: 1 where it is dense; edges/n² for values on edges,
	// which are the non-zeros of an n×n matrix; nnz/(n·k_in) for entries of sparse
	// features; null where sizes are not known.
	NNZ     Quantity `json:"nnz"`
	Density *float64 `json:"density"`
	Costs
}

// Shape is rows × columns.
type Shape struct {
	Expr  string    `json:"expr"`
	Value *[2]int64 `json:"value"`
}

// shape returns the shape of a type, on the rank that has most of it, the number
// of its values on all ranks, and its density.
func (a at) shape(t program.Type) (s Shape, nnz Quantity, density *float64, err error) {
	rows, err1 := a.most(t.RowCount())
	cols, err2 := a.most(t.Cols.Expr)
	nnz, err3 := a.quantity(cost.Mul(rows.Expr, cols.Expr))
	if err := cmp.Or(err1, err2, err3); err != nil {
		return s, nnz, nil, err
	}
	s.Expr = parenthesised(rows.Expr) + " × " + parenthesised(cols.Expr)
	full := 1.0
	if rows.Value != nil {
		s.Value = &[2]int64{*rows.Value, *cols.Value}
	}
	switch {
	case !t.Space.IsEdges() && t.Space != program.Entries:
		density = &full
	case rows.Value != nil:
		width := a.env[cost.Vertices]
		if t.Space == program.Entries {
			width = a.env[cost.FeaturesIn]
		}
		share := share(*nnz.Value / *cols.Value, a.env[cost.Vertices], width)
		density = &share
	}
	return s, nnz, density, nil
}

// share returns the density of an n×k matrix.
func share(nonzeros, n, k int64) float64 { return float64(nonzeros) / (float64(n) * float64(k)) }

// parenthesised prints e so that it can be a factor.
func parenthesised(e cost.Expr) string {
	text := e.String()
	if slices.Contains([]rune(text), ' ') {
		return "(" + text + ")"
	}
	return text
}

// ops lists the operations of p in order, with what each costs.
func (a at) ops(p *program.Program) ([]Op, error) {
	rounds, spent := p.Round(), spendingOf(p)
	var out []Op
	for i, n := range p.Nodes {
		if isLeaf(n.Op) {
			continue
		}
		t := n.Type
		if isEffect(n.Op) { // what it writes, for it yields nothing
			t = p.Type(n.In[0])
		}
		o := Op{Once: n.Stage == program.Pre, Round: rounds[i], Phase: phaseOf(p, n), Op: nameOf(p, n), Space: t.Space.String()}
		if n.Layer >= 0 {
			o.Layer = &n.Layer
		}
		var err1, err2 error
		o.Shape, o.NNZ, o.Density, err1 = a.shape(t)
		o.Costs, err2 = a.costs(spent[i])
		if err := cmp.Or(err1, err2); err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// nameOf names an operation, an update with what it writes.
func nameOf(p *program.Program, n program.Node) string {
	if isEffect(n.Op) {
		if w, ok := p.Nodes[n.In[0]].Op.(program.Param); ok {
			return n.Op.String() + " " + w.Name
		}
	}
	return n.Op.String()
}

func isLeaf(op program.Op) bool   { _, ok := op.(program.Leaf); return ok }
func isEffect(op program.Op) bool { _, ok := op.(program.Effect); return ok }

func phaseOf(p *program.Program, n program.Node) Phase {
	switch {
	case isEffect(n.Op):
		return Update
	case n.Layer < 0 && p.Output("loss") != program.None:
		return LossPart
	case n.Backward:
		return Backward
	}
	return Forward
}

// Group sums up the operations of one layer in one phase. Its depth is that of
// the longest path through it alone.
type Group struct {
	Once  bool  `json:"once"`
	Layer *int  `json:"layer"` // null outside layers, and for updates
	Phase Phase `json:"phase"`
	Ops   int   `json:"ops"`
	Costs
}

// groups sums up p by stage, phase and layer, in the order in which they run.
func (a at) groups(p *program.Program) ([]Group, error) {
	spent, of := spendingOf(p), map[groupKey][]bool{}
	var order []groupKey
	for i, n := range p.Nodes {
		if isLeaf(n.Op) {
			continue
		}
		k := keyOf(p, n)
		if of[k] == nil {
			of[k] = make([]bool, len(p.Nodes))
			order = append(order, k)
		}
		of[k][i] = true
	}
	slices.SortStableFunc(order, func(x, y groupKey) int { return cmp.Compare(y.stage, x.stage) })
	var out []Group
	for _, k := range order {
		g := Group{Once: k.stage == program.Pre, Phase: k.phase}
		if k.layer >= 0 {
			g.Layer = &k.layer
		}
		in := of[k]
		for _, is := range in {
			if is {
				g.Ops++
			}
		}
		var err error
		if g.Costs, err = a.costs(sum(p, spent, func(i int) bool { return in[i] })); err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// groupKey names a group. The stage Pre, which runs first, sorts highest.
type groupKey struct {
	stage program.Stage
	phase Phase
	layer int
}

func keyOf(p *program.Program, n program.Node) groupKey {
	k := groupKey{n.Stage, phaseOf(p, n), n.Layer}
	if k.phase == Update {
		k.layer = -1
	}
	return k
}

// spending is what an operation costs, and sends to other ranks.
type spending struct {
	cost.Cost
	program.Traffic
}

// spendingOf lists it for every operation, in order.
func spendingOf(p *program.Program) []spending {
	traffic := p.Traffics()
	out := make([]spending, len(traffic))
	for i, c := range p.Costs() {
		out[i] = spending{c, traffic[i]}
	}
	return out
}

// then is one after the other.
func (s spending) then(next spending) spending {
	return spending{s.Cost.Then(next.Cost), s.Plus(next.Traffic)}
}

// sum returns what the operations spend that in holds for: their work, bytes and
// traffic, and the depth of the longest path through them, all others being free.
func sum(p *program.Program, each []spending, in func(i int) bool) spending {
	var work, bytes, paths []cost.Expr
	var sent program.Traffic
	depth := make([]cost.Expr, len(p.Nodes))
	for i, n := range p.Nodes {
		var before []cost.Expr
		for _, v := range n.In {
			before = append(before, depth[v])
		}
		depth[i] = cost.Max(before...)
		if in(i) {
			depth[i] = cost.Add(depth[i], each[i].Depth)
			work, bytes, paths = append(work, each[i].Work), append(bytes, each[i].Bytes), append(paths, depth[i])
			sent = sent.Plus(each[i].Traffic)
		}
	}
	return spending{cost.Cost{Work: cost.Add(work...), Depth: cost.Max(paths...), Bytes: cost.Add(bytes...)}, sent}
}
