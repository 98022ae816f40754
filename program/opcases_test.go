package program_test

import (
	"fmt"

	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	. "github.com/weft-gnn/weft/program"
)

// opCase is one op with operands it accepts, and what must hold of it. Every op
// and every value of every enum has one; the tests of gradients, costs, kernels
// and split rules go through all of them.
type opCase struct {
	op Op
	in []operand
	cost.Cost
	// curved is how often Grad may be applied before an op says that it has no
	// further derivative: 0 for ever, 1 or 2 so many times less one.
	curved int
}

// operand is the type of an operand and where its values come from.
type operand struct {
	Type
	domain
	// arg, where set, makes the operand the index of what arg selects from
	// random rows.
	arg *ArgSelect
	// fixed operands have no gradient.
	fixed bool
}

func (c opCase) String() string {
	s := c.op.String()
	for _, o := range c.in {
		s += " " + o.Type.String()
	}
	return s
}

// types returns the operands' types.
func (c opCase) types() []Type {
	var t []Type
	for _, o := range c.in {
		t = append(t, o.Type)
	}
	return t
}

// The widths of operands. Operands that a rule tells apart by their columns
// have different ones, and 12 splits into 1, 2, 3 and 4 heads.
var (
	dimA = Sym("a", 3)
	dimB = Sym("b", 5)
	dimK = Sym("k", 12)
)

func dimH(heads int) Dim {
	if heads == 1 {
		return Cols(1)
	}
	return Sym(fmt.Sprintf("H_%d", heads), heads)
}

func vertices(c Dim) operand  { return operand{Type: Type{Space: Vertices, Cols: c}} }
func edges(c Dim) operand     { return operand{Type: Type{Space: Edges, Cols: c}} }
func loopEdges(c Dim) operand { return operand{Type: Type{Space: LoopEdges, Cols: c}} }
func graphs(c Dim) operand    { return operand{Type: Type{Space: Graphs, Cols: c}} }
func one(r, c Dim) operand    { return operand{Type: Type{Space: One, Rows: r, Cols: c}} }
func scalar() operand         { return one(Cols(1), Cols(1)) }

// entries are the values of sparse features.
func entries() operand { return operand{Type: Type{Space: Entries, Cols: Cols(1)}} }

func (o operand) from(d domain) operand {
	o.domain = d
	return o
}

// index is what arg selects from rows of c columns.
func index(arg ArgSelect, c Dim) operand {
	t := Type{Space: Vertices, Cols: c, Index: true}
	if arg.Along == Member {
		t.Space = Graphs
	}
	return operand{Type: t, arg: &arg}
}

// Short names for the algebra of expected costs. Factors and terms are numbers,
// dimensions and expressions.
func expr(v any) cost.Expr {
	switch v := v.(type) {
	case int:
		return cost.Int(int64(v))
	case Dim:
		return v.Expr
	case cost.Expr:
		return v
	}
	panic(fmt.Sprintf("not an expression: %v", v))
}

func times(factors ...any) cost.Expr {
	e := cost.Int(1)
	for _, f := range factors {
		e = cost.Mul(e, expr(f))
	}
	return e
}

func plus(terms ...any) cost.Expr {
	e := cost.Int(0)
	for _, t := range terms {
		e = cost.Add(e, expr(t))
	}
	return e
}

func lg(e any) cost.Expr { return cost.Log2(expr(e)) }

// words is the traffic of so many values of 4 bytes.
func words(terms ...any) cost.Expr { return times(4, plus(terms...)) }

// The row counts of the spaces, and their degrees.
var (
	nV     = cost.Sym(cost.Vertices)
	nE     = plus(cost.Sym(cost.Arcs), cost.Sym(cost.Loops))
	nL     = cost.Sym(cost.ArcsWithLoops)
	nG     = cost.Sym("B")
	nX     = cost.Sym("nnz")
	nT     = cost.Sym("t")
	nTau   = cost.Sym("τ")
	vPtr   = times(8, plus(nV, 1))
	gPtr   = times(8, plus(nG, 1))
	degree = map[Space]map[Map]cost.Expr{
		Edges:     {Dst: cost.Sym(cost.Degree), Src: cost.Sym(cost.OutDegree)},
		LoopEdges: {Dst: cost.Sym(cost.DegreeWithLoops), Src: cost.Sym(cost.OutWithLoops)},
		Vertices:  {Member: cost.Sym("s")},
	}
)

