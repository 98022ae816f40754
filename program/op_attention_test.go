package program_test

import (
	"testing"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/graph"
	"github.com/weft-gnn/weft/internal/gradcheck"
	"github.com/weft-gnn/weft/kernel"
	"github.com/weft-gnn/weft/model"
	. "github.com/weft-gnn/weft/program"
)

// attentionCases: what attention replaces is 7mH + 2mk; its gradient computes
// the coefficients and the products again.
func attentionCases() []opCase {
	k, n := dimK, nV
	var cs []opCase
	for _, s := range edgeSpaces {
		m := s.rows
		for _, heads := range []int{1, 3} {
			for _, p := range []float32{0, 0.5} {
				h := dimH(heads)
				o := Attention{Over: s.space, Heads: h, Slope: 0.25}
				masked := 0
				if p != 0 {
					o.Mask, masked = Dropout{P: p, Site: 3, Over: s.space}, 2
				}
				mk, mh, d, f := times(m, k), times(m, h), lg(degree[s.space][Dst]), lg(cost.CeilDiv(k.Expr, h.Expr))
				byDst := plus(vPtr, words(m, mk, mh, times(n, k), times(n, h)))
				// Scores are not at the kink.
				z, r, l, from := vertices(k), vertices(h).from(awayFromZero), vertices(h).from(slight), vertices(h.Times(Cols(4))).from(slight)
				cs = append(cs,
					opCase{op: o, in: []operand{z, r, l}, Cost: is(plus(times(2, mk), times(7+masked, mh)), plus(6+masked, times(3, d)), byDst)},
					opCase{op: AttentionGradDst(o), in: []operand{z, r, l, z}, curved: 2,
						Cost: is(plus(times(2, mk), times(14+masked, mh), times(2, n, h)),
							plus(5, times(2, d), cost.Max(plus(5, times(2, d)), plus(1+masked, f))), plus(byDst, words(times(4, n, h))))},
					opCase{op: AttentionGradSrc(o), in: []operand{z, r, z, from}, curved: 2,
						Cost: is(plus(times(4, mk), times(9+2*masked, mh)), plus(3, lg(degree[s.space][Src]), cost.Max(expr(4), plus(2+masked, f))),
							plus(vPtr, words(m, mk, times(4, mh), times(2, n, k), times(2, n, h))))})
				if heads == 3 && p == 0 && s.space == Edges {
					cs = append(cs, opCase{op: Tailed{Base: AttentionGradSrc(o), Arity: 4, Steps: [kernel.MaxTail]Op{AddOwnOuter{}}, Len: 1},
						in: []operand{z, r, z, from, one(Cols(1), k)}, curved: 2,
						Cost: is(plus(times(4, mk), times(9, mh), times(2, n, k)), plus(5, lg(degree[s.space][Src]), cost.Max(expr(4), plus(2, f))),
							plus(vPtr, words(m, mk, times(4, mh), times(2, n, k), times(2, n, h), k)))})
				}
			}
		}
	}
	return cs
}

// attends declares attention as models do, and as one op.
func attends(o Attention) (composed, whole func(b *Builder, in []Value) Value) {
	composed = func(b *Builder, in []Value) Value {
		e := b.AddValues(b.Scatter(in[1], Src, o.Over), b.Scatter(in[2], Dst, o.Over))
		α := b.EdgeSoftmax(b.LeakyReLU(e, o.Slope))
		if o.Mask.P != 0 {
			α = b.Add(o.Mask, α)
		}
		return b.Sum(b.HeadScale(b.Scatter(in[0], Src, o.Over), α), Dst)
	}
	return composed, add(o)
}

