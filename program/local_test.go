package program_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/model"
	. "github.com/weft-gnn/weft/program"
)

// query compiles p for inference in a world and returns its part that runs for
// some vertices, and the leaves that it reads.
func query(t failer, w world, p *Program, x *RefExec, f Facts) *Program {
	t.Helper()
	q, err := Compile(p, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	once, q := Apart(q)
	values, err := Interpret(once, x)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range once.Outputs {
		x.Leaves["input."+o.Name] = values[o.Value]
	}
	for _, n := range q.Nodes {
		if in, ok := n.Op.(Input); ok {
			if of, param := strings.CutPrefix(in.Name, "param."); param {
				x.Leaves[in.Slot()] = x.Leaves["param."+of]
			}
		}
	}
	return q
}

// TestApartIsTheProgram: what runs once, and then the rest, computes the same.
func TestApartIsTheProgram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := randomWorld(t)
		p := randomProgram(t, 4)
		x := randomExec(w, p, 1)
		whole, err := Compile(p, w.facts(x.Target), nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Interpret(whole, &x)
		if err != nil {
			t.Fatal(err)
		}
		q := query(t, w, p, &x, w.facts(x.Target))
		for _, n := range q.Nodes {
			if _, param := n.Op.(Param); param || n.Stage == Pre {
				t.Fatalf("%v is left in\n%v", n.Op, q)
			}
		}
		got, err := Interpret(q, &x)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range whole.Outputs {
			if !slices.Equal(got[q.Output(o.Name)].Data, want[o.Value].Data) {
				t.Fatalf("%s: got %v, want %v\n%v", o.Name, got[q.Output(o.Name)], want[o.Value], q)
			}
		}
	})
}

// logitsOf drops all outputs but the logits.
func logitsOf(p *Program) *Program {
	q := *p
	q.Outputs = []Output{{Name: "logits", Value: p.Output("logits")}}
	return &q
}

// TestLocalIsEnough: rows of inputs that Local does not name may be anything.
// The rows asked for stay as they are, to the last bit.
func TestLocalIsEnough(t *testing.T) {
	ran := 0
	rapid.Check(t, func(t *rapid.T) {
		w := randomWorld(t)
		p := logitsOf(randomProgram(t, 4))
		x := randomExec(w, p, 1)
		q := query(t, w, p, &x, w.facts(x.Target))
		l, err := q.Local()
		if err != nil {
			checkRefused(t, q, err)
			return
		}
		ran++
		want, err := Interpret(q, &x)
		if err != nil {
			t.Fatal(err)
		}
		seed := rapid.IntRange(0, w.g.N-1).Draw(t, "seed")
		spoil(w, q, l, &x, seed)
		got, err := Interpret(q, &x)
		if err != nil {
			t.Fatal(err)
		}
		y := q.Output("logits")
		if a, b := got[y].Row(seed), want[y].Row(seed); !slices.Equal(a, b) {
			t.Fatalf("vertex %d: %v of its neighbourhood, %v of the whole\n%v", seed, a, b, q)
		}
	})
	if ran == 0 {
		t.Error("no program was local")
	}
}

// spoil makes rows of inputs NaN that l does not name: those of vertices that
// are farther from the seed, against the direction of arcs, and of the edges
// into them.
func spoil(w world, q *Program, l Local, x *RefExec, seed int) {
	far := slices.Repeat([]int{1 << 30}, w.g.N)
	far[seed] = 0
	for range w.g.N {
		for v := range w.g.N {
			for _, u := range w.NHat.Col[w.NHat.Ptr[v]:w.NHat.Ptr[v+1]] {
				far[u] = min(far[u], far[v]+1)
			}
		}
	}
	for i, n := range q.Nodes {
		in, ok := n.Op.(Input)
		if !ok || n.Type.Space == One {
			continue
		}
		m := x.Leaves[in.Slot()]
		m.Data = slices.Clone(m.Data)
		for r := range m.Rows {
			v := r
			if n.Type.Space != Vertices {
				v = int(ends(x.Block(n.Type.Space), Dst)[r])
			}
			if far[v] > l.Rows[i] {
				for j := range m.Cols {
					m.Set(r, j, math.NaN())
				}
			}
		}
		x.Leaves[in.Slot()] = m
	}
}

