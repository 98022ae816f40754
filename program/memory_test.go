package program_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/model"
	. "github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// shadow runs programs over an arena of which it remembers, for each 4 bytes,
// which value was written there last. It is the oracle for Memory: it knows
// nothing of lifetimes.
type shadow struct {
	t      failer
	w      world
	layout Layout
	owner  []string // of each word of the arena
	high   int64    // the end of the highest word written
}

func newShadow(t failer, w world, ps ...*Program) *shadow {
	t.Helper()
	s := &shadow{t: t, w: w, layout: Memory(ps, w.Extent)}
	s.owner = make([]string, s.layout.Size/4)
	for i, p := range ps {
		keys := p.Keys()
		for j, n := range p.Nodes {
			if _, leaf := n.Op.(Leaf); leaf {
				s.write(i, Value(j), n, keys[j])
			}
		}
	}
	return s
}

// words returns the words of a value; none where it is not in the arena.
func (s *shadow) words(i int, v Value, n Node) []string {
	at, size := s.layout.Offset[i][v], int64(max(0, (s.w.Rows(n.Type)-1)*s.layout.Stride[i][v]+n.Type.Cols.N))
	if at == Outside {
		return nil
	}
	if at%64 != 0 {
		s.t.Fatal("value", v, n.Op, "lies at", at, "which is not aligned")
	}
	if at+4*size > s.layout.Size {
		s.t.Fatal("value", v, n.Op, "ends at", at+4*size, "in an arena of", s.layout.Size)
	}
	s.high = max(s.high, at+4*size)
	return s.owner[at/4 : at/4+size]
}

func (s *shadow) write(i int, v Value, n Node, name string) {
	for k := range s.words(i, v, n) {
		s.words(i, v, n)[k] = name
	}
}

// name is what a value is remembered by: kept values by what they are, the
// others by the program and place.
func (s *shadow) name(i int, p *Program, keys []string, v Value) string {
	if p.Kept(v) {
		return keys[v]
	}
	return fmt.Sprintf("value %d of program %d", v, i)
}

// run executes one stage of program i: every operand is there still when it is
// read, and a result does not touch the operands, unless over the one that the
// op may overwrite, from the first word to the last.
func (s *shadow) run(i int, p *Program, stage Stage) {
	s.t.Helper()
	keys := p.Keys()
	for j, n := range p.Nodes {
		if _, leaf := n.Op.(Leaf); leaf || n.Stage != stage {
			continue
		}
		if o, ok := n.Op.(View); ok {
			s.within(i, Value(j), n.In[0], o)
			continue
		}
		for _, v := range n.In {
			s.intact(i, p, v, n)
		}
		s.write(i, Value(j), n, "being written")
		for k, v := range n.In {
			if over, ok := n.Op.(InPlace); ok && over.Over() == k && s.layout.Offset[i][v] == s.layout.Offset[i][j] {
				continue
			}
			s.intact(i, p, v, n)
		}
		s.write(i, Value(j), n, s.name(i, p, keys, Value(j)))
	}
	for _, o := range p.Outputs {
		if stage == Step {
			s.intact(i, p, o.Value, Node{Op: Unit{}})
		}
	}
}

// within checks that a view lies in what it is of, row by row.
func (s *shadow) within(i int, v, of Value, o View) {
	s.t.Helper()
	at, stride := s.layout.Offset[i], s.layout.Stride[i]
	if at[v] != Outside && (at[v] != at[of]+4*int64(o.From.N) || stride[v] != stride[of]) {
		s.t.Fatal(o, "of value", of, "lies at", at[v], "its rows", stride[v], "apart, the value at", at[of], "its rows", stride[of], "apart")
	}
}

// behind returns the value that v is a view of, or v.
func behind(p *Program, v Value) Value {
	for {
		if _, ok := p.Nodes[v].Op.(View); !ok {
			return v
		}
		v = p.Nodes[v].In[0]
	}
}

