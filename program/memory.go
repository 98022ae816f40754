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
			off[v] = x.at + x.behind[v] + p.shift(v)
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
