package program

import "slices"

// life is when a transient value is needed: from the operation that makes it
// to the last that reads it. Values that are overwritten in place, or grow there, share
// one, and so do views and what they are of, and what grows there behind another.
type life struct {
	from, to int
	size     int64
	at       int64
	values   []Value
	behind   map[Value]int64 // how far behind the place some lie
}

// lives returns the lifetimes of a stage's transient values, in order. What lies
// within a chunk is made and read anew in each; all other values that a region
// reads or makes live through all its chunks.
func (p *Program) lives(s Stage, off []int64, at shape) []*life {
	first, last := p.spans(s, at.local)
	of := make([]*life, len(p.Nodes))
	var out []*life
	for i, n := range p.Nodes {
		size := at.bytes(p, Value(i))
		if n.Stage != s || off[i] != Outside || size == 0 || p.Kept(Value(i)) {
			continue
		}
		x := p.overwrites(Value(i), of, last, at)
		if x == nil {
			x = p.replaces(Value(i), of, last, at)
		}
		if base := p.viewed(Value(i)); base != None {
			x = of[base]
		}
		if x == nil {
			x = &life{from: first[i], to: last[i]}
			out = append(out, x)
		}
		x.to, x.size, of[i] = max(x.to, last[i]), max(x.size, size), x
		if y := p.joins(Value(i), of, at); y != nil {
			own, _ := n.Over()
			x.join(y, of, 4*int64(at.rows[own])*int64(at.stride[i]))
			out = slices.DeleteFunc(out, func(z *life) bool { return z == y })
		}
		x.values = append(x.values, Value(i))
	}
	return out
}

// joins returns the lifetime of the operand that is made behind another where node v has
// both, or nil: it is received as it lies, and no more than that.
func (p *Program) joins(v Value, of []*life, at shape) *life {
	g, ok := p.Nodes[v].Op.(Grower)
	if !ok {
		return nil
	}
	operand := p.Nodes[v].In[g.Behind()]
	y := of[operand]
	if y == nil || at.stride[operand] != at.stride[v] || y.values[len(y.values)-1] != operand {
		return nil
	}
	if slices.ContainsFunc(y.values, func(u Value) bool { return !p.Type(u).same(p.Type(operand)) }) {
		return nil
	}
	return y
}

// join makes the values of y ones of x, so many bytes behind.
func (x *life) join(y *life, of []*life, behind int64) {
	if x.behind == nil {
		x.behind = map[Value]int64{}
	}
	for _, v := range y.values {
		of[v], x.behind[v] = x, behind
	}
	x.from, x.to = min(x.from, y.from), max(x.to, y.to)
	x.values = append(x.values, y.values...)
}

// overwrites returns the lifetime that node v takes over from an operand that
// it is the last to read, or shares with one that it grows, or nil.
// In a region only what lies within a chunk is overwritten.
func (p *Program) overwrites(v Value, of []*life, last []int, at shape) *life {
	operand, ok := p.Nodes[v].Over()
	if !ok {
		return nil
	}
	if p.Nodes[v].Region > 0 && !(at.local[v] && at.local[operand]) {
		return nil
	}
	x, have, is := of[operand], p.Type(operand), p.Type(v)
	if x == nil || p.viewed(operand) != None || at.stride[operand] != at.stride[v] || have.Words() != is.Words() || have.BFloat16 != is.BFloat16 {
		return nil
	}
	if grows(p.Nodes[v].Op) {
		if p.holder(x.values) != operand {
			return nil // it has grown already
		}
		return x
	}
	if last[operand] != int(v) || x.to != int(v) || at.rows[operand] < at.rows[v] {
		return nil
	}
	if _, within := x.behind[operand]; within {
		return nil // the life's place is not its own
	}
	reads := 0
	for _, u := range p.Nodes[v].In {
		if of[u] == x {
			reads++
		}
	}
	if reads > 1 {
		return nil // as f(x, x), or where it has grown
	}
	return x
}