// TestAttentionEqualsComposed: values and gradients of every operand, and both
// against central differences, on every labelled graph.
func TestAttentionEqualsComposed(t *testing.T) {
	for _, s := range edgeSpaces {
		for _, p := range []float32{0, 0.5} {
			o := Attention{Over: s.space, Heads: dimH(3), Slope: 0.2}
			if p != 0 {
				o.Mask = Dropout{P: p, Site: 1, Over: s.space}
			}
			parts, one := attends(o)
			c := composition{in: []operand{vertices(dimK), vertices(o.Heads).from(awayFromZero), vertices(o.Heads).from(slight)}}
			for i, w := range mediumWorlds(t) {
				whole, values := c.differentiate(t, w, one, uint64(i))
				composed, want := c.differentiate(t, w, parts, uint64(i))
				for k := range want {
					if apart(values[k], want[k]) > float64Tolerance {
						t.Errorf("%v, %s: value or gradient %d is %.3g apart", o, w.name, k, apart(values[k], want[k]))
					}
				}
				for _, problem := range []gradcheck.Problem{whole, composed} {
					if err := problem.Directions(1, 1); err != nil {
						t.Errorf("%v, %s: %v", o, w.name, err)
					}
				}
			}
		}
	}
}

// TestAttentionKernelsEqualComposed: a training step's loss and gradients by the
// kernels of one op and by those of the composition.
func TestAttentionKernelsEqualComposed(t *testing.T) {
	for _, p := range []float32{0, 0.5} {
		o := Attention{Over: LoopEdges, Heads: dimH(4), Slope: 0.2}
		if p != 0 {
			o.Mask = Dropout{P: p, Site: 1, Over: LoopEdges}
		}
		parts, one := attends(o)
		for i, w := range worlds(t) {
			got, want := w.gradients(t, o, one, uint64(i)), w.gradients(t, o, parts, uint64(i))
			for k := range want {
				if apart(got[k], want[k]) > 4*kernelTolerance {
					t.Errorf("%v, %s: value or gradient %d is %.3g apart", o, w.name, k, apart(got[k], want[k]))
				}
			}
		}
	}
}

// gradients returns f and the gradients of ⟨q, f⟩ as kernels compute them.
func (w world) gradients(t *testing.T, o Attention, f func(*Builder, []Value) Value, seed uint64) []Dense {
	t.Helper()
	b := NewBuilder("attention")
	in := []Value{b.Input("z", Vertices, dimK), b.Input("r", Vertices, o.Heads), b.Input("l", Vertices, o.Heads)}
	y := f(b, in)
	b.Output("y", y)
	loss := b.Add(InnerProduct{}, y, b.Input("q", Vertices, dimK))
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	q, grads, err := Grad(p, loss, in)
	if err != nil {
		t.Fatal(err)
	}
	x, s := w.exec(RefTarget{}), source(seed)
	for _, v := range []struct {
		name string
		cols Dim
	}{{"z", dimK}, {"r", o.Heads}, {"l", o.Heads}, {"q", dimK}} {
		x.Leaves["input."+v.name] = w.draw(s, vertices(v.cols).Type, anything)
	}
	m := newMachine(w, x, q, nil)
	m.step(x.Step)
	out := []Dense{dense(m.values[y])}
	for _, g := range grads {
		out = append(out, dense(m.values[g]))
	}
	return out
}