// intact checks that value v, or what it is a view of, is there.
func (s *shadow) intact(i int, p *Program, v Value, reader Node) {
	s.t.Helper()
	v = behind(p, v)
	name := s.name(i, p, p.Keys(), v)
	for _, owner := range s.words(i, v, p.Nodes[v]) {
		if owner != name {
			s.t.Fatal("when", reader.Op, "reads value", v, p.Nodes[v].Op, "its place holds", owner, "\n", p)
		}
	}
}

// checkLayout runs training and inference over one arena, in turns.
func checkLayout(t failer, w world, train, infer *Program) {
	t.Helper()
	s := newShadow(t, w, train, infer)
	s.run(0, train, Pre)
	s.run(1, infer, Pre)
	for range 2 {
		s.run(0, train, Step)
		s.run(1, infer, Step)
	}
	if s.high != s.layout.Size {
		t.Fatal("the highest byte written ends at", s.high, "the arena at", s.layout.Size)
	}
}

// TestLayoutOfRandomPrograms: no two values that are alive together overlap, a
// place is taken over only at the last use, kept values stay, all is aligned.
func TestLayoutOfRandomPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := randomWorld(t)
		p := randomProgram(t, 5)
		f := w.facts(RefTarget{})
		f.FoldBytes = rapid.SampledFrom([]int64{-1, 0, 100}).Draw(t, "fold bytes")
		f.Skip = map[string]bool{"reorder": true, "fuse": rapid.Bool().Draw(t, "skip fuse"), "common": rapid.Bool().Draw(t, "skip common")}
		infer, train := compileBoth(t, p, f)
		checkLayout(t, w, train, infer)
	})
}

