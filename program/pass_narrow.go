package program

import (
	"fmt"
	"slices"
)

// Storage says how values that are read often are kept in memory.
type Storage int

// The storages. Arithmetic is float32 in both.
const (
	Float32Storage  Storage = iota
	BFloat16Storage         // features and activations in bfloat16, see [Narrowing]
)

var storageNames = [...]string{Float32Storage: "float32", BFloat16Storage: "bfloat16"}

func (s Storage) String() string { return storageNames[s] }

// MarshalText writes the storage's name, such as "bfloat16".
func (s Storage) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads it.
func (s *Storage) UnmarshalText(text []byte) error {
	for v, name := range storageNames {
		if name == string(text) {
			*s = Storage(v)
			return nil
		}
	}
	return fmt.Errorf("program: storage %q is not one of float32, bfloat16", text)
}

// Narrowing stores values of vertices in bfloat16 where [Facts.Storage] asks for it
// and less has to move: activations that edges gather or dense products read, what
// is computed once of features, and gradients that edges gather. Products and sums
// round their result while it is in cache; any other value is rounded by an op of
// its own. Readers that take float32 alone read the value before it is rounded, or
// it is widened for them, whichever moves less.
//
// Parameters, optimiser state, losses, edge values, results and gradients that are
// only multiplied stay as they are. An input is read where it lies: where edges
// gather it a rounded copy is made once.
func Narrowing(p *Program, f Facts) *Program {
	if f.Storage != BFloat16Storage {
		return p
	}
	n := narrower{p: p, f: f, uses: p.uses(), in: make([][]Type, len(p.Nodes)), of: make([]narrowed, len(p.Nodes))}
	for v, node := range p.Nodes {
		n.in[v] = p.types(node.In)
	}
	some := false
	for v := range p.Nodes {
		n.of[v] = n.choose(Value(v))
		some = some || n.of[v].readers != nil
	}
	if !some {
		return p
	}
	return n.rewrite()
}

// narrowed says how a value is stored.
type narrowed struct {
	readers map[Value]bool // that read it in bfloat16; nil where it stays in float32
	others  bool           // whether there are others, or it is a result
	widen   bool           // whether others read it widened, not before it is rounded
}

// alone reports whether nobody reads the value before it is rounded.
func (s narrowed) alone() bool { return s.widen || !s.others }

// narrower decides value by value; what it saves in one does not depend on others.
type narrower struct {
	p    *Program
	f    Facts
	uses [][]Value
	in   [][]Type // of each node, as decided so far
	of   []narrowed
}

// choose returns how value v is stored, and keeps the types that its readers see.
func (n *narrower) choose(v Value) narrowed {
	t := n.p.Type(v)
	if t.Space != Vertices || t.Index || t.BFloat16 || n.p.Nodes[v].Region > 0 {
		return narrowed{}
	}
	best, least := narrowed{}, 0.0
	s := n.readers(v)
	if !n.wanted(v, s) {
		return best
	}
	for _, s.widen = range []bool{false, true} {
		if len(s.readers) == 0 || s.widen && (!s.others || isLeaf(n.p.Nodes[v].Op)) {
			continue
		}
		if c := n.change(v, s); c < least {
			best, least = s, c
		}
	}
	for r := range best.readers {
		n.in[r] = n.p.narrowOperands(n.in[r], r, v)
	}
	return best
}

// change returns by how much the program's price grows where v is stored as s says.
func (n *narrower) change(v Value, s narrowed) float64 {
	node := n.p.Nodes[v]
	c := 0.0
	if op, ok := rounding(node.Op, len(node.In)); ok && s.alone() {
		c += n.price(op, n.in[v], node.Type.stored(true), node.Stage) - n.price(node.Op, n.in[v], node.Type, node.Stage)
	} else {
		c += n.price(Narrow{}, []Type{node.Type}, node.Type.stored(true), n.p.stageOfCopy(v))
	}
	for r := range s.readers {
		u := n.p.Nodes[r]
		c += n.price(u.Op, n.p.narrowOperands(n.in[r], r, v), u.Type, u.Stage) - n.price(u.Op, n.in[r], u.Type, u.Stage)
	}
	if s.widen {
		for _, r := range n.uses[v] {
			if !s.readers[r] {
				c += n.price(Widen{}, []Type{node.Type.stored(true)}, node.Type, n.p.Nodes[r].Stage)
			}
		}
	}
	return c
}

