package program_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	. "github.com/weft-gnn/weft/program"
)

// pool are operands that an op may be given, right or wrong.
func pool(over Space) []operand {
	out := []operand{
		vertices(dimB), vertices(dimB).narrow(), vertices(dimK), vertices(dimH(3)), vertices(dimK.Plus(dimH(3))), vertices(Cols(1)),
		edges(dimB), edges(dimK), edges(dimH(3)),
		loopEdges(dimB), loopEdges(dimH(3)),
		graphs(dimB), entries(), scalar(),
		one(dimA, dimB), one(dimB, dimA), one(Cols(1), dimB), one(Cols(1), dimK), one(Cols(1), dimH(3)),
		index(ArgSelect{Max, Member, Vertices}, dimB),
	}
	if over == Edges || over == LoopEdges {
		out = append(out, index(ArgSelect{Max, Dst, over}, dimB))
	}
	return out
}

// indexed returns the space whose rows an op's index counts.
func indexed(op Op) Space {
	switch o := op.(type) {
	case Pick:
		return o.Over
	case Route:
		return o.To
	}
	return Edges
}

// TestAcceptedShapesCompute gives every op every operand of the pool, up to the
// number that it takes and three. Where Shape accepts, everything else that an op promises
// works: the reference has the shape, gradients have those of the operands, the
// cost has a value, and kernel and reference agree. Where it refuses, it says
// something.
func TestAcceptedShapesCompute(t *testing.T) {
	w := splitWorld(t)
	seen := map[string]bool{}
	for _, c := range opCases() {
		_, leaf := c.op.(Leaf)
		if key := fmt.Sprintf("%#v", c.op); leaf || isEffect(c.op) || seen[key] {
			continue
		} else {
			seen[key] = true
		}
		accepted := 0
		c.eachOperands(min(3, len(c.in)), func(in []operand) {
			d := opCase{op: c.op, in: in}
			out, err := c.op.Shape(d.types())
			if err == nil {
				accepted++
				d.checkAccepted(t, w, out)
			} else if len(err.Error()) < 10 {
				t.Errorf("%v: refused with %q", d, err)
			}
		})
		if accepted == 0 && len(c.in) <= 3 {
			t.Errorf("%v accepts no operands of the pool", c.op)
		}
	}
}

// eachOperands calls f with every sequence of up to n operands of the pool.
func (c opCase) eachOperands(n int, f func([]operand)) {
	all := pool(indexed(c.op))
	in := make([]operand, 0, n)
	var next func()
	next = func() {
		f(append([]operand(nil), in...))
		if len(in) == n {
			return
		}
		for _, o := range all {
			in = append(in, o)
			next()
			in = in[:len(in)-1]
		}
	}
	next()
}

func (c opCase) checkAccepted(t *testing.T, w world, out Type) {
	t.Helper()
	if _, ok := c.op.(SparseMatMul); ok && c.in[1].Rows.N != featureCols.N {
		return // features do not say how many columns they have
	}
	r := newRun(t, c, w, 5) // Interpret compares the reference's shape with out
	env := w.env(r.ref.Target)
	stated := c.op.Cost(c.types(), out)
	for _, e := range []cost.Expr{stated.Work, stated.Bytes, stated.Depth} {
		if v, err := e.Eval(env); err != nil || v < 0 {
			t.Errorf("%v: the cost %v is %d, %v", c, e, v, err)
		}
	}
	in, y := r.tensors(c), room(r.rows, out)
	r.kernels(in, y)
	if got, want := fromTensor(y, out), c.op.Reference(r.ref, r.in); apart(got, want) > tolerance(out) {
		t.Errorf("%v: the kernel is %.3g apart from the reference", c, apart(got, want))
	}
	c.checkGradTypes(t)
}

