package program_test

import (
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	. "github.com/weft-gnn/weft/program"
)

// ends are the maps that start in each edge space, and edgeRows its rows.
var edgeSpaces = []struct {
	space Space
	of    func(Dim) operand
	rows  cost.Expr
}{{Edges, edges, nE}, {LoopEdges, loopEdges, nL}}

// bySource is the traffic of an edge's position, read where edges are walked by
// source.
func bySource(m Map, rows cost.Expr) cost.Expr {
	if m == Src {
		return words(rows)
	}
	return cost.Int(0)
}

// mapCases: a gather moves only, a sum is 1 per element and ⌈log₂ d⌉ deep.
func mapCases() []opCase {
	k, n := dimB, nV
	var cs []opCase
	for _, s := range edgeSpaces {
		m := s.rows
		for _, end := range []Map{Dst, Src} {
			gather := plus(vPtr, words(times(n, k), times(m, k)))
			if end == Src {
				gather = words(m, times(2, m, k))
			}
			cs = append(cs,
				opCase{op: Scatter{end, s.space}, in: []operand{vertices(k)}, Cost: is(0, 0, gather)},
				opCase{op: Aggregate{end, s.space}, in: []operand{s.of(k)},
					Cost: is(times(m, k), lg(degree[s.space][end]), plus(vPtr, words(times(m, k), times(n, k)), bySource(end, m)))})
		}
	}
	traffic := plus(gPtr, words(times(n, k), times(nG, k)))
	return append(cs,
		opCase{op: Scatter{Member, Vertices}, in: []operand{graphs(k)}, Cost: is(0, 0, traffic)},
		opCase{op: Aggregate{Member, Vertices}, in: []operand{vertices(k)}, Cost: is(times(n, k), lg(degree[Vertices][Member]), traffic)})
}

// selectCases: mk compares, backward nk additions.
func selectCases() []opCase {
	k, n := dimB, nV
	var cs []opCase
	for _, of := range []Reduction{Max, Min} {
		for _, s := range edgeSpaces {
			m := s.rows
			for _, end := range []Map{Dst, Src} {
				arg := ArgSelect{of, end, s.space}
				cs = append(cs,
					opCase{op: arg, in: []operand{s.of(k)}, curved: stopped,
						Cost: is(times(m, k), lg(degree[s.space][end]), plus(vPtr, words(times(m, k), times(n, k)), bySource(end, m)))},
					opCase{op: Extreme{Of: of, Along: end, Over: s.space}, in: []operand{s.of(k)},
						Cost: is(times(m, k), lg(degree[s.space][end]), plus(vPtr, words(times(m, k), times(n, k)), bySource(end, m)))},
					opCase{op: Pick{end, s.space}, in: []operand{s.of(k), index(arg, k)}, Cost: is(0, 0, times(12, n, k))},
					opCase{op: Route{end, s.space}, in: []operand{vertices(k), index(arg, k)}, Cost: is(times(n, k), 1, words(times(2, n, k), times(m, k)))})
			}
		}
		arg := ArgSelect{of, Member, Vertices}
		cs = append(cs,
			opCase{op: arg, in: []operand{vertices(k)}, curved: stopped,
				Cost: is(times(n, k), lg(degree[Vertices][Member]), plus(gPtr, words(times(n, k), times(nG, k))))},
			opCase{op: Pick{Member, Vertices}, in: []operand{vertices(k), index(arg, k)}, Cost: is(0, 0, times(12, nG, k))},
			opCase{op: Route{Member, Vertices}, in: []operand{graphs(k), index(arg, k)}, Cost: is(times(nG, k), 1, words(times(2, nG, k), times(n, k)))})
	}
	return cs
}

// softmaxCases: 5mH, 2⌈log₂ d⌉ + 3 deep.
func softmaxCases() []opCase {
	var cs []opCase
	for _, s := range edgeSpaces {
		for _, heads := range []int{1, 3} {
			h := dimH(heads)
			size, d := times(s.rows, h), lg(degree[s.space][Dst])
			cs = append(cs,
				opCase{op: EdgeSoftmax{s.space}, in: []operand{s.of(h)}, Cost: is(times(5, size), plus(3, times(2, d)), plus(vPtr, times(8, size)))},
				opCase{op: EdgeSoftmaxGrad{s.space}, in: []operand{s.of(h).from(inUnit), s.of(h)}, Cost: is(times(4, size), plus(3, d), plus(vPtr, times(12, size)))})
		}
	}
	return cs
}

