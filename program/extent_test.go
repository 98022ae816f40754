package program_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/graphcase"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/model"
	. "github.com/weft-gnn/weft/program"
	"github.com/weft-gnn/weft/tensor"
)

// TestExtentCounts compares the symbols with counts taken from the edge list.
func TestExtentCounts(t *testing.T) {
	for _, c := range graphcase.All() {
		w := newWorld(t, c)
		in, out, loops, arcs := make([]int64, c.N), make([]int64, c.N), int64(0), int64(0)
		for i, u := range c.Src {
			v := c.Dst[i]
			in[v]++
			out[u]++
			if u == v {
				loops++
			} else {
				arcs++
			}
		}
		largest := func(d []int64) int64 { return slices.Max(append(d, 0)) }
		want := map[string]int64{
			"n": int64(c.N), "m": arcs, "ℓ": loops, "m̂": arcs + int64(c.N),
			"d": largest(in), "d_out": largest(out), "B": 4, "s": int64(c.N - c.N/3), "nnz": int64(w.X.Edges()),
		}
		for i, u := range c.Src { // of each vertex the loops give way to one
			if u == c.Dst[i] {
				in[u]--
				out[u]--
			}
		}
		for v := range in {
			in[v]++
			out[v]++
		}
		want["d̂"], want["d̂_out"] = largest(in), largest(out)
		env := w.Env()
		for name, v := range want {
			if got, ok := env[name]; !ok || got != v {
				t.Errorf("%s: %s is %d, want %d", c.Name, name, got, v)
			}
		}
		if len(env) != len(want) {
			t.Errorf("%s: symbols %v, want %v", c.Name, env, want)
		}
	}
}

// TestEnvOfSizes: sizes that were written down say what blocks say.
func TestEnvOfSizes(t *testing.T) {
	for _, c := range graphcase.All() {
		g, err := graph.FromCOO(c.N, c.Src, c.Dst, nil, graph.Policy{Duplicates: graph.Keep})
		if err != nil {
			t.Fatal(err)
		}
		want := Extent{N: g.Block(), NHat: g.LoopBlock()}.Env()
		if got := EnvOf(g.Sizes()); !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", c.Name, got, want)
		}
	}
}

// TestExtentOfUsesWhatIsRead: only the edge spaces that a program walks are
// built, whatever form it has.
func TestExtentOfUsesWhatIsRead(t *testing.T) {
	w := fewWorlds(t)[4]
	for name, want := range map[string][2]bool{"mlp": {true, false}, "gcn": {false, true}, "sage": {true, false}, "gin": {true, false}, "gat": {false, true}} {
		m, err := model.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		p := objective(t, m, 2)
		f := w.facts(RefTarget{})
		p.Widths(f.Env)
		infer, train := compileBoth(t, p, f)
		for _, q := range []*Program{p, infer, train} {
			e := ExtentOf(w.g, q)
			if got := [2]bool{e.N != nil, e.NHat != nil}; got != want {
				t.Errorf("%s: N and N̂ are %v, want %v\n%v", name, got, want, q)
			}
			if got := e.Rows(Type{Space: Vertices}); got != w.g.N {
				t.Errorf("%s: %d vertices, want %d", name, got, w.g.N)
			}
		}
	}
}

// TestSparseOf: the entries say what the matrix says.
func TestSparseOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(0, 5).Draw(t, "rows"), rapid.IntRange(0, 5).Draw(t, "columns")
		x := tensor.New(rows, cols)
		for i := range x.Data {
			x.Data[i] = rapid.SampledFrom([]float32{0, 0, 0, 1, -2, float32(math.NaN())}).Draw(t, "value")
		}
		s := SparseOf(x)
		if n := Nonzeros(x); int(n) != s.Block.Edges() || s.Values.Rows != int(n) {
			t.Fatal(n, "values are not zero, but there are", s.Block.Edges(), "entries")
		}
		back := Densify{Cols(cols)}.Reference(&RefExec{X: s.Block}, []Dense{dense(s.Values)})
		if apart(back, dense(x)) != 0 {
			t.Fatal("got", back, "want", x.Data)
		}
	})
}

// TestDeaths: a value dies with the last operation that reads it, once, unless
// it is kept, a result, or overwritten by that operation.
func TestDeaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := randomWorld(t)
		p := randomProgram(t, 5)
		f := w.facts(RefTarget{})
		f.Skip = map[string]bool{"reorder": true}
		_, train := compileBoth(t, p, f)
		layout := Memory([]*Program{train}, w.Extent)
		died := map[Value]int{}
		for i, vs := range train.Deaths(w.Extent) {
			for _, v := range vs {
				if _, twice := died[v]; twice {
					t.Fatal("value", v, "dies twice\n", train)
				}
				died[v] = i
			}
		}
		for i, n := range train.Nodes {
			v := Value(i)
			last, over := lastRead(train, v, layout)
			_, view := n.Op.(View)
			lives := view || train.Kept(v) || over || layout.Offset[0][v] == Outside || slices.ContainsFunc(train.Outputs, func(o Output) bool { return o.Value == v })
			if at, dies := died[v]; dies == lives || dies && at != last {
				t.Fatal("value", v, n.Op, "dies with", at, dies, "and is last read by", last, "\n", train)
			}
		}
	})
}

// lastRead returns the last operation that reads v or a view of it, itself where none
// does, and whether that operation took its place.
func lastRead(p *Program, v Value, l Layout) (last int, over bool) {
	last = int(v)
	for i, n := range p.Nodes {
		if n.Stage == p.Nodes[v].Stage && slices.ContainsFunc(n.In, func(u Value) bool { return behind(p, u) == v }) {
			last = i
		}
	}
	operand, ok := p.Nodes[last].Over()
	return last, ok && last != int(v) && operand == v && l.Offset[0][v] == l.Offset[0][last]
}