// rowsIn returns how many rows an operand has.
func rowsIn(o operand) cost.Expr {
	return map[Space]cost.Expr{One: o.Rows.Expr, Vertices: nV, Edges: nE, LoopEdges: nL, Graphs: nG, Entries: nX}[o.Space]
}

func is(work, depth, bytes any) cost.Cost {
	return cost.Cost{Work: expr(work), Depth: expr(depth), Bytes: expr(bytes)}
}

// opCases returns the table.
func opCases() []opCase {
	var all []opCase
	for _, family := range [][]opCase{
		unaryCases(), binaryCases(), productCases(), columnCases(), tailCases(), scalarCases(), headCases(),
		mapCases(), selectCases(), softmaxCases(), fusedCases(), attentionCases(), sparseCases(), narrowCases(), lossCases(), sourceCases(), updateCases(),
	} {
		all = append(all, family...)
	}
	return all
}

// funcs returns every function of package kernel, with a parameter where it has
// one.
func funcs() []kernel.Func {
	var out []kernel.Func
	for k := kernel.FuncKind(0); named(k); k++ {
		f := kernel.Func{Kind: k}
		switch k {
		case kernel.LeakyReLU:
			f.Param = 0.25
		case kernel.ELU, kernel.Scale, kernel.Offset:
			f.Param = 1.5
		}
		out = append(out, f)
	}
	return out
}

// named reports whether a function has a name, which those past the last lack.
func named(k kernel.FuncKind) (ok bool) {
	defer func() { ok = recover() == nil }()
	return k.String() != ""
}

// curvature is 0 for functions whose derivative is constant between kinks.
func curvature(f kernel.Func) int {
	switch f.Kind {
	case kernel.Identity, kernel.ReLU, kernel.LeakyReLU, kernel.Abs, kernel.Scale, kernel.Offset:
		return 0
	}
	return 2
}

// domains returns where f is smooth, and the values there of what its gradient
// is computed from.
func domains(f kernel.Func) (x, gradFrom domain) {
	switch f.Kind {
	case kernel.Log, kernel.Sqrt, kernel.Exp:
		return positive, positive
	case kernel.Sigmoid, kernel.Tanh:
		return anything, inUnit
	case kernel.LogSigmoid:
		return anything, negative
	case kernel.ELU:
		return awayFromZero, inUnit
	}
	return awayFromZero, awayFromZero
}

// gradWork is the exact number of operations of the gradients of activations
// that are not constant.
func gradWork(f kernel.Func) int {
	switch f.Kind {
	case kernel.LeakyReLU, kernel.Sqrt, kernel.Reciprocal, kernel.Square:
		return 2
	case kernel.ELU, kernel.Sigmoid, kernel.LogSigmoid, kernel.Tanh:
		return 3
	}
	return 1
}

// unaryCases: activation, exp, log, … 1 operation per element.
func unaryCases() []opCase {
	var cs []opCase
	for _, f := range funcs() {
		x, from := domains(f)
		w, g := 1, gradWork(f)
		if f.Kind == kernel.Identity {
			w = 0
		}
		for _, o := range []operand{vertices(dimB), loopEdges(dimA), one(dimB, dimA)} {
			size := times(rowsIn(o), o.Cols)
			cs = append(cs, opCase{op: Unary{f}, in: []operand{o.from(x)}, curved: curvature(f),
				Cost: is(times(w, size), w, words(size, size))})
		}
		if f.GradFrom() == kernel.Neither {
			continue // a constant derivative is a scaling
		}
		o, size := vertices(dimB), times(nV, dimB)
		cs = append(cs, opCase{op: UnaryGrad{f}, in: []operand{o.from(from), o}, curved: min(curvature(f), 1),
			Cost: is(times(g, size), g, times(12, size))})
	}
	return cs
}

// binaryCases: add, multiply: 1 operation per element.
func binaryCases() []opCase {
	var cs []opCase
	for _, f := range []BinaryKind{Plus, Minus, Product, Quotient} {
		for _, o := range []operand{vertices(dimB), edges(dimB), graphs(dimA), one(dimA, dimB)} {
			size := times(rowsIn(o), o.Cols)
			cs = append(cs, opCase{op: Binary{f}, in: []operand{o, o.from(awayFromZero)}, Cost: is(size, 1, times(12, size))})
		}
	}
	return cs
}

