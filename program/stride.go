package program

import "github.com/weft-gnn/weft/tensor"

// strides returns, for each value, how many words lie from the start of one row
// to the next: its columns, but for transient rows of vertices that an op
// gathers, which lie as [tensor.Apart] says, and for views, whose rows are those of
// their operand.
//
// What is written over such a value, or is overwritten by it, has its stride.
func (p *Program) strides() []int {
	s := make([]int, len(p.Nodes))
	apart, dense := make([]bool, len(p.Nodes)), p.sentWhole()
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		n := p.Nodes[i]
		for _, g := range GathersOf(n.Op) {
			apart[n.In[g.Operand]] = true
		}
		apart[i] = apart[i] && !dense[i] && p.padded(Value(i))
		if v, ok := n.Over(); ok && apart[i] {
			apart[v] = true
		}
	}
	for i, n := range p.Nodes {
		if v, ok := n.Over(); ok && apart[v] {
			apart[i] = !dense[i] && p.padded(Value(i))
		}
		s[i] = n.Type.Words()
		if of := p.viewed(Value(i)); of != None {
			s[i] = s[of]
		} else if apart[i] {
			s[i] = tensor.Apart(n.Type.Words(), n.Type.BFloat16)
		}
	}
	return s
}

// sentWhole marks what ranks send and receive, which lies as it is sent, and what is
// written over it or is overwritten by it. What grows behind it need not: it is copied
// where its rows lie apart.
func (p *Program) sentWhole() []bool {
	dense := make([]bool, len(p.Nodes))
	for i, n := range p.Nodes {
		if _, ok := n.Op.(Collective); ok {
			dense[i] = true
			for _, v := range n.In {
				dense[v] = true
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i, n := range p.Nodes {
			if v, ok := n.Over(); ok && !grows(n.Op) && dense[i] != dense[v] {
				dense[i], dense[v], changed = true, true, true
			}
		}
	}
	return dense
}

// grows reports whether an op's operand lives on in its result.
func grows(op Op) bool { _, ok := op.(Grower); return ok }

// padded reports whether a value's rows may lie apart: nobody else knows them.
func (p *Program) padded(v Value) bool {
	n := p.Nodes[v]
	if _, leaf := n.Op.(Leaf); leaf || !n.Type.Space.isVertices() || p.Kept(v) {
		return false
	}
	for _, o := range p.Outputs {
		if o.Value == v {
			return false
		}
	}
	return true
}
