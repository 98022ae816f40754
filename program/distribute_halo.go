package program

// parts are the two parts of a gradient that edges summed at one of their ends: at the
// rank's own vertices, and at those of its halo, whose owners have the rest.
type parts struct {
	endSpaces
	own, halo Value
}

// atHalo returns the halo's rows of value v at an end of edges: computed again from its
// operands, or received from their owners.
func (d *distributor) atHalo(v Value, e endSpaces) Value {
	key := expansion{v, e.halo}
	if y, ok := d.expanded[key]; ok {
		return y
	}
	n := d.old.Nodes[v]
	if d.halos.fetched.has[expansion{v, e.all}].past {
		in := make([]Value, len(n.In))
		for j, u := range n.In {
			if in[j] = d.new[u]; d.old.Type(u).Space == Vertices {
				in[j] = d.atHalo(u, e)
			}
		}
		d.rewriter.at(v)
		d.expanded[key] = d.b.Add(onRows(n.Op, e.halo), in...)
		return d.expanded[key]
	}
	d.once(v)
	d.expanded[key] = d.b.Add(Swap{To: e.halo}, d.b.Add(Collect{To: e.boundary}, d.new[v]))
	return d.expanded[key]
}

// onRows is an op over rows of another space.
func onRows(op Op, of Space) Op {
	if o, ok := op.(RowOp); ok {
		return o.OnRows(of)
	}
	return op
}

// takeApart lets gradient v, which edges summed at their ends as x, stay in parts.
func (d *distributor) takeApart(v, x Value, e endSpaces) {
	d.apart[v] = parts{e, d.b.Add(OwnEnds{From: e.all}, x), d.b.Add(Collect{To: e.halo}, x)}
}

// inParts returns the parts of a value that is not summed up.
func (d *distributor) inParts(v Value) (parts, bool) {
	a, ok := d.apart[v]
	return a, ok && d.new[v] == None
}

// sumUp brings the parts of a value to the owners of the rows.
func (d *distributor) sumUp(v Value) {
	if a, ok := d.inParts(v); ok {
		d.rewriter.at(v)
		d.new[v], d.at[v] = d.meet(Combine{Of: Sum, From: a.all, To: Vertices, Own: true}, a.own, a.halo), Placement{Kind: Rows}
	}
}

// leftApart returns the ends at which a node reads values in parts that it leaves so.
func (d *distributor) leftApart(n Node, v Value) (endSpaces, bool) {
	for _, u := range n.In {
		if a, ok := d.inParts(u); ok && d.halos.goesOn(u, a.all) && d.halos.linear(v, expansion{u, a.all}) {
			return a.endSpaces, true
		}
	}
	return endSpaces{}, false
}

// placeApart adds a node once for own rows and once for the halo's. A sum over rows adds
// the two up.
func (d *distributor) placeApart(v Value, n Node, e endSpaces) error {
	own, halo := make([]Value, len(n.In)), make([]Value, 0, len(n.In))
	for j, u := range n.In {
		a, ok := d.inParts(u)
		if ok && a.endSpaces != e {
			d.sumUp(u)
		}
		if d.old.Type(u).Space == One && d.at[u].Kind == Partial {
			d.rewriter.at(u)
			d.addUp([]Value{u})
		}
		switch own[j] = d.new[u]; {
		case ok && a.endSpaces == e:
			own[j], halo = a.own, append(halo, a.halo)
		case d.old.Type(u).Space == One:
			halo = append(halo, d.new[u])
		case !isPlus(n.Op): // what is added to own rows alone is 0 at the halo
			halo = append(halo, d.atHalo(u, e))
		}
	}
	d.rewriter.at(v)
	a := parts{e, d.b.Add(n.Op, own...), halo[0]}
	if len(halo) == len(own) {
		a.halo = d.b.Add(onRows(n.Op, e.halo), halo...)
	}
	d.at[v] = Placement{Partial, Sum}
	if n.Type.Space == One {
		d.new[v] = d.overCopies(Sum, d.b.AddValues(a.own, a.halo))
	} else {
		d.apart[v] = a
	}
	if d.b.err != nil {
		return d.refuse(v, d.b.err)
	}
	return nil
}
