package program

// lineWords is a cache line and a vector of AVX-512, in values.
const lineWords = 16

// strides returns, for each value, how many values lie from the start of one row
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
		s[i] = n.Type.Cols.N
		if apart[i] {
			s[i] = wholeLines(s[i])
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

// wholeLines rounds a row of more than a third of a line up to lines; 8 values
// lie within one as they are.
func wholeLines(cols int) int {
	if cols < 5 || cols == 8 {
		return cols
	}
	return (cols + lineWords - 1) / lineWords * lineWords
}