func (n *narrower) price(op Op, in []Type, out Type, stage Stage) float64 {
	return n.f.perStep(n.f.priceOf(op, in, out), stage)
}

// rounding returns an op, a product of so many operands, that stores its result in
// bfloat16; ok is false for others.
func rounding(op Op, arity int) (t Tailed, ok bool) {
	t, ok = op.(Tailed)
	if !ok {
		t = Tailed{Base: op, Arity: arity}
	}
	t.BFloat16 = true
	return t, t.narrows()
}

// stageOfCopy is when a rounded copy of v is made: of leaves, once.
func (p *Program) stageOfCopy(v Value) Stage {
	if isLeaf(p.Nodes[v].Op) {
		return Pre
	}
	return p.Nodes[v].Stage
}

// readers returns the nodes that would read v in bfloat16, and whether there are
// others. A widened copy serves no result.
func (n *narrower) readers(v Value) narrowed {
	s := narrowed{readers: map[Value]bool{}, others: isLeaf(n.p.Nodes[v].Op)}
	gathered := n.p.Nodes[v].Backward || s.others
	for _, r := range n.uses[v] {
		switch {
		case r == None:
			return narrowed{}
		case n.readsNarrow(r, v, gathered):
			s.readers[r] = true
		default:
			s.others = true
		}
	}
	return s
}

func isLeaf(op Op) bool { _, ok := op.(Leaf); return ok }

// wanted reports whether one of the readers gathers v or multiplies its rows.
func (n *narrower) wanted(v Value, s narrowed) bool {
	for r := range s.readers {
		node := n.p.Nodes[r]
		rows := 0 // operands that are
		switch BaseOf(node.Op).(type) {
		case MatMul, Affine, SpMM:
			rows = 1
		case MatMulT:
			rows = 2
		}
		if slices.Contains(node.In[:rows], v) {
			return true
		}
	}
	return false
}

// readsNarrow reports whether node r takes v in bfloat16 wherever it reads it; where
// v must be gathered, whether it is so in each place.
func (n *narrower) readsNarrow(r, v Value, gathered bool) bool {
	node := n.p.Nodes[r]
	gathers := map[int]bool{}
	for _, g := range GathersOf(node.Op) {
		gathers[g.Operand] = true
	}
	for j, u := range node.In {
		if u == v && gathered && !gathers[j] {
			return false
		}
	}
	_, err := node.Op.Shape(n.p.narrowOperands(n.in[r], r, v))
	return err == nil && node.Region == 0
}

// narrowOperands returns the types of node r's operands where it reads v in bfloat16.
func (p *Program) narrowOperands(in []Type, r, v Value) []Type {
	types := slices.Clone(in)
	for j, u := range p.Nodes[r].In {
		if u == v {
			types[j] = types[j].stored(true)
		}
	}
	return types
}

// rewrite returns the program as decided.
func (n *narrower) rewrite() *Program {
	w := rewrite(n.p)
	half := make([]Value, len(n.p.Nodes)) // the value in bfloat16
	for i, node := range n.p.Nodes {
		v := Value(i)
		w.at(v)
		in := w.in(v)
		for j, u := range node.In {
			switch s := n.of[u]; {
			case s.readers[v]:
				in[j] = half[u]
			case s.widen:
				in[j] = w.b.Add(Widen{}, half[u])
			}
		}
		s := n.of[v]
		if op, ok := rounding(node.Op, len(node.In)); ok && s.readers != nil && s.alone() {
			half[v] = w.b.Add(op, in...)
			w.new[v] = half[v]
			continue
		}
		w.new[v] = w.b.Add(node.Op, in...)
		if s.readers != nil {
			w.b.stage = n.p.stageOfCopy(v)
			half[v] = w.b.Add(Narrow{}, w.new[v])
		}
	}
	return w.finish()
}
