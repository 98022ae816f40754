package program

// Settle tells operations whose cost depends on it whether their results lie where an
// operand does, as the layout of memory will have it: the halo's rows behind the rank's
// own, and sums of all ranks where those of the rank were.
func Settle(p *Program, _ Facts) *Program {
	of := p.homes()
	w := rewrite(p)
	for i, n := range p.Nodes {
		v := Value(i)
		if o, ok := n.Op.(Placer); ok {
			there := make([]bool, len(n.In))
			for j, u := range n.In {
				there[j] = of[v] != nil && of[u] == of[v]
			}
			w.at(v)
			w.new[v] = w.b.Add(o.Placed(there), w.in(v)...)
			continue
		}
		w.copy(v)
	}
	return w.finish()
}

// homes returns the lifetime of each transient value at any sizes, since rows of a space
// are as many as those of any other value there, and where one space has the rows of
// another and more, ops know it.
func (p *Program) homes() []*life {
	of, at := make([]*life, len(p.Nodes)), shape{make([]int, len(p.Nodes)), p.strides(), p.locals()}
	off := make([]int64, len(p.Nodes))
	for i := range p.Nodes {
		at.rows[i], off[i] = 1, Outside
	}
	for _, s := range []Stage{Pre, Step} {
		for _, x := range p.lives(s, off, at) {
			for _, v := range x.values {
				of[v] = x
			}
		}
	}
	return of
}
