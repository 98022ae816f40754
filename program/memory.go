package program

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Layout places the values of programs that share parameters in one arena.
//
// Parameters, optimiser state and what is computed once lie at the bottom, for
// good; above them lie each program's transient values, two of which may have
// the same place where their lifetimes do not meet. Programs run one at a
// time, so their transient values share the same bytes.
type Layout struct {
	// Offset is, for each program and value, its place in bytes; Outside for
	// inputs, which are read where they lie, and for values of no size.
	Offset [][]int64
	// Stride is, for each program and value, how many words lie from the start of
	// one row to the next.
	Stride [][]int
	// Local marks, for each program, the values of which a chunk of their region
	// has its rows only: they have room for the largest.
	Local [][]bool
	// Slot is the place of each kept value by its key: a leaf's slot, or the
	// Key of a value that is computed once.
	Slot map[string]int64
	// Kept is the size of the part that is kept, Size that of the arena.
	Kept, Size int64
}

// Outside is the offset of a value that is not in the arena.
const Outside int64 = -1

// align is the alignment of values: a cache line, the width of a vector.
const align = 64

// Memory computes the layout of programs at the sizes of e from the lifetimes
// of their values.
func Memory(programs []*Program, e Extent) Layout {
	l := Layout{Slot: map[string]int64{}}
	shapes := make([]shape, len(programs))
	for i, p := range programs {
		shapes[i] = p.shape(e)
		l.Offset = append(l.Offset, l.keep(p, e))
		l.Stride, l.Local = append(l.Stride, shapes[i].stride), append(l.Local, shapes[i].local)
	}
	l.Size = l.Kept
	for i, p := range programs {
		for _, s := range []Stage{Pre, Step} {
			l.Size = max(l.Size, l.place(p, s, l.Offset[i], shapes[i]))
		}
	}
	return l
}

// shape is what decides the size of a program's values: how many rows they have
// and how far these lie apart.
type shape struct {
	rows, stride []int
	local        []bool
}

func (p *Program) shape(e Extent) shape {
	s := shape{make([]int, len(p.Nodes)), p.strides(), p.locals()}
	chunks := p.chunkRows(e)
	for i, n := range p.Nodes {
		if s.rows[i] = e.Rows(n.Type); s.local[i] {
			s.rows[i] = chunks[n.Region-1][n.Type.Space]
		}
	}
	return s
}

// bytes returns the size of a value: what follows its last row is not its own.
func (s shape) bytes(p *Program, v Value) int64 { return bytesAt(s.rows[v], p.Type(v), s.stride[v]) }

func bytesAt(rows int, t Type, stride int) int64 {
	if rows == 0 || t.Cols.N == 0 {
		return 0
	}
	return 4 * (int64(rows-1)*int64(stride) + int64(t.Words()))
}

// keep gives the values that outlive a step their places.
func (l *Layout) keep(p *Program, e Extent) []int64 {
	off := make([]int64, len(p.Nodes))
	keys := p.Keys()
	for i, n := range p.Nodes {
		off[i] = Outside
		size := bytesAt(e.Rows(n.Type), n.Type, n.Type.Words())
		if _, input := n.Op.(Input); input || size == 0 || !p.Kept(Value(i)) {
			continue
		}
		at, ok := l.Slot[keys[i]]
		if !ok {
			at = roundUp(l.Kept)
			l.Slot[keys[i]] = at
			l.Kept = at + size
		}
		off[i] = at
	}
	return off
}

func roundUp(n int64) int64 { return (n + align - 1) &^ (align - 1) }

// Kept reports whether a value outlives a step: a leaf, or a value computed
// once that a step reads.
func (p *Program) Kept(v Value) bool {
	if _, ok := p.Nodes[v].Op.(Leaf); ok {
		return true
	}
	if p.Nodes[v].Stage != Pre {
		return false
	}
	for _, o := range p.Outputs {
		if o.Value == v {
			return true
		}
	}
	return slices.ContainsFunc(p.Nodes, func(n Node) bool { return n.Stage == Step && slices.Contains(n.In, v) })
}

// Keys names what each value is computed from: equal keys mean equal values,
// in any program over the same leaves. Only leaves and values computed once
// have one.
func (p *Program) Keys() []string {
	keys := make([]string, len(p.Nodes))
	for i, n := range p.Nodes {
		if l, ok := n.Op.(Leaf); ok {
			keys[i] = l.Slot()
			continue
		}
		if n.Stage != Pre {
			continue
		}
		in := make([]string, len(n.In))
		for j, v := range n.In {
			in[j] = keys[v]
		}
		keys[i] = fmt.Sprintf("%s(%s)", identity(n.Op), strings.Join(in, ","))
	}
	return keys
}

// life is when a transient value is needed: from the operation that makes it
// to the last that reads it. Values that are overwritten in place, or grow there, share
// one, and so do views and what they are of.
type life struct {
	from, to int
	size     int64
	at       int64
	values   []Value
}

// place gives the transient values of one stage their places, the largest
// first, each at the lowest offset that no value of its lifetime covers. It
// returns the end of the highest.
func (l *Layout) place(p *Program, s Stage, off []int64, of shape) int64 {
	lives := p.lives(s, off, of)
	order := slices.Clone(lives)
	slices.SortStableFunc(order, func(a, b *life) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.from, b.from))
	})
	top := l.Kept
	for i, x := range order {
		x.at = lowest(roundUp(l.Kept), x, order[:i])
		for _, v := range x.values {
			off[v] = x.at + p.shift(v)
		}
		top = max(top, x.at+x.size)
	}
	return top
}

// lowest returns the lowest offset from base on where x fits among placed.
func lowest(base int64, x *life, placed []*life) int64 {
	var meets []*life
	for _, y := range placed {
		if x.from <= y.to && y.from <= x.to {
			meets = append(meets, y)
		}
	}
	slices.SortFunc(meets, func(a, b *life) int { return cmp.Compare(a.at, b.at) })
	at := base
	for _, y := range meets {
		if at+x.size <= y.at {
			break
		}
		at = max(at, roundUp(y.at+y.size))
	}
	return at
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
		if x != nil {
			x.to, x.size, of[i] = max(x.to, last[i]), max(x.size, size), x
			x.values = append(x.values, Value(i))
			continue
		}
		of[i] = &life{from: first[i], to: last[i], size: size, values: []Value{Value(i)}}
		out = append(out, of[i])
	}
	return out
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
