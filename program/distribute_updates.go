package program

import (
	"errors"
	"fmt"
	"slices"
)

// sums is what the distribution of a program along any axis has in common: where old
// values lie, and the sums over the ranks of values in One.
//
// What no row waits for, losses and updates, comes last in the program of a rank, so
// that the ranks add up all that it needs of them in one exchange.
type sums struct {
	*rewriter
	here  Place       // of the rank
	edges Owner       // as rules are asked
	where string      // what is spread, and how
	at    []Placement // of old values
	late  []bool      // nodes that nothing over rows waits for
	visit func(Value) error
}

func sumsOf(p *Program, here Place, edges Owner, where string) sums {
	s := sums{rewriter: rewrite(p), here: here, edges: edges, where: where, at: make([]Placement, len(p.Nodes))}
	s.findLate()
	return s
}

// distribute places every node, and returns the program.
func (d *sums) distribute(place func(Value) error) (*Program, error) {
	d.visit = place
	for i := range d.old.Nodes {
		if d.late[i] {
			continue
		}
		if err := place(Value(i)); err != nil {
			return nil, err
		}
	}
	if err := d.updates(); err != nil {
		return nil, err
	}
	return d.finish(), nil
}

// ask returns the question of a node whose operands lie so.
func (d *sums) ask(n Node, in ...Placement) Split {
	return Split{Ranks: d.here.Ranks, Edges: d.edges, In: in, Types: d.old.types(n.In), Out: n.Type}
}

// refuse says to whoever chose the plan why it cannot run.
func (d *sums) refuse(v Value, why error) error {
	n, reason := d.old.Nodes[v], why.Error()
	if r := (*refusal)(nil); errors.As(why, &r) {
		reason = r.why
	}
	layer := ""
	if n.Layer >= 0 {
		layer = fmt.Sprintf(" of layer %d", n.Layer)
	}
	return fmt.Errorf("%v%s cannot run where %s: %s", n.Op, layer, d.where, reason)
}

// findLate marks the nodes over One that no row depends on and that read no rows:
// losses and updates.
func (d *sums) findLate() {
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

// updates adds the late nodes: those that partial sums suffice for, then one
// exchange of the sums that the others need, then these.
func (d *sums) updates() error {
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
			if err := d.visit(Value(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// now adds a late node if its operands are there and their sums need not be added
// up first.
func (d *sums) now(v Value, n Node, waits []bool) bool {
	s := d.ask(n)
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
	if _, err := n.Op.Shape(d.b.p.types(d.in(v))); err != nil {
		return false // a rank has a piece of the one and all of the other
	}
	d.copy(v)
	d.at[v] = at
	return true
}

// addUp adds partial sums over the ranks, in one exchange.
func (d *sums) addUp(all []Value) {
	if len(all) == 0 {
		return
	}
	last := d.old.Nodes[all[len(all)-1]]
	d.b.layer, d.b.stage, d.b.backward, d.b.region = -1, last.Stage, last.Backward, 0
	if len(all) == 1 {
		d.new[all[0]], d.at[all[0]] = d.b.Add(AllReduce{Along: d.here.Axis}, d.new[all[0]]), Placement{Kind: Whole}
		return
	}
	sums := make([]Value, len(all))
	for i, v := range all {
		sums[i] = d.new[v]
	}
	sum := d.b.Add(AllReduce{Along: d.here.Axis}, d.b.Add(Bundle{}, sums...))
	from := Cols(0)
	for _, v := range all {
		t := d.old.Type(v)
		d.new[v], d.at[v] = d.b.Add(Unbundle{From: from, Rows: t.Rows, Cols: t.Cols}, sum), Placement{Kind: Whole}
		from = from.Plus(t.Rows.Times(t.Cols))
	}
}