// TestInitialBounds are those of the papers: Glorot and Bengio's √(6/(a+b)), and
// the √(1/a) of PyTorch's Linear.
func TestInitialBounds(t *testing.T) {
	b := NewBuilder("init")
	for _, c := range []struct {
		v    Value
		want float64
	}{
		{b.Param("glorot", Cols(2), Cols(4), Glorot), 1},
		{b.Param("kaiming", Cols(4), Cols(2), Kaiming), 0.5},
		{b.Param("ones", Cols(4), Cols(2), Ones), 0},
		{b.Bias("bias", Cols(4)), 0},
		{b.HeadVector("vector", Cols(20), Cols(5)), 1}, // 5×1 each
	} {
		p, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Nodes[c.v].Op.(Param).Bound(); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: ±%v, want ±%v", p.Nodes[c.v].Op, got, c.want)
		}
	}
}

// TestOptimizerNames are read as they are written.
func TestOptimizerNames(t *testing.T) {
	for _, k := range []OptimizerKind{AdamKind, AdamWKind, SGDKind} {
		text, err := k.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var got OptimizerKind
		if err := got.UnmarshalText(text); err != nil || got != k {
			t.Errorf("%s is read as %v, %v", text, got, err)
		}
	}
	var k OptimizerKind
	if err := k.UnmarshalText([]byte("adagrad")); err == nil {
		t.Error("adagrad was read")
	}
}

// TestUpdatesOfBackward: each optimiser updates every parameter with its own
// state, decay spares biases, and defaults are the papers'.
func TestUpdatesOfBackward(t *testing.T) {
	m, err := model.ByName("gcn")
	if err != nil {
		t.Fatal(err)
	}
	p := objective(t, m, 2)
	for _, c := range []struct {
		Optimizer
		weight, bias Op
		states       int
	}{
		{Optimizer{}, Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}, Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}, 2},
		{Optimizer{Kind: AdamWKind, Decay: 0.5, Beta1: 0.8}, Adam{Beta1: 0.8, Beta2: 0.999, Epsilon: 1e-8, Decay: 0.5}, Adam{Beta1: 0.8, Beta2: 0.999, Epsilon: 1e-8}, 2},
		{Optimizer{Kind: SGDKind}, SGD{}, SGD{}, 0},
		{Optimizer{Kind: SGDKind, Momentum: 0.5}, SGD{Momentum: 0.5}, SGD{Momentum: 0.5}, 1},
	} {
		q, err := Backward(p, c.Optimizer)
		if err != nil {
			t.Fatal(err)
		}
		var updated []Value
		states := map[string]bool{}
		for _, n := range q.Nodes {
			if s, ok := n.Op.(State); ok {
				states[s.Name] = true
			}
			if !isEffect(n.Op) {
				continue
			}
			updated = append(updated, n.In[0])
			want := c.weight
			if q.Nodes[n.In[0]].Op.(Param).Bias {
				want = c.bias
			}
			if n.Op != want || len(n.Op.(Effect).Writes()) != 1+c.states {
				t.Errorf("%v: %v is updated by %#v, want %#v", c.Optimizer, q.Nodes[n.In[0]].Op, n.Op, want)
			}
		}
		if !slices.Equal(updated, q.Params()) || len(states) != c.states*len(q.Params()) {
			t.Errorf("%v: updates of %v with states %v", c.Optimizer, updated, states)
		}
	}
}

// TestSelectNaN: a NaN wins its own segment and column, and no other.
func TestSelectNaN(t *testing.T) {
	w := small(t, 5, 0, [2]int32{2, 0}, [2]int32{3, 0}, [2]int32{4, 1})
	nan := math.NaN()
	for _, of := range []Reduction{Max, Min} {
		for _, x := range [][]float64{{0, 0, 1, nan, 2}, {0, 0, nan, 1, 2}, {0, 0, nan, nan, 2}} {
			got := evaluate(t, w, column(x...), func(b *Builder, x Value) Value { return b.Select(b.Scatter(x, Src, Edges), of, Dst) })
			if !math.IsNaN(got[0]) || got[1] != 2 || got[2] != 0 {
				t.Errorf("%v of %v: %v, want NaN, 2, 0", of, x, got)
			}
		}
	}
}

// TestActivations: the references of functions and of their derivatives agree,
// where a derivative is stated in the result.
func TestActivations(t *testing.T) {
	for _, f := range funcs() {
		if f.GradFrom() != kernel.Output {
			continue
		}
		d, _ := domains(f)
		s := source(uint64(f.Kind))
		for range 50 {
			x := d.draw(s)
			at := func(x float64) float64 { return Unary{f}.Reference(nil, []Dense{column(x)}).Data[0] }
			const h = 1e-6
			want := (at(x+h) - at(x-h)) / (2 * h)
			got := UnaryGrad{f}.Reference(nil, []Dense{column(at(x)), column(1)}).Data[0]
			if math.Abs(got-want) > 1e-7*(1+math.Abs(want)) {
				t.Errorf("%v'(%v) is %v, central differences give %v", f.Kind, x, got, want)
			}
		}
	}
}

// TestReferenceOfWrongShape: Interpret names the operation whose reference does
// not have its shape.
func TestReferenceOfWrongShape(t *testing.T) {
	w := fewWorlds(t)[4]
	b := NewBuilder("test")
	x := b.Input("x", Vertices, dimA)
	b.Output("y", b.ReLU(x))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	exec := w.exec(RefTarget{})
	exec.Leaves["input.x"] = NewDense(3, 3)
	want := "program: test, operation 1, relu: the reference gave 3×3, the shape is 17×3"
	if _, err := Interpret(p, &exec); err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}