// compileBoth compiles a declaration for inference and for training.
func compileBoth(t failer, p *Program, f Facts) (infer, train *Program) {
	t.Helper()
	infer, err := Compile(p, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	f.Optimizer = &Optimizer{}
	if train, err = Compile(p, f, nil); err != nil {
		t.Fatal(err)
	}
	return infer, train
}

// TestLayoutOfModels runs every model in its arena with the kernels, and
// compares bits with a run in which every value has memory of its own.
func TestLayoutOfModels(t *testing.T) {
	for _, m := range model.All() {
		for _, w := range fewWorlds(t) {
			p := objective(t, m, 2)
			x := randomExec(w, p, 3)
			f := w.facts(x.Target)
			p.Widths(f.Env)
			infer, train := compileBoth(t, p, f)
			checkLayout(t, w, train, infer)
			apart := newMachine(w, x, train, nil)
			layout := Memory([]*Program{train}, w.Extent)
			arena := newMachine(w, x, train, &layout)
			for step := range uint32(3) {
				apart.step(step)
				arena.step(step)
			}
			for _, o := range train.Outputs {
				if !apart.values[o.Value].Equal(arena.values[o.Value]) {
					t.Errorf("%s, %s: output %s has other bits in the arena", m.Name, w.name, o.Name)
				}
			}
			for _, v := range train.Params() {
				if !apart.values[v].Equal(arena.values[v]) {
					t.Errorf("%s, %s: %v has other bits in the arena", m.Name, w.name, train.Nodes[v].Op)
				}
			}
		}
	}
}

// machine runs a program with the kernels, one operation after another.
type machine struct {
	p      *Program
	x      *Exec
	values []tensor.Matrix
	local  []bool
}

// newMachine places the values of p as layout says, or apart where it is nil,
// and gives leaves the values of x.
func newMachine(w world, x RefExec, p *Program, layout *Layout) *machine {
	m := &machine{p: p, x: newExec(&x), values: make([]tensor.Matrix, len(p.Nodes)), local: make([]bool, len(p.Nodes))}
	m.x.Target.Total = int64(len(x.Target.Rows))
	var arena []float32
	if layout != nil {
		arena = blank(int(layout.Size/4), 1).Data
		m.local = layout.Local[0]
	}
	for i, n := range p.Nodes {
		rows, cols := w.Rows(n.Type), n.Type.Cols.N
		if m.local[i] {
			rows = m.largest(n)
		}
		m.values[i] = blank(rows, cols)
		if layout != nil && layout.Offset[0][i] != Outside {
			at := layout.Offset[0][i] / 4
			stride := layout.Stride[0][i]
			m.values[i] = tensor.Matrix{Rows: rows, Cols: cols, Stride: stride, Data: arena[at : at+int64(max(0, (rows-1)*stride+cols))]}
		}
		if l, ok := n.Op.(Leaf); ok {
			d, ok := x.Leaves[l.Slot()]
			if !ok {
				d = NewDense(rows, cols) // an optimiser's state
			}
			copy(m.values[i].Data, matrix(d).Data)
		}
	}
	m.stage(Pre)
	return m
}

func (m *machine) step(step uint32) {
	m.x.Step = step
	m.stage(Step)
}

func (m *machine) stage(s Stage) {
	done := 0
	for i, n := range m.p.Nodes {
		if _, leaf := n.Op.(Leaf); leaf || n.Stage != s || i < done {
			continue
		}
		if n.Region > 0 {
			done = m.region(i)
			continue
		}
		in := make([]tensor.Matrix, len(n.In))
		for j, v := range n.In {
			in[j] = m.values[v]
		}
		n.Op.Run(m.x, in, m.values[i])
	}
}

// TestLayoutReusesPlaces: a chain of elementwise ops needs the place of one
// value, whose last reader overwrites it; a value that is read twice by one op,
// read later, or is a result is not overwritten.
func TestLayoutReusesPlaces(t *testing.T) {
	w := fewWorlds(t)[4]
	row := int64(4 * w.g.N * 16)
	for _, c := range []struct {
		name    string
		rows    int64 // how many places of a vertex value of 16 columns
		declare func(b *Builder, x Value) Value
	}{
		{"chain", 1, func(b *Builder, x Value) Value { return b.ELU(b.Scale(b.ReLU(x), 2)) }},
		{"square", 2, func(b *Builder, x Value) Value { y := b.ReLU(x); return b.Mul(y, y) }},
		{"read later", 2, func(b *Builder, x Value) Value { y := b.ReLU(x); return b.AddValues(b.ELU(y), y) }},
		{"result", 2, func(b *Builder, x Value) Value { y := b.ReLU(x); b.Output("kept", y); return b.ELU(y) }},
		{"product", 2, func(b *Builder, x Value) Value {
			y := b.ReLU(x)
			return b.MatMul(y, b.Param("w", Cols(16), Cols(16), Ones))
		}},
	} {
		b := NewBuilder(c.name)
		b.Output("y", c.declare(b, b.Input("x", Vertices, Cols(16))))
		p, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		l := Memory([]*Program{p}, w.Extent)
		if got := l.Size - l.Kept; got > c.rows*row+64*c.rows || got < c.rows*row {
			t.Errorf("%s: %d bytes beside what is kept, want %d values of %d", c.name, got, c.rows, row)
		}
	}
}

// TestKeysTellSpacesApart: two sums that print alike, over N and over N̂, have
// places of their own when both are computed once.
func TestKeysTellSpacesApart(t *testing.T) {
	b := NewBuilder("both")
	x := b.Input("x", Vertices, featureCols)
	over := func(s Space) Value { return b.Sum(b.Scatter(x, Src, s), Dst) }
	both := b.Concat(over(Edges), over(LoopEdges))
	b.Output("loss", b.CrossEntropy(b.Linear(both, Cols(3))))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	w := fewWorlds(t)[4]
	x0 := randomExec(w, p, 1)
	_, train := compileBoth(t, p, w.facts(x0.Target))
	layout := Memory([]*Program{train}, w.Extent)
	m := newMachine(w, x0, train, &layout)
	m.step(0)
	want := results(t, p, x0)["loss"]
	if got := dense(m.values[train.Output("loss")]); apart(got, want) > kernelTolerance {
		t.Errorf("loss %v, want %v\n%v", got, want, train)
	}
}
