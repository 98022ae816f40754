package program

import "errors"

// replicate makes the program of a rank whose replica of everything trains on items of
// its own: its loss, and all that is linear in the loss's gradient, are parts of sums
// over the replicas.
func replicate(p *Program, of *Distribution) (*Program, error) {
	d := &replicas{sumsOf(p, of.along(Replicas), AllEdges, "every rank trains on items of its own")}
	return d.distribute(d.add)
}

type replicas struct{ sums }

// add adds node v.
func (d *replicas) add(v Value) error {
	n := d.old.Nodes[v]
	for _, u := range n.In {
		if d.at[u].Kind == Partial {
			d.at[v] = d.at[u]
		}
	}
	if _, loss := n.Op.(OfTargets); loss {
		d.at[v] = Placement{Partial, Sum}
	} else if d.at[v].Kind == Partial && !n.Backward {
		return d.refuse(v, errors.New("it reads what depends on the targets of all ranks"))
	}
	d.copy(v)
	return nil
}