// productCases: 2nab for n×a by a×b, 1 + ⌈log₂ a⌉ deep; Hᵀ·G is 1 + ⌈log₂ n⌉ deep.
func productCases() []opCase {
	a, b := dimA, dimB
	var cs []opCase
	for _, x := range []operand{vertices(a), loopEdges(a), graphs(a), one(Cols(4), a)} {
		n := rowsIn(x)
		narrow, wide := x, x
		wide.Cols = b
		traffic := words(times(n, a), times(a, b), times(n, b))
		cs = append(cs,
			opCase{op: MatMul{}, in: []operand{narrow, one(a, b)}, Cost: is(times(2, n, a, b), plus(1, lg(a)), traffic)},
			opCase{op: MatMul{Transposed: true}, in: []operand{narrow, one(b, a)}, Cost: is(times(2, n, a, b), plus(1, lg(a)), traffic)},
			opCase{op: MatMulT{}, in: []operand{narrow, wide}, Cost: is(times(2, n, a, b), plus(1, lg(n)), traffic)})
	}
	return append(cs, affineCases()...)
}

// affineCases: the product, and 1 operation per element for the bias and the
// function each.
func affineCases() []opCase {
	a, b, n := dimA, dimB, nV
	var cs []opCase
	for _, f := range funcs() {
		if f.GradFrom() == kernel.Input {
			continue // its gradient needs what the product writes over
		}
		for _, bias := range []bool{false, true} {
			in, extra := []operand{vertices(a), one(a, b)}, 0
			traffic := plus(words(times(n, a), times(a, b), times(n, b)))
			if bias {
				in, extra, traffic = append(in, one(Cols(1), b)), 1, plus(traffic, words(b))
			}
			if f.Kind != kernel.Identity {
				extra++
			}
			if f.Kind == kernel.Sqrt || f.Kind == kernel.Reciprocal {
				for i := range in {
					in[i].domain = positive
				}
			}
			cs = append(cs, opCase{op: Affine{Bias: bias, Func: f}, in: in, curved: curvature(f),
				Cost: is(plus(times(2, n, a, b), times(extra, n, b)), plus(1, lg(a), extra), traffic)})
		}
	}
	return cs
}

// columnCases: concat, slice and the like move only; a bias is 1 per element;
// a column reduction of n rows nk, ⌈log₂ n⌉ deep.
func columnCases() []opCase {
	a, b, n := dimA, dimB, nV
	sum := a.Plus(b)
	cs := []opCase{
		{op: Concat{}, in: []operand{vertices(a), vertices(b)}, Cost: is(0, 0, times(8, n, sum))},
		{op: Concat{}, in: []operand{edges(b), edges(a)}, Cost: is(0, 0, times(8, nE, sum))},
		{op: Slice{From: Cols(1), Width: a}, in: []operand{vertices(b)}, Cost: is(0, 0, times(8, n, a))},
		{op: Slice{From: Cols(0), Width: b}, in: []operand{vertices(b)}, Cost: is(0, 0, times(8, n, b))},
		{op: View{From: Cols(1), Width: a}, in: []operand{vertices(b)}, Cost: is(0, 0, 0)},
		{op: Pad{From: Cols(2), Width: b}, in: []operand{vertices(a)}, Cost: is(0, 0, words(times(n, a), times(n, b)))},
		{op: StopGradient{}, in: []operand{vertices(b)}, Cost: is(0, 0, times(8, n, b)), curved: stopped},
		{op: L2Normalize{}, in: []operand{vertices(b).from(awayFromZero)}, curved: 2,
			Cost: is(times(n, plus(times(3, b), 3)), plus(5, lg(b)), times(8, n, b))},
		{op: L2NormalizeGrad{}, in: []operand{vertices(b).from(awayFromZero), vertices(b)}, curved: 1,
			Cost: is(times(n, plus(times(7, b), 5)), plus(8, lg(b)), times(12, n, b))},
	}
	for _, o := range []operand{vertices(b), loopEdges(b), graphs(b), one(a, b)} {
		r := rowsIn(o)
		cs = append(cs,
			opCase{op: AddBias{}, in: []operand{o, one(Cols(1), b)}, Cost: is(times(r, b), 1, words(times(2, r, b), b))},
			opCase{op: ColumnSum{}, in: []operand{o}, Cost: is(times(r, b), lg(r), words(times(r, b), b))},
			opCase{op: Expand{To: o.Space, Rows: o.Rows}, in: []operand{one(Cols(1), b)}, Cost: is(0, 0, words(times(r, b), b))})
	}
	for _, p := range []float32{0.25, 0.5} {
		for _, o := range []operand{vertices(b), edges(b), loopEdges(dimK), graphs(a), entries()} {
			size := times(rowsIn(o), o.Cols)
			cs = append(cs, opCase{op: Dropout{P: p, Site: 2, Over: o.Space}, in: []operand{o}, Cost: is(times(2, size), 2, times(8, size))})
		}
	}
	return cs
}

