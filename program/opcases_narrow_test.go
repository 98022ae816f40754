package program_test

import (
	"github.com/weft-gnn/weft/cost"
	"github.com/weft-gnn/weft/kernel"
	. "github.com/weft-gnn/weft/program"
)

// narrow is o stored in bfloat16.
func (o operand) narrow() operand {
	o.BFloat16 = true
	return o
}

// halves is the traffic of so many values of 2 bytes.
func halves(terms ...any) cost.Expr { return times(2, plus(terms...)) }

// narrowCases: storing moves; what is stored in bfloat16 takes 2 bytes a value, and
// everything else is as in float32.
func narrowCases() []opCase {
	a, b, n, e := dimA, dimB, nV, nE
	x, y := vertices(a).narrow(), vertices(b).narrow()
	product, sum := plus(1, lg(a)), lg(cost.Sym("d"))
	relu := kernel.Func{Kind: kernel.ReLU}
	tail := func(base Op, arity int, steps ...Op) Tailed {
		t := Tailed{Base: base, Arity: arity, Len: len(steps), BFloat16: true}
		copy(t.Steps[:], steps)
		return t
	}
	cs := []opCase{
		{op: MatMul{}, in: []operand{x, one(a, b)}, Cost: is(times(2, n, a, b), product, plus(halves(times(n, a)), words(times(a, b), times(n, b))))},
		{op: MatMul{Transposed: true}, in: []operand{x, one(b, a)},
			Cost: is(times(2, n, a, b), product, plus(halves(times(n, a)), words(times(a, b), times(n, b))))},
		{op: Affine{Bias: true, Func: relu}, in: []operand{x, one(a, b), one(Cols(1), b)},
			Cost: is(plus(times(2, n, a, b), times(2, n, b)), plus(3, lg(a)), plus(halves(times(n, a)), words(times(a, b), times(n, b), b)))},
		{op: MatMulT{}, in: []operand{x, vertices(b)}, Cost: is(times(2, n, a, b), plus(1, lg(n)), plus(halves(times(n, a)), words(times(n, b), times(a, b))))},
		{op: MatMulT{}, in: []operand{vertices(a), y}, Cost: is(times(2, n, a, b), plus(1, lg(n)), plus(halves(times(n, b)), words(times(n, a), times(a, b))))},
		{op: MatMulT{}, in: []operand{x, y}, Cost: is(times(2, n, a, b), plus(1, lg(n)), plus(halves(times(n, a), times(n, b)), words(times(a, b))))},
		{op: tail(MatMul{}, 2), in: []operand{vertices(a), one(a, b)},
			Cost: is(times(2, n, a, b), product, plus(words(times(n, a), times(a, b)), halves(times(n, b))))},
		{op: tail(HeadScale{}, 2), in: []operand{vertices(b), vertices(Cols(1))}, Cost: is(times(n, b), 1, plus(times(6, n, b), words(n)))},
		{op: tail(Dropout{P: 0.5, Site: 2, Over: Vertices}, 1), in: []operand{vertices(b)}, Cost: is(times(2, n, b), 2, times(6, n, b))},
		{op: tail(SpMM{Along: Dst, Over: Edges}, 1, Binary{Plus}, UnaryGrad{relu}), in: []operand{y, y, y.from(awayFromZero)},
			Cost: is(plus(times(e, b), times(2, n, b)), plus(2, sum), plus(times(8, plus(n, 1)), words(e), halves(times(e, b), times(3, n, b))))},
	}
	for _, o := range []operand{vertices(a), edges(b), graphs(b), one(a, b)} {
		size := times(rowsIn(o), o.Cols)
		cs = append(cs, opCase{op: Narrow{}, in: []operand{o}, Cost: is(0, 0, times(6, size))},
			opCase{op: Widen{}, in: []operand{o.narrow()}, Cost: is(0, 0, times(6, size))})
	}
	return append(cs, narrowSums()...)
}

// narrowSums: sums of gathered rows, with weights of one head and without.
func narrowSums() []opCase {
	k, n := dimK, nV
	var cs []opCase
	for _, s := range edgeSpaces {
		mk := times(s.rows, k)
		walk := plus(vPtr, words(s.rows, times(n, k)), halves(mk))
		for _, end := range []Map{Dst, Src} {
			d := lg(degree[s.space][end])
			cs = append(cs,
				opCase{op: SpMM{end, s.space, false}, in: []operand{vertices(k).narrow()}, Cost: is(mk, d, walk)},
				opCase{op: SpMM{end, s.space, true}, in: []operand{vertices(k).narrow(), s.of(Cols(1))},
					Cost: is(times(2, mk), plus(1, d), plus(walk, words(s.rows), bySource(end, s.rows)))})
		}
	}
	return cs
}