// replaces returns the lifetime that node v of a region takes over from a value that
// this region is the last to read, or nil: of the vertices of which v makes a chunk's
// rows, the other had the same rows, and nothing from v on reads them. So the gradient
// of what a stage of edges made gives its place to that of what the stage read.
func (p *Program) replaces(v Value, of []*life, last []int, at shape) *life {
	n := p.Nodes[v]
	if n.Region == 0 || at.local[v] {
		return nil
	}
	if _, sums := n.Summed(); sums {
		return nil
	}
	lo, hi := int(v), int(v)
	for p.continues(lo) {
		lo--
	}
	for p.continues(hi + 1) {
		hi++
	}
	for u := range Value(lo) {
		if x := of[u]; x != nil && last[u] == hi && x.to == hi && x.isAlone(u, last, lo) &&
			at.stride[u] == at.stride[v] && at.rows[u] == at.rows[v] && p.Type(u).same(n.Type) && p.readsBefore(v, u, lo, hi, at.local) {
			return x
		}
	}
	return nil
}

// isAlone reports whether of the values of a lifetime u alone is read from an operation
// on: it is the last of them, and none that it grew from lives on.
func (x *life) isAlone(u Value, last []int, from int) bool {
	n := len(x.values) - 1
	return x.values[n] == u && !slices.ContainsFunc(x.values[:n], func(w Value) bool { return last[w] >= from })
}

// readsBefore reports whether nodes lo to hi, a region, read of value u no more than
// a chunk's rows, and all of them before node v.
func (p *Program) readsBefore(v, u Value, lo, hi int, local []bool) bool {
	for w := lo; w <= hi; w++ {
		if !slices.Contains(p.Nodes[w].In, u) {
			continue
		}
		if in, _ := p.Parts(Value(w), local); w >= int(v) || in[slices.Index(p.Nodes[w].In, u)] != ChunkRows {
			return false
		}
	}
	return true
}

// spans returns, for each value, from which operation of a stage to which it is
// needed. But for what lies within a chunk, no operation of a region is done
// before all of them are.
func (p *Program) spans(s Stage, local []bool) (first, last []int) {
	first, last = make([]int, len(p.Nodes)), p.lastReads(s)
	ends := make([]int, len(p.Nodes))
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		if ends[i] = i; p.continues(i + 1) {
			ends[i] = ends[i+1]
		}
	}
	starts := make([]int, len(p.Nodes))
	for i := range p.Nodes {
		if starts[i] = i; p.continues(i) {
			starts[i] = starts[i-1]
		}
		if first[i] = i; !local[i] {
			first[i] = starts[i]
			if last[i] < len(p.Nodes) {
				last[i] = ends[last[i]]
			}
		}
	}
	return first, last
}

// continues reports whether node i is of the region of the node before it.
func (p *Program) continues(i int) bool {
	return i > 0 && i < len(p.Nodes) && p.Nodes[i].Region > 0 && p.Nodes[i].Region == p.Nodes[i-1].Region
}

// lastReads returns, for each value, the last operation of the stage that reads
// it; results last to the end.
func (p *Program) lastReads(s Stage) []int {
	last := make([]int, len(p.Nodes))
	for i, n := range p.Nodes {
		last[i] = i
		if n.Stage != s {
			continue
		}
		for _, v := range n.In {
			last[v] = i
		}
	}
	for _, o := range p.Outputs {
		last[o.Value] = len(p.Nodes)
	}
	return last
}

// holder returns the last of the values of a lifetime that is no view.
func (p *Program) holder(values []Value) Value {
	i := len(values) - 1
	for p.viewed(values[i]) != None {
		i--
	}
	return values[i]
}

// Deaths returns, for each operation, the transient values whose lifetime ends
// with it and whose place nothing took over. Views are no values of their own.
func (p *Program) Deaths(e Extent) [][]Value {
	out := make([][]Value, len(p.Nodes))
	for _, s := range []Stage{Pre, Step} {
		off := make([]int64, len(p.Nodes))
		for i := range off {
			off[i] = Outside
		}
		for _, x := range p.lives(s, off, p.shape(e)) {
			if x.to < len(p.Nodes) {
				out[x.to] = append(out[x.to], p.holder(x.values))
			}
		}
	}
	return out
}