// checkRefused checks that a program that is not local has a reason.
func checkRefused(t *rapid.T, q *Program, err error) {
	var refused *NotLocalError
	if !errors.As(err, &refused) {
		t.Fatal(err)
	}
	for _, n := range q.Nodes {
		if s := n.Op.String(); strings.Contains(s, "member") || strings.Contains(s, "(src, edges") || strings.Contains(s, "(sum, src)") || n.Type.Space == Graphs {
			return
		}
	}
	t.Fatalf("%v, but nothing sums over a graph or at sources\n%v", err, q)
}

// TestLocalOfModels: L layers read L hops, an MLP none, all passes run or only
// those that are needed, features dense or sparse.
func TestLocalOfModels(t *testing.T) {
	w := fewWorlds(t)[4]
	for _, m := range model.All() {
		for layers := range 4 {
			o := m.Defaults
			o.Layers = layers + 1
			want := o.Layers
			if m.Name == "mlp" {
				want = 0
			}
			p, err := m.Declare(model.NamedWidths(featureCols.N, 3, o), o)
			if err != nil {
				t.Fatal(err)
			}
			x := randomExec(w, p, 1)
			f := w.facts(x.Target)
			p.Widths(f.Env)
			f.Steps, f.FoldBytes = 1, 0
			q := query(t, w, p, &x, f)
			l, err := q.Local()
			if err != nil {
				t.Fatal(err)
			}
			if got := q.Level()[q.Output("logits")]; l.Hops != want || got != want {
				t.Errorf("%s of %d layers: %d hops, level %d, want %d\n%v", m.Name, o.Layers, l.Hops, got, want, q)
			}
		}
	}
}

// What sums over more than a neighbourhood is refused, and said to be.
func TestNotLocal(t *testing.T) {
	for _, c := range []struct {
		name, op string
		declare  func(b *Builder, x Value) Value
	}{
		{"pooling", "Scatter(member)", func(b *Builder, x Value) Value { return b.Broadcast(b.SumPool(x)) }},
		{"sum at sources", "SpMM(src, edges)", func(b *Builder, x Value) Value { return b.Sum(b.Scatter(x, Dst, Edges), Src) }},
		{"batch statistics", "ColumnSum", func(b *Builder, x Value) Value {
			return b.AddBias(x, b.ColumnSum(x))
		}},
	} {
		b := NewBuilder(c.name)
		b.Output("logits", c.declare(b, b.Input("x", Vertices, featureCols)))
		p, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		w := fewWorlds(t)[0]
		x := randomExec(w, p, 1)
		f := w.facts(x.Target)
		f.FoldBytes = 0
		_, err = query(t, w, p, &x, f).Local()
		var refused *NotLocalError
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", c.name, err)
		} else if !strings.Contains(err.Error(), c.op) {
			t.Errorf("%v, want one that names %s", err, c.op)
		}
	}
	// coefficients are those of the whole graph, which a neighbourhood lacks
	b := NewBuilder("unfolded")
	b.Output("logits", b.HeadScale(b.Input("x", Vertices, featureCols), b.VertexCoef(InvDegree)))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Local(); err == nil || !strings.Contains(err.Error(), "Coef(invdegree)") {
		t.Errorf("a coefficient of the step: %v", err)
	}
	b = NewBuilder("sum")
	b.Output("logits", b.ColumnSum(b.Input("x", Vertices, featureCols)))
	if p, err = b.Build(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Local(); err == nil || !strings.Contains(err.Error(), "output logits, one[1×a],") {
		t.Errorf("an output that is not vertices: %v", err)
	}
}
