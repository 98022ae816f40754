package program

// lineWords is a cache line and a vector of AVX-512, in values of float32.
const lineWords = 16

// strides returns, for each value, how many words lie from the start of one row
// to the next: its columns, but for transient rows of vertices that an op
// gathers. Those begin at a cache line each, where that takes no more than about
// three times their memory: a row read in random order then costs no line more
// than it fills, and no load crosses two. 41 columns, at 48 to a row, are
// gathered 1.4 times as fast.
//
// What is written over such a value, or is overwritten by it, has its stride.
func (p *Program) strides() []int {
	s := make([]int, len(p.Nodes))
	apart := make([]bool, len(p.Nodes))
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		n := p.Nodes[i]
		for _, g := range GathersOf(n.Op) {
			apart[n.In[g.Operand]] = true
		}
		apart[i] = apart[i] && p.padded(Value(i))
		if op, ok := n.Op.(InPlace); ok && apart[i] {
			apart[n.In[op.Over()]] = true
		}
	}
	for i, n := range p.Nodes {
		if op, ok := n.Op.(InPlace); ok && apart[n.In[op.Over()]] {
			apart[i] = p.padded(Value(i))
		}
		s[i] = n.Type.Words()
		if apart[i] {
			s[i] = n.Type.rowApart()
		}
	}
	return s
}

// padded reports whether a value's rows may lie apart: nobody else knows them.
func (p *Program) padded(v Value) bool {
	n := p.Nodes[v]
	if _, whole := n.Op.(AllReduce); whole {
		return false // it lies as it is sent
	}
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

// rowApart rounds a row of more than a third of a vector up to vectors; 8 values
// lie within one as they are. A vector of bfloat16 is half a line.
func (t Type) rowApart() int {
	vector := lineWords * int(t.valueBytes()) / 4
	if t.Cols.N < 5 || t.Cols.N == 8 {
		return t.Words()
	}
	return (t.Words() + vector - 1) / vector * vector
}
