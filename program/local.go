package program

import "fmt"

// Local says which rows of a program's values its outputs need where only some
// vertices are asked for: those of the vertices within so many hops of them.
type Local struct {
	// Hops is how far away vertices are that the program reads at all.
	Hops int
	// Rows is, for each value, within how many hops its rows are needed: of
	// vertices and of features' entries those of these vertices, of edges those
	// into them. It is −1 for a value that no output needs.
	Rows []int
	// Reads is, for each node and operand, within how many hops the node reads
	// the operand's rows; 0 for operands in One.
	Reads [][]int
}

// NotLocalError says that a program cannot be run for some vertices alone.
type NotLocalError struct {
	Program string
	// What needs more: an op, or an output with its type.
	What string
}

func (e *NotLocalError) Error() string {
	return fmt.Sprintf("program: %s cannot be run for some vertices alone: %s needs more than what lies around them", e.Program, e.What)
}

// Local returns what p, a program without updates, needs for the rows asked for
// of its outputs, which are vertices.
//
// Which operands an op reads across edges is what its split rule says: what a
// rank that owns some vertices, and the edges into them, needs of vertices that
// others own.
//
// Errors: a [NotLocalError] where a value sums over all vertices, over the edges
// out of one, or depends on the size of the graph.
func (p *Program) Local() (Local, error) {
	l := Local{Rows: make([]int, len(p.Nodes)), Reads: make([][]int, len(p.Nodes))}
	for i := range l.Rows {
		l.Rows[i] = -1
	}
	for _, o := range p.Outputs {
		if t := p.Type(o.Value); t.Space != Vertices {
			return l, &NotLocalError{p.Name, fmt.Sprintf("output %s, %v,", o.Name, t)}
		}
		l.Rows[o.Value] = 0
	}
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		n := p.Nodes[i]
		if l.Rows[i] < 0 {
			continue
		}
		across, ok := p.across(n)
		if !ok {
			return l, &NotLocalError{p.Name, n.Op.String()}
		}
		l.Reads[i] = make([]int, len(n.In))
		for j, v := range n.In {
			if p.Type(v).Space != One {
				l.Reads[i][j] = l.Rows[i] + across[j]
			}
			l.Rows[v] = max(l.Rows[v], l.Reads[i][j])
		}
		l.Hops = max(l.Hops, l.Rows[i])
		if n.Type.Space.IsEdges() {
			l.Hops = max(l.Hops, l.Rows[i]+1) // their sources
		}
	}
	return l, nil
}

// across returns, for each operand of a node, how many hops farther than the
// node's own rows it is read, 0 or 1; and whether that is enough.
func (p *Program) across(n Node) (hops []int, ok bool) {
	hops = make([]int, len(n.In))
	if _, leaf := n.Op.(Leaf); leaf {
		return hops, true
	}
	s := Split{Ranks: 2, Edges: ByDst, In: make([]Placement, len(n.In)), Types: p.types(n.In), Out: n.Type}
	if _, coef := n.Op.(GraphCoef); coef || n.Type.Space == Graphs || s.spansRows() {
		return nil, false
	}
	for j, t := range s.Types {
		s.In[j] = Placement{Kind: Rows}
		if t.Space == One {
			s.In[j] = Placement{Kind: Whole}
		}
	}
	if s.local(n.Op) {
		return hops, true
	}
	for j, t := range s.Types {
		if t.Space == Vertices {
			s.In[j] = Placement{Kind: Halo}
		}
	}
	for j, at := range s.In {
		if at.Kind != Halo {
			continue
		}
		s.In[j] = Placement{Kind: Rows}
		if !s.local(n.Op) {
			s.In[j], hops[j] = at, 1
		}
	}
	return hops, s.local(n.Op)
}

// spansRows reports whether the op makes one matrix of rows.
func (s Split) spansRows() bool {
	if s.Out.Space != One {
		return false
	}
	for i := range s.Types {
		if !s.isOne(i) {
			return true
		}
	}
	return false
}

// local reports whether a rank has the rows of the result that it owns.
func (s Split) local(op Op) bool {
	at, err := op.Split(s)
	return err == nil && at.Kind != Partial
}