// fusedCases: SpMM 2mk with coefficients and mk without, SDDMM 2mk.
func fusedCases() []opCase {
	k, n := dimK, nV
	var cs []opCase
	for _, s := range edgeSpaces {
		m := s.rows
		mk := times(m, k)
		walk := plus(vPtr, words(m, mk, times(n, k)))
		cs = append(cs, opCase{op: EdgeAdd{s.space}, in: []operand{vertices(k), vertices(k)}, Cost: is(mk, 1, plus(walk, words(mk)))})
		for _, end := range []Map{Dst, Src} {
			d := lg(degree[s.space][end])
			cs = append(cs, opCase{op: SpMM{end, s.space, false}, in: []operand{vertices(k)}, Cost: is(mk, d, walk)})
			for heads := 1; heads <= 4; heads++ {
				h := dimH(heads)
				cs = append(cs, opCase{op: SpMM{end, s.space, true}, in: []operand{vertices(k), s.of(h)},
					Cost: is(times(2, mk), plus(1, d), plus(walk, words(times(m, h)), bySource(end, m)))})
			}
		}
		for heads := 1; heads <= 4; heads++ {
			h := dimH(heads)
			cs = append(cs, opCase{op: EdgeDot{s.space, h}, in: []operand{vertices(k), vertices(k)},
				Cost: is(times(2, mk), plus(1, lg(cost.CeilDiv(k.Expr, h.Expr))), plus(walk, words(times(m, h))))})
		}
	}
	return cs
}

// sparseCases: 2nnz(X)·k for products with sparse features, of which there are
// featureCols.
func sparseCases() []opCase {
	a, b, z, x := featureCols, dimB, nX, entries()
	x.fixed = true
	places := words(times(2, z)) // an entry's column and its value
	return []opCase{
		{op: SparseMatMul{}, in: []operand{x, one(a, b)},
			Cost: is(times(2, z, b), plus(1, lg(a)), plus(vPtr, places, words(times(z, b), times(nV, b))))},
		{op: SparseMatMulT{Features: a}, in: []operand{x, vertices(b)},
			Cost: is(times(2, z, b), plus(1, lg(nV)), plus(times(8, plus(a, 1)), places, words(z, times(z, b), times(a, b))))},
		{op: Densify{Features: a}, in: []operand{x}, curved: stopped,
			Cost: is(0, 0, plus(vPtr, places, words(times(nV, a))))},
		{op: Scatter{Dst, Entries}, in: []operand{vertices(Cols(1))}, curved: unlearned,
			Cost: is(0, 0, plus(vPtr, words(nV, z)))},
	}
}

// lossCases: exact constants per target row and per present value.
func lossCases() []opCase {
	c := dimB
	var cs []opCase
	for _, x := range []operand{vertices(c), graphs(c)} {
		nc := times(rowsIn(x), c)
		listed := words(times(nT, plus(c, 2)))
		valued := words(times(nT, plus(times(2, c), 1)))
		cs = append(cs,
			opCase{op: CrossEntropy{}, in: []operand{x}, curved: 2,
				Cost: is(plus(times(nT, plus(times(4, c), 3)), 1), plus(4, times(2, lg(c)), lg(nT)), plus(listed, 4))},
			opCase{op: CrossEntropyGrad{}, in: []operand{x, scalar()}, curved: 1,
				Cost: is(plus(times(nT, plus(times(6, c), 1)), 1), plus(5, times(2, lg(c))), plus(listed, words(1, nc)))})
		for kind, work := range map[ValueLossKind]int{SquaredError: 3, BinaryCrossEntropy: 8} {
			cs = append(cs,
				opCase{op: ValueLoss{kind}, in: []operand{x}, curved: 2,
					Cost: is(plus(times(work, nTau), 1), plus(work, lg(nTau)), plus(valued, 4))},
				opCase{op: ValueLossGrad{kind}, in: []operand{x, scalar()}, curved: 1,
					Cost: is(plus(times(3, nTau), 1), 4, plus(valued, words(1, nc)))})
		}
	}
	return cs
}