func (c opCase) checkGradTypes(t *testing.T) {
	t.Helper()
	d := c.declare()
	if d.b.Type(d.y).Index {
		return
	}
	dy := d.input("dy", wide(d.b.Type(d.y)), anything)
	grads := c.op.Grad(d.b, d.in, d.y, dy)
	if len(grads) != len(c.in) {
		t.Errorf("%v: %d gradients of %d operands", c, len(grads), len(c.in))
		return
	}
	p, err := d.b.Build()
	if err != nil {
		if !strings.Contains(err.Error(), "second derivative") && !strings.Contains(err.Error(), "not learned") {
			t.Errorf("%v: %v", c, err)
		}
		return
	}
	for i, g := range grads {
		if g == None {
			continue
		}
		got, want := p.Type(g), c.in[i].Type
		if got.Space != want.Space || got.Cols.N != want.Cols.N || got.Space == One && got.Rows.N != want.Rows.N || got.Index || got.BFloat16 {
			t.Errorf("%v: gradient %d is %v", c, i, got)
		}
	}
}

// TestWrongOperandsAreNamed: the mistakes that declarations make, and what they
// are told.
func TestWrongOperandsAreNamed(t *testing.T) {
	a, b, k := dimA, dimB, dimK
	x, e, g := vertices(a), edges(a), graphs(a)
	for _, c := range []struct {
		op   Op
		in   []operand
		want string
	}{
		{Unary{kernel.Func{Kind: kernel.ReLU}}, nil, "got 0 operands, want 1"},
		{Unary{kernel.Func{Kind: kernel.ReLU}}, []operand{x, x}, "got 2 operands, want 1"},
		{Unary{kernel.Func{Kind: kernel.ReLU}}, []operand{index(ArgSelect{Max, Dst, Edges}, a)}, "operand 0 is an index of rows, want numbers"},
		{Unary{kernel.Func{Kind: kernel.LeakyReLU, Param: -1}}, []operand{x}, "leaky-relu is -1, want at least 0"},
		{UnaryGrad{kernel.Func{Kind: kernel.Scale}}, []operand{x, x}, "derivative of scale is constant"},
		{Affine{Func: kernel.Func{Kind: kernel.Log}}, []operand{x, one(a, b)}, "derivative of log needs the product"},
		{Affine{Bias: true}, []operand{x, one(a, b), one(Cols(1), a)}, "got one[1×a], want one[1×b]"},
		{Binary{Plus}, []operand{x, vertices(b)}, "operands differ: vertices[a] and vertices[b]"},
		{Binary{Plus}, []operand{x, e}, "operands differ: vertices[a] and edges[a]"},
		{MatMul{}, []operand{x, one(b, a)}, "vertices[a] does not multiply one[b×a]"},
		{MatMul{}, []operand{x, x}, "vertices[a] does not multiply vertices[a]"},
		{MatMulT{}, []operand{x, e}, "operands have different rows: vertices[a] and edges[a]"},
		{MatMulT{}, []operand{one(a, b), one(b, b)}, "operands have different rows: one[a×b] and one[b×b]"},
		{AddBias{}, []operand{x, one(a, a)}, "got one[a×a], want one[1×a]"},
		{ScaleBy{}, []operand{x, one(Cols(1), a)}, "want one[1×1]"},
		{Concat{}, []operand{x, e}, "operands have different rows"},
		{Slice{From: Cols(2), Width: Cols(2)}, []operand{x}, "columns 2 to 4 of 3"},
		{Slice{From: Cols(-1), Width: Cols(2)}, []operand{x}, "columns -1 to 1 of 3"},
		{Pad{From: Cols(2), Width: Cols(4)}, []operand{x}, "3 columns at 2 do not fit 4"},
		{HeadSum{Cols(2)}, []operand{x}, "3 columns do not split into 2 heads"},
		{HeadSum{Cols(0)}, []operand{x}, "3 columns do not split into 0 heads"},
		{HeadRepeat{Cols(0)}, []operand{x}, "0 heads, want at least 1"},
		{HeadScale{}, []operand{vertices(k), vertices(b)}, "12 columns do not split into 5 heads"},
		{HeadProject{Cols(3)}, []operand{x, one(Cols(1), b)}, "got one[1×b], want one[1×a]"},
		{Scatter{Src, Edges}, []operand{e}, "got edges[a], want vertices"},
		{Scatter{Member, Vertices}, []operand{x}, "got vertices[a], want graphs"},
		{Scatter{Src, Graphs}, []operand{x}, "src leads from edges, not from graphs"},
		{Aggregate{Dst, LoopEdges}, []operand{e}, "got edges[a], want edges+loops"},
		{Aggregate{Member, Edges}, []operand{e}, "member leads from vertices, not from edges"},
		{Aggregate{Dst, Entries}, []operand{entries()}, "features are not learned"},
		{ArgSelect{Sum, Dst, Edges}, []operand{e}, "a sum selects no row"},
		{Pick{Dst, Edges}, []operand{e, x}, "got vertices[a], want an index of 3 columns per row of vertices"},
		{Pick{Dst, Edges}, []operand{x, index(ArgSelect{Max, Dst, Edges}, a)}, "got vertices[a], want rows of edges"},
		{Pick{Member, Vertices}, []operand{x, index(ArgSelect{Max, Dst, Edges}, a)}, "per row of graphs"},
		{Route{Dst, Edges}, []operand{x, index(ArgSelect{Max, Dst, Edges}, b)}, "want an index of 3 columns"},
		{EdgeSoftmax{Edges}, []operand{x}, "got vertices[a], want rows that are edges"},
		{EdgeSoftmax{Edges}, []operand{loopEdges(a)}, "got edges+loops[a], want rows that are edges"},
		{SpMM{Dst, Edges, true}, []operand{x, x}, "got vertices[a], want rows that are edges"},
		{SpMM{Dst, Edges, true}, []operand{x, edges(Cols(2))}, "3 columns do not split into 2 heads"},
		{SpMM{Member, Edges, false}, []operand{x}, "member does not lead from edges"},
		{EdgeAdd{Graphs}, []operand{x, x}, "over graphs, want"},
		{EdgeDot{Edges, Cols(2)}, []operand{x, x}, "3 columns do not split into 2 heads"},
		{CrossEntropy{}, []operand{e}, "got edges[a], want vertices or graphs"},
		{CrossEntropyGrad{}, []operand{g, g}, "want one[1×1]"},
		{Penalty{}, []operand{x}, "got vertices[a], want a parameter"},
		{Dropout{P: 1, Over: Vertices}, []operand{x}, "the probability is 1, want 0 ≤ p < 1"},
		{Dropout{P: 0.5, Over: Edges}, []operand{x}, "got vertices[a], want rows of edges"},
		{Dropout{P: 0.5, Over: Vertices, Site: 1 << 16}, []operand{x}, "site 65536"},
		{Dropout{P: 0.5, Over: Vertices}, []operand{vertices(Cols(1<<18 + 1))}, "262145 columns"},
		{GraphCoef{SymNorm, Edges}, nil, "no such coefficient on edges"},
		{SparseMatMul{}, []operand{x, one(a, b)}, "got vertices[a], want entries[1]"},
		{SGD{}, []operand{x, x, scalar()}, "got vertices[a], want a parameter"},
		{SGD{}, []operand{one(a, b), one(a, b), one(a, b)}, "learning rate: got one[a×b], want one[1×1]"},
		{Adam{}, []operand{one(a, b), one(a, b), scalar()}, "got 3 operands, want 5"},
		{Unit{}, []operand{x}, "got 1 operands, want 0"},
		{Input{Name: "x", Of: x.Type}, []operand{x}, "got 1 operands, want 0"},
	} {
		_, err := c.op.Shape(opCase{in: c.in}.types())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %q", opCase{op: c.op, in: c.in}, err, c.want)
		}
	}
}