// Marks of ops whose gradient is nothing, on purpose, and of those that say
// that features are not learned.
const (
	stopped   = -1
	unlearned = -2
)

// scalarCases: products with one number, and sums to one.
func scalarCases() []opCase {
	var cs []opCase
	for _, o := range []operand{vertices(dimB), edges(dimB), one(dimA, dimB)} {
		size := times(rowsIn(o), o.Cols)
		cs = append(cs,
			opCase{op: ScaleBy{}, in: []operand{o, scalar()}, Cost: is(size, 1, words(times(2, size), 1))},
			opCase{op: ScaleBy{Plus: 1}, in: []operand{o, scalar()}, Cost: is(plus(size, 1), 2, words(times(2, size), 1))},
			opCase{op: AddScaled{}, in: []operand{o, o, scalar()}, Cost: is(times(2, size), 2, words(times(3, size), 1))},
			opCase{op: AddScaled{Plus: 1}, in: []operand{o, o, scalar()}, Cost: is(plus(times(2, size), 1), 3, words(times(3, size), 1))},
			opCase{op: InnerProduct{}, in: []operand{o, o}, Cost: is(times(2, size), plus(1, lg(size)), words(times(2, size), 1))})
	}
	size := times(dimA, dimB)
	return append(cs, opCase{op: Penalty{Lambda: 0.5}, in: []operand{one(dimA, dimB)},
		Cost: is(plus(times(2, size), 1), plus(2, lg(size)), words(times(2, size), 1))})
}

// headCases: dots are 2 per element and 1 + ⌈log₂ f⌉ deep, scalings 1 and 1.
func headCases() []opCase {
	k, a := dimK, one(Cols(1), dimK)
	var cs []opCase
	for heads := 1; heads <= 4; heads++ {
		h := dimH(heads)
		f := cost.CeilDiv(k.Expr, h.Expr)
		for _, o := range []operand{vertices(k), loopEdges(k)} {
			s, narrow, more := o, o, o
			s.Cols, more.Cols, narrow.Cols = h, k.Plus(h), Dim{N: k.N / heads, Expr: f}
			n := rowsIn(o)
			nk, nh, nf := times(n, k), times(n, h), times(n, f)
			cs = append(cs,
				opCase{op: HeadScale{}, in: []operand{o, s}, Cost: is(nk, 1, words(nk, nk, nh))},
				opCase{op: HeadDot{h}, in: []operand{o, o}, Cost: is(times(2, nk), plus(1, lg(f)), words(nk, nk, nh))},
				opCase{op: HeadProject{h}, in: []operand{o, a}, Cost: is(times(2, nk), plus(1, lg(f)), words(nk, k, nh))},
				opCase{op: HeadOuter{}, in: []operand{s, a}, Cost: is(nk, 1, words(nh, k, nk))},
				opCase{op: AddOuter{}, in: []operand{o, s, a}, Cost: is(times(2, nk), 2, words(nk, nk, nh, k))},
				opCase{op: AddOuter{}, in: []operand{more, s, a}, Cost: is(times(2, nk), 2, words(nk, nh, nk, nh, nh, k))},
				opCase{op: AddOwnOuter{}, in: []operand{more, a}, Cost: is(times(2, nk), 2, words(nk, nh, nk, nh, k))},
				opCase{op: HeadCombine{}, in: []operand{o, s}, Cost: is(times(2, nk), plus(1, lg(n)), words(nk, nh, k))},
				opCase{op: HeadSum{h}, in: []operand{o}, Cost: is(nk, lg(h), words(nk, nf))},
				opCase{op: HeadRepeat{h}, in: []operand{narrow}, Cost: is(0, 0, words(nf, times(n, f, h)))})
		}
	}
	return cs
}