// sourceCases have no operands. Degrees and weights belong to the structure; a
// normalisation is a root and a reciprocal per vertex and two products per edge.
func sourceCases() []opCase {
	return []opCase{
		{op: Unit{}, Cost: is(0, 0, 4)},
		{op: GraphCoef{SymNorm, LoopEdges}, Cost: is(plus(times(2, nV), times(2, nL)), 4, plus(vPtr, words(nL, nL)))},
		{op: GraphCoef{EdgeWeight, Edges}, Cost: is(0, 0, words(nE))},
		{op: GraphCoef{EdgeWeight, LoopEdges}, Cost: is(0, 0, words(nL))},
		{op: GraphCoef{InvSqrt, Vertices}, Cost: is(times(2, nV), 2, plus(vPtr, words(nV)))},
		{op: GraphCoef{InvDegree, Vertices}, Cost: is(nV, 1, plus(vPtr, words(nV)))},
		{op: GraphCoef{InvSize, Graphs}, Cost: is(nG, 1, plus(gPtr, words(nG)))},
		{op: Input{Name: "in", Of: vertices(dimA).Type}, Cost: is(0, 0, 0)},
		{op: Param{Name: "param", Of: one(dimA, dimB).Type, Init: Glorot}, Cost: is(0, 0, 0)},
		{op: State{Name: "state", Of: one(dimA, dimB).Type}, Cost: is(0, 0, 0)},
	}
}

// updateCases: an update has no gradient at all.
func updateCases() []opCase {
	w, lr := one(dimA, dimB), scalar()
	size := times(dimA, dimB)
	adam := Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}
	decayed := adam
	decayed.Decay = 0.1
	v := w.from(positive) // a second moment
	return []opCase{
		{op: SGD{}, in: []operand{w, w, lr}, curved: 1, Cost: is(times(2, size), 2, times(12, size))},
		{op: SGD{Momentum: 0.9}, in: []operand{w, w, lr, w}, curved: 1, Cost: is(times(4, size), 4, times(20, size))},
		{op: adam, in: []operand{w, w, lr, w, v}, curved: 1, Cost: is(times(13, size), 10, times(28, size))},
		{op: decayed, in: []operand{w, w, lr, w, v}, curved: 1, Cost: is(times(15, size), 12, times(28, size))},
	}
}

// tailCases: what they replace, less the traffic between.
func tailCases() []opCase {
	a, b, n, e := dimA, dimB, nV, nE
	tail := func(base Op, arity int, steps ...Op) Tailed {
		t := Tailed{Base: base, Arity: arity, Len: len(steps)}
		copy(t.Steps[:], steps)
		return t
	}
	relu := kernel.Func{Kind: kernel.ReLU}
	return []opCase{
		{op: tail(MatMul{}, 2, HeadScale{}, AddBias{}, Unary{relu}),
			in:   []operand{vertices(a), one(a, b), vertices(Cols(1)), one(Cols(1), b)},
			Cost: is(plus(times(2, n, a, b), times(3, n, b)), plus(4, lg(a)), words(times(n, a), times(a, b), times(n, b), n, b))},
		{op: tail(SpMM{Along: Dst, Over: Edges}, 1, Binary{Plus}, UnaryGrad{relu}),
			in:   []operand{vertices(b), vertices(b), vertices(b)},
			Cost: is(plus(times(e, b), times(2, n, b)), plus(2, lg(cost.Sym("d"))), plus(times(8, plus(n, 1)), times(4, e), times(4, e, b), times(12, n, b)))},
		{op: tail(MatMul{}, 2, AddScaled{Plus: 1}, AddBias{}), in: []operand{vertices(a), one(a, b), vertices(b), scalar(), one(Cols(1), b)},
			Cost: is(plus(times(2, n, a, b), times(3, n, b), 1), plus(5, lg(a)), words(times(n, a), times(a, b), times(2, n, b), 1, b))},
		{op: tail(Slice{From: Cols(1), Width: a}, 1, Binary{Plus}), in: []operand{vertices(b), vertices(a)},
			Cost: is(times(n, a), 1, times(12, n, a))},
		{op: tail(Slice{From: Cols(1), Width: a}, 1, AddOuter{}), in: []operand{vertices(b), vertices(Cols(1)), one(Cols(1), a)},
			Cost: is(times(2, n, a), 2, words(times(2, n, a), n, a))},
		{op: tail(MatMul{}, 2, Unary{relu}, Dropout{P: 0.25, Site: 1, Over: Vertices}), in: []operand{vertices(a), one(a, b)},
			Cost: is(plus(times(2, n, a, b), times(3, n, b)), plus(4, lg(a)), words(times(n, a), times(a, b), times(n, b)))},
	}
}