// attendings are what Attend finds, and what it leaves alone.
func attendings() []rewriting {
	layer := func(f func(b *Builder, e Value) Value, over Space) func(b *Builder, x Value) Value {
		return func(b *Builder, x Value) Value {
			e := b.AddValues(b.Scatter(x, Dst, over), b.Scatter(x, Src, over))
			return b.Sum(b.HeadScale(b.Scatter(x, Src, over), f(b, e)), Dst)
		}
	}
	leaky := func(slope float32) func(b *Builder, e Value) Value {
		return func(b *Builder, e Value) Value { return b.EdgeSoftmax(b.LeakyReLU(e, slope)) }
	}
	const apart = "Scatter(dst); Scatter(src); Add; Scatter(src); "
	const sum = "HeadScale; Aggregate(sum, dst)"
	return []rewriting{
		{"attend", "attention", layer(leaky(0.2), LoopEdges), "Attention(a)", nil},
		{"attend", "attention over N", layer(leaky(1), Edges), "Attention(a)", nil},
		{"attend", "with dropout", layer(func(b *Builder, e Value) Value { return b.Dropout(leaky(0.2)(b, e), 0.5) }, Edges),
			"Attention(a, dropout 0.5, site 0)", nil},
		{"attend", "a slope above 1", layer(leaky(2), Edges), apart + "leaky-relu(2); EdgeSoftmax; " + sum, nil},
		{"attend", "no slope", layer(leaky(0), Edges), apart + "leaky-relu; EdgeSoftmax; " + sum, nil},
		{"attend", "another function", layer(func(b *Builder, e Value) Value { return b.EdgeSoftmax(b.ELU(e)) }, Edges),
			apart + "elu(1); EdgeSoftmax; " + sum, nil},
		{"attend", "no softmax", layer(func(b *Builder, e Value) Value { return b.LeakyReLU(e, 0.2) }, Edges), apart + "leaky-relu(0.2); " + sum, nil},
		{"attend", "coefficients that are a result", layer(func(b *Builder, e Value) Value {
			α := leaky(0.2)(b, e)
			b.Output("α", α)
			return α
		}, Edges), apart + "leaky-relu(0.2); EdgeSoftmax; " + sum, nil},
	}
}

// TestAttendMatchesModels: GAT's layers become one op each, in training and in
// inference.
func TestAttendMatchesModels(t *testing.T) {
	gat, err := model.ByName("gat")
	if err != nil {
		t.Fatal(err)
	}
	p := objective(t, gat, 2)
	for _, train := range []bool{false, true} {
		f := fewWorlds(t)[4].facts(RefTarget{})
		p.Widths(f.Env)
		if train {
			f.Optimizer = &Optimizer{}
		}
		q, err := Compile(p, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		for _, n := range q.Nodes {
			count[opName(BaseOf(n.Op))]++
			if n.Type.Space.IsEdges() {
				t.Errorf("train %v: %v gives a value per edge", train, n.Op)
			}
		}
		want := map[string]int{"Attention": 2, "AttentionGradDst": 0, "AttentionGradSrc": 0}
		if train {
			want["AttentionGradDst"], want["AttentionGradSrc"] = 2, 2
		}
		for name, n := range want {
			if count[name] != n {
				t.Errorf("train %v: %d of %s, want %d", train, count[name], name, n)
			}
		}
	}
}

// TestAttentionMemory: GAT on n = 1e5 vertices and m = 5e6 edges with k = 256
// columns in H = 8 heads trains in 4nk + mH words, its layout says; a value per
// edge and column alone would be mk.
func TestAttentionMemory(t *testing.T) {
	const n, m, k, heads = 100_000, 5_000_000, 256, 8
	hat := &graph.Block{Dst: n, Src: n, Ptr: make([]int64, n+1), Col: make([]int32, m+n)}
	for v := range n + 1 {
		hat.Ptr[v] = int64(v) * (m + n) / n
	}
	e := Extent{NHat: hat}
	gat, err := model.ByName("gat")
	if err != nil {
		t.Fatal(err)
	}
	for _, dropout := range []float64{0, 0.6} {
		o := gat.Defaults
		o.Hidden, o.Heads, o.Dropout, o.EdgeDropout = k, heads, dropout, dropout
		p, err := gat.Objective(model.NamedWidths(k, 40, o), o, model.CrossEntropy, model.Decay{})
		if err != nil {
			t.Fatal(err)
		}
		f := Facts{Env: e.Env(), Steps: 100, FoldBytes: -1, Optimizer: &Optimizer{}}
		p.Widths(f.Env)
		f.Env["t"], f.Env["τ"] = n, 0
		q, err := Compile(p, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		words := Memory([]*Program{q}, e).Size / 4
		t.Logf("dropout %v: %.2f nk", dropout, float64(words)/(n*k))
		if bound := int64(4*n*k + m*heads); words > bound {
			t.Errorf("dropout %v: the arena has %d words, want at most 4nk + mH = %d", dropout, words, bound)
		}
	}
}
