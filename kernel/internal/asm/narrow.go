package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// narrow builds the loops over values that are stored in bfloat16: the upper
// halves of float32, two to a word.
func narrow() {
	for _, v := range []vectors{zmm, ymm} {
		narrowRows(v)
		widenRows(v)
		for n := 1; n <= 8; n++ {
			narrowSums(v, n)
		}
		narrowSums(v, widest(v))
	}
}

func narrowSums(v vectors, n int) {
	sum(v, n, true)
	sumPart(v, n, true)
	sumWeighted(v, n, true)
}

// halfTail handles a vector in bfloat16 of which only the first lanes count.
type halfTail struct {
	v    vectors
	k    reg.OpmaskVirtual // these lanes, of AVX-512
	pair reg.OpmaskVirtual // and the one that completes their last word
	mask reg.VecVirtual    // their words, of AVX2
}

func newHalfTail(v vectors, count reg.Register) halfTail {
	words := GP64()
	LEAQ(Mem{Base: count, Disp: 1}, words)
	SHRQ(Imm(1), words)
	if v.masked() {
		t := halfTail{v: v, k: newTail(v, count).k}
		ADDQ(words, words)
		t.pair = newTail(v, words).k
		return t
	}
	return halfTail{v: v, mask: newTail(v, words).mask}
}

// load widens the lanes of m. Others are 0 in AVX-512 and anything in AVX2.
func (t halfTail) load(m Mem) vec {
	x := t.v.register()
	if t.v.masked() {
		VPMOVZXWD_Z(m, t.k, x)
	} else {
		VPMASKMOVD(m, t.mask.AsX(), x.AsX())
		VPMOVZXWD(x.AsX(), x)
	}
	VPSLLD(Imm(16), x, x)
	return x
}

// store writes the lower halves of the lanes of x in whole words.
func (t halfTail) store(x vec, m Mem) {
	if t.v.masked() {
		VPMOVDW(x, t.pair, m)
	} else {
		VPMASKMOVD(x.AsX(), t.mask.AsX(), m)
	}
}

// widened loads a vector that is stored in bfloat16.
func (v vectors) widened(m Mem) vec {
	x := v.register()
	VPMOVZXWD(m, x)
	VPSLLD(Imm(16), x, x)
	return x
}

// Constants of rounding, as bits.
var (
	lastKept   = math.Float32frombits(1)
	underHalf  = math.Float32frombits(0x7fff)
	quietBit   = math.Float32frombits(0x00400000)
	unorderedX = relation(3)
)

// toHalf rounds x to the upper halves of its lanes, ties to even, and leaves them
// in the lower ones: of AVX2 in the lower lanes of the register, side by side. A
// NaN keeps its sign and the first digits of its payload, and is quiet.
func (l lanes) toHalf(x vec) vec {
	odd := l.and(l.shift(VPSRLD, x, 16), l.of(lastKept))
	rounded := l.addBits(l.addBits(x, l.of(underHalf)), odd)
	quiet := l.binary(VORPS, l.of(quietBit), x)
	r := l.shift(VPSRLD, l.choose(l.where(x, unorderedX, x), quiet, rounded), 16)
	if !l.v.masked() {
		VPACKUSDW(r, r, r)
		VPERMQ(Imm(0b1000), r, r)
	}
	return r
}

const narrowArgs = "func(rows int, dst *float32, lddst int, x *float32, ldx, cols int)"

// narrowRows builds the rounding of rows of at least one value. An odd row's last
// word ends with 0.
func narrowRows(v vectors) {
	TEXT("narrowRows"+v.name, NOSPLIT, narrowArgs)
	Doc("narrowRows" + v.name + " stores rows of cols values in bfloat16.")
	Pragma("noescape")
	l := lanes{constants: newConstants(v, lastKept, underHalf, quietBit)}
	rowByRow(v, func(dst, x, j reg.Register, only *tail, half *halfTail) {
		y := l.toHalf(v.read(Mem{Base: x, Index: j, Scale: 4}, only, nil))
		to := Mem{Base: dst, Index: j, Scale: 2}
		switch {
		case half != nil:
			half.store(y, to)
		case v.masked():
			VPMOVDW(y, to)
		default:
			VMOVDQU(y.AsX(), to)
		}
	})
}

// widenAhead is how many bytes ahead values are asked for: products widen a block of
// rows between others, so that no stream is under way that the processor could follow.
const widenAhead = 2048

// widenRows builds the inverse.
func widenRows(v vectors) {
	TEXT("widenRows"+v.name, NOSPLIT, narrowArgs)
	Doc("widenRows" + v.name + " reads rows of cols values that are stored in bfloat16.")
	Pragma("noescape")
	rowByRow(v, func(dst, x, j reg.Register, only *tail, half *halfTail) {
		from, to := Mem{Base: x, Index: j, Scale: 2}, Mem{Base: dst, Index: j, Scale: 4}
		PREFETCHT0(from.Offset(widenAhead))
		if half != nil {
			only.store(half.load(from), to)
		} else {
			VMOVUPS(v.widened(from), to)
		}
	})
}

// rowByRow builds the loops over rows and their vectors: step sees the first
// column's number, and tails where columns fill no vector.
func rowByRow(v vectors, step func(dst, x, j reg.Register, only *tail, half *halfTail)) {
	left := Load(Param("rows"), GP64())
	dst, x := Load(Param("dst"), GP64()), Load(Param("x"), GP64())
	rest := Load(Param("cols"), GP64())
	full := GP64()
	MOVQ(rest, full)
	ANDQ(Imm(uint64(v.values()-1)), rest)
	SUBQ(rest, full)
	only, half := newTail(v, rest), newHalfTail(v, rest)
	j := GP64()
	Label("row")
	XORQ(j, j)
	TESTQ(full, full)
	JZ(LabelRef("rest"))
	Label("vectors")
	step(dst, x, j, nil, nil)
	ADDQ(Imm(uint64(v.values())), j)
	CMPQ(j, full)
	JLT(LabelRef("vectors"))
	Label("rest")
	TESTQ(rest, rest)
	JZ(LabelRef("next"))
	step(dst, x, j, &only, &half)
	Label("next")
	ADDQ(argument("lddst"), dst)
	ADDQ(argument("ldx"), x)
	DECQ(left)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}
