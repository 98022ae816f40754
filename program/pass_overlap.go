package program

import "slices"

// Overlap orders the operations of a step so that ranks compute while they exchange:
// an exchange begins as soon as what it sends is there, and is awaited when nothing is
// left to do without it. Sums at sources are halved for that, see [BySource].
//
// Operations are listed one by one. First comes what the next exchange waits for.
// All else that goes over rows is put off until one is under way, to have something
// to do then. What goes over parameters alone takes no time, and only memory when it
// comes early: it comes last, as it did.
func Overlap(p *Program, _ Facts) *Program {
	return joined(listed(begun(halved(p))))
}

// begun splits the exchanges of a step in two.
func begun(p *Program) *Program {
	w := rewrite(p)
	number := 0
	for i, n := range p.Nodes {
		e, ok := n.Op.(Exchange)
		if !ok || n.Stage != Step || n.Region > 0 {
			w.copy(Value(i))
			continue
		}
		w.at(Value(i))
		in := w.in(Value(i))
		w.new[i] = w.b.Add(Await{Of: e, Number: number}, in[0], w.b.Add(Begin{Of: e, Number: number}, in...))
		number++
	}
	return w.finish()
}

// joined makes one operation of exchanges behind which nothing runs.
func joined(p *Program) *Program {
	w := rewrite(p)
	for i, n := range p.Nodes {
		switch o := n.Op.(type) {
		case Begin:
			if i+1 < len(p.Nodes) && slices.Equal(p.Nodes[i+1].In, []Value{n.In[0], Value(i)}) {
				continue
			}
		case Await:
			if n.In[1] == Value(i-1) {
				w.at(Value(i))
				w.new[i] = w.b.Add(o.Of, w.new[n.In[0]])
				continue
			}
		}
		w.copy(Value(i))
	}
	return w.finish()
}

// listed orders the operations of a step.
func listed(p *Program) *Program {
	l := newLister(p)
	for u := l.next(); u >= 0; u = l.next() {
		l.emit(u)
	}
	l.leaves(len(p.Nodes))
	return l.finish()
}

// unit is what runs as one: an operation, or a region.
type unit struct {
	nodes  []Value
	needs  []int // units that come before
	done   bool
	begins bool // an exchange
	awaits bool
	fills  bool // the time that an exchange takes
}

type lister struct {
	*rewriter
	units  []unit
	copied int      // leaves and what is computed once, before this one, are copied
	urgent [][]bool // for each unit that begins an exchange, the units that this needs
}

func newLister(p *Program) *lister {
	l := &lister{rewriter: rewrite(p)}
	of := make([]int, len(p.Nodes)) // the unit of each node, −1 for what does not run in a step
	for i, n := range p.Nodes {
		if _, leaf := n.Op.(Leaf); leaf || n.Stage != Step {
			of[i] = -1
			continue
		}
		if !p.continues(i) {
			l.units = append(l.units, unit{})
		}
		of[i] = len(l.units) - 1
		l.units[of[i]].take(Value(i), n, p.types(n.In))
		for _, v := range n.In {
			if of[v] >= 0 && of[v] != of[i] {
				l.units[of[i]].needs = append(l.units[of[i]].needs, of[v])
			}
		}
		if isEffect(n.Op) {
			for u := range of[i] {
				l.units[of[i]].needs = append(l.units[of[i]].needs, u)
			}
		}
	}
	l.keepPlaces(of)
	l.urgent = make([][]bool, len(l.units))
	for u := range l.units {
		if l.units[u].begins {
			l.urgent[u] = l.before(u)
		}
	}
	return l
}

// keepPlaces keeps sums over an operand before the operation that may overwrite it, as
// they were: they take less time than another place for its result would, which is not
// in cache. of has the unit of each node.
func (l *lister) keepPlaces(of []int) {
	last := l.old.lastReads(Step)
	for v, n := range l.old.Nodes {
		u, ok := n.Over()
		if !ok || of[v] < 0 || grows(n.Op) || last[u] != v {
			continue
		}
		for w, reader := range l.old.Nodes[:v] {
			if of[w] >= 0 && of[w] != of[v] && len(reader.In) == 1 && reader.In[0] == u && reader.Type.Space == One {
				l.units[of[v]].needs = append(l.units[of[v]].needs, of[w])
			}
		}
	}
}

func (u *unit) take(v Value, n Node, in []Type) {
	u.nodes = append(u.nodes, v)
	_, u.begins = n.Op.(Begin)
	_, u.awaits = n.Op.(Await)
	_, collective := n.Op.(Collective)
	overRows := slices.ContainsFunc(append(in, n.Type), func(t Type) bool { return t.Space != One })
	u.fills = overRows && !u.awaits && (!collective || u.begins)
}

// before marks a unit and all that it needs.
func (l *lister) before(u int) []bool {
	marked := make([]bool, len(l.units))
	marked[u] = true
	for v := u; v >= 0; v-- {
		if marked[v] {
			for _, need := range l.units[v].needs {
				marked[need] = true
			}
		}
	}
	return marked
}

// next returns the unit that runs next, −1 where none is left.
func (l *lister) next() int {
	if begin := l.find(func(u int) bool { return l.units[u].begins }); begin >= 0 {
		if u := l.ready(func(u int) bool { return l.urgent[begin][u] && !l.units[u].awaits }); u >= 0 {
			return u
		}
	}
	await := l.ready(func(u int) bool { return l.units[u].awaits })
	if await >= 0 {
		if u := l.ready(func(u int) bool { return l.units[u].fills }); u >= 0 {
			return u
		}
		return await
	}
	return l.ready(func(int) bool { return true })
}

// find returns the first unit to come of some kind, −1 for none.
func (l *lister) find(kind func(u int) bool) int {
	for u := range l.units {
		if !l.units[u].done && kind(u) {
			return u
		}
	}
	return -1
}

// ready returns the first of those that need nothing more.
func (l *lister) ready(kind func(u int) bool) int {
	return l.find(func(u int) bool {
		return kind(u) && !slices.ContainsFunc(l.units[u].needs, func(need int) bool { return !l.units[need].done })
	})
}

// emit adds a unit.
func (l *lister) emit(u int) {
	l.leaves(int(l.units[u].nodes[0]))
	for _, v := range l.units[u].nodes {
		l.copy(v)
	}
	l.units[u].done = true
}

// leaves adds leaves, and what is computed once, that came before a node; they keep
// their order.
func (l *lister) leaves(before int) {
	for ; l.copied < before; l.copied++ {
		if n := l.old.Nodes[l.copied]; n.Stage != Step || isLeaf(n.Op) {
			l.copy(Value(l.copied))
		}
	}
}
