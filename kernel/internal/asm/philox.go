package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// philox builds the masks of dropout: Philox4x32-10 of package rng, on as many
// counters at once as a register has 64-bit lanes. A number lies in the low half
// of its lane; what the high half holds no product reads.
func philox() {
	for _, v := range []vectors{zmm, ymm} {
		philoxRows(v)
		philoxOnes(v)
		philoxEntries(v)
	}
}

// The multipliers of Philox.
const mul0, mul1 = 0xD2511F53, 0xCD9E8D57

// counters are the four numbers of some counters, which rounds change.
type counters struct {
	v          vectors
	plan       reg.Register // the keys of the ten rounds, by pairs, and more
	mul0, mul1 vec
	odd        mask           // the high halves of lanes, of AVX-512
	low        vec            // the numbers of the low ones, of AVX2
	held       map[string]vec // arguments in every lane, of AVX-512
}

// The plan, in bytes: ten pairs of keys, then the row and the group of each lane.
const planRows, planGroups = 80, 80 + 64

// newCounters sets up a function that needs some arguments in every lane.
func newCounters(v vectors, arguments ...string) counters {
	c := counters{v: v, plan: Load(Param("plan"), GP64()), mul0: v.register(), mul1: v.register()}
	for i, m := range []uint32{mul0, mul1} {
		r := []vec{c.mul0, c.mul1}[i]
		x := GP32()
		MOVL(U32(m), x)
		VMOVD(x, r.AsX())
		VPBROADCASTD(r.AsX(), r)
	}
	if v.masked() {
		x := GP32()
		MOVL(U32(0xAAAA), x)
		c.odd = K()
		KMOVW(x, c.odd)
		held := map[string]vec{}
		for _, name := range append(arguments, "step", "site") {
			held[name] = c.every(name)
		}
		c.held = held
	} else {
		c.low = YMM()
		VMOVUPS(evenLanes(), c.low)
	}
	return c
}

// every returns an argument of 64 bits in every lane.
func (c counters) every(name string) vec {
	if r, ok := c.held[name]; ok {
		return r
	}
	r := c.v.register()
	VPBROADCASTQ(argument(name), r)
	return r
}

func (c counters) shift(f func(ops ...Op), x vec, bits uint64) vec {
	r := c.v.register()
	f(Imm(bits), x, r)
	return r
}

func (c counters) binary(f func(ops ...Op), x, y Op) vec {
	r := c.v.register()
	f(y, x, r)
	return r
}

func (c counters) and(x, y vec) vec {
	if c.v.masked() {
		return c.binary(VPANDD, x, y)
	}
	r := c.v.register()
	VPAND(y, x, r)
	return r
}

// inputs are what tells the counters of a batch apart.
type inputs struct{ n1, id vec }

// rounds returns the words of the counters (step, n1, id) of some batches, which
// take each step in turn: one alone would wait for its products.
func (c counters) rounds(batches ...inputs) (words [][4]vec) {
	step := c.every("step")
	for _, b := range batches {
		words = append(words, [4]vec{step, b.n1, b.id, c.shift(VPSRLQ, b.id, 32)})
	}
	for r := range 10 {
		for i, n := range words {
			p0, p1 := c.binary(VPMULUDQ, n[0], c.mul0), c.binary(VPMULUDQ, n[2], c.mul1)
			words[i] = [4]vec{c.shift(VPSRLQ, p1, 32), p1, c.shift(VPSRLQ, p0, 32), p0}
			c.xor(words[i][0], n[1], Mem{Base: c.plan, Disp: 8 * r})
			c.xor(words[i][2], n[3], Mem{Base: c.plan, Disp: 8*r + 4})
		}
	}
	return words
}

// xor computes x ^= y ^ key.
func (c counters) xor(x, y vec, key Mem) {
	if c.v.masked() {
		VPTERNLOGD_BCST(Imm(0x96), key, y, x)
		return
	}
	k := YMM()
	VPBROADCASTD(key, k)
	VPXOR(y, x, x)
	VPXOR(k, x, x)
}

// keep returns ones where a word stays, and zeros where it is below a bound.
func (c counters) keep(words vec) vec {
	below := c.v.register()
	VBROADCASTSS(argument("below"), below)
	if c.v.masked() {
		k, r := K(), ZMM()
		VPCMPUD(Imm(5), below, words, k)
		VPMOVM2D(k, r)
		return r
	}
	r := c.binary(VPMAXUD, words, below)
	VPCMPEQD(words, r, r)
	return r
}

// beside puts the words of y into the high halves of those of x.
func (c counters) beside(x, y vec) vec {
	y, r := c.shift(VPSLLQ, y, 32), c.v.register()
	if c.v.masked() {
		VPBLENDMD(y, x, c.odd, r)
	} else {
		VPBLENDD(Imm(0xAA), y, x, r)
	}
	return r
}

// ids returns the identities of some rows, which begin with that of the first
// lane and are consecutive but for repetition: it reads as many from there on as
// there are lanes, if they exist.
func (c counters) ids(rows vec) vec {
	ids, done := Load(Param("ids"), GP64()), label("done")
	r, first := c.v.register(), c.v.register()
	VPADDQ(c.every("first"), rows, r)
	TESTQ(ids, ids)
	JZ(LabelRef(done))
	VPBROADCASTQ(rows.AsX(), first)
	from, left, lanes := GP64(), Load(Param("rows"), GP64()), GP64()
	VMOVQ(rows.AsX(), from)
	SUBQ(from, left)
	MOVQ(U32(uint32(c.v.bytes/8)), lanes)
	CMPQ(left, lanes)
	CMOVQGT(lanes, left)
	at := c.binary(VPSUBD, rows, first)
	m := Mem{Base: ids, Index: from, Scale: 8}
	PREFETCHT0(m.Offset(idsAhead))
	if c.v.masked() {
		only := newTail(c.v, left)
		VMOVDQU64_Z(m, only.k, r)
		VPERMQ(r, at, r)
	} else {
		VPADDD(at, at, at)
		SHLQ(Imm(1), left)
		only := newTail(c.v, left)
		VPMASKMOVQ(m, only.mask, r)
		VPERMD(r, c.pairs(at), r)
	}
	Label(done)
	return r
}

// pairs puts beside each number the next.
func (c counters) pairs(x vec) vec {
	one := c.v.register()
	VPCMPEQD(one, one, one)
	return c.beside(x, c.binary(VPSUBD, x, one))
}

// idsAhead is how many bytes ahead of their use identities are asked for.
const idsAhead = 1 << 10

const philoxArgs = "func(plan *uint64, n int, dst *uint32, step, site int, below uint32, "

// batches is how many batches are drawn side by side.
const batches = 2

// eachBatch builds a loop over n blocks, some batches of as many as there are
// lanes at a time; values is how many each block leaves. It asks for as many of x
// and y, where they are not nil: the masks are applied to them next, and to draw
// takes no memory's time.
func (c counters) eachBatch(batches, values int, step func(dst Mem)) {
	blocks := batches * c.v.bytes / 8
	n, dst, loop := Load(Param("n"), GP64()), Load(Param("dst"), GP64()), label("batch")
	x, y := load("x"), load("y")
	draw := label("draw")
	Label(loop)
	TESTQ(x, x)
	JZ(LabelRef(draw))
	for line := 0; line < 4*values*blocks; line += 64 {
		PREFETCHT0(Mem{Base: x, Disp: line})
		PREFETCHT0(Mem{Base: y, Disp: line})
	}
	ADDQ(U32(uint32(4*values*blocks)), x)
	ADDQ(U32(uint32(4*values*blocks)), y)
	Label(draw)
	step(Mem{Base: dst})
	ADDQ(U32(uint32(4*values*blocks)), dst)
	SUBQ(Imm(uint64(blocks)), n)
	JG(LabelRef(loop))
	VZEROUPPER()
	RET()
}

// philoxRows goes through the blocks of rows of some groups of four columns. A
// batch's lanes are in such an order that interleaving words of lanes two apart
// leaves them in theirs.
func philoxRows(v vectors) {
	name := "philoxRows" + v.name
	TEXT(name, NOSPLIT, philoxArgs+"groups, lastGroup, rows, first int, ids *int64, lanesRows, lanesGroups int, x, y *float32)")
	Doc(name + " writes the masks of n blocks of rows of some groups, in whole batches: ones where a value stays." +
		" A batch goes lanesRows rows and lanesGroups groups on.")
	Pragma("noescape")
	c := newCounters(v, "first", "lanesRows", "lanesGroups", "lastGroup", "groups")
	row, group := v.register(), v.register()
	VMOVUPS(Mem{Base: c.plan, Disp: planRows}, row)
	VMOVUPS(Mem{Base: c.plan, Disp: planGroups}, group)
	c.eachBatch(batches, 4, func(dst Mem) {
		var in []inputs
		for range batches {
			n1 := c.binary(VPADDD, c.shift(VPSLLQ, group, 16), c.every("site"))
			in = append(in, inputs{n1, c.ids(row)})
			VPADDD(c.every("lanesRows"), row, row)
			VPADDD(c.every("lanesGroups"), group, group)
			// A group beyond the last of a row is one of the next row's.
			over := c.shift(VPSRAD, c.binary(VPSUBD, c.every("lastGroup"), group), 31)
			VPSUBD(over, row, row)
			VPSUBD(c.and(over, c.every("groups")), group, group)
		}
		for b, w := range c.rounds(in...) {
			x, y := c.beside(w[0], w[1]), c.beside(w[2], w[3])
			for i, unpack := range []func(ops ...Op){VPUNPCKLQDQ, VPUNPCKHQDQ} {
				VMOVUPS(c.keep(c.binary(unpack, x, y)), v.at(dst, 2*b+i))
			}
		}
	})
}

// philoxOnes goes through rows of one column: of each block, the first word.
func philoxOnes(v vectors) {
	name := "philoxOnes" + v.name
	TEXT(name, NOSPLIT, philoxArgs+"rows, first int, ids *int64, x, y *float32)")
	Doc(name + " writes the masks of n rows of one value, in whole batches.")
	Pragma("noescape")
	c := newCounters(v, "first")
	row, lanes := v.register(), GP64()
	VPMOVZXDQ(countUp(), row)
	MOVQ(U32(uint32(v.bytes/8)), lanes)
	c.eachBatch(batches, 1, func(dst Mem) {
		var in []inputs
		for range batches {
			in = append(in, inputs{c.every("site"), c.ids(row)})
			VPADDD(c.broadcast(lanes), row, row)
		}
		for b, w := range c.rounds(in...) {
			c.storeWords(c.keep(w[0]), dst.Offset(b*v.bytes/2))
		}
	})
}

// philoxEntries goes through entries, each of its own row and column.
func philoxEntries(v vectors) {
	name := "philoxEntries" + v.name
	TEXT(name, NOSPLIT, philoxArgs+"ids *int64, cols *int32, x, y *float32)")
	Doc(name + " writes the masks of n entries, in whole batches, of which ids and cols hold as many.")
	Pragma("noescape")
	c := newCounters(v)
	ids, cols := Load(Param("ids"), GP64()), Load(Param("cols"), GP64())
	c.eachBatch(1, 1, func(dst Mem) {
		id, col := v.register(), v.register()
		VMOVUPS(Mem{Base: ids}, id)
		VPMOVZXDQ(Mem{Base: cols}, col)
		group := c.shift(VPSLLD, c.shift(VPSRLD, col, 2), 16)
		w := c.rounds(inputs{c.binary(VPADDD, group, c.every("site")), id})[0]
		odd, high := c.shift(VPSLLD, col, 31), c.shift(VPSLLD, col, 30)
		word := c.choose(high, c.choose(odd, w[3], w[2]), c.choose(odd, w[1], w[0]))
		c.storeWords(c.keep(word), dst)
		ADDQ(U32(uint32(v.bytes)), ids)
		ADDQ(Imm(uint64(v.bytes/2)), cols)
	})
}

// choose returns x where the sign bit of m is 1, y elsewhere.
func (c counters) choose(m, x, y vec) vec {
	r := c.v.register()
	if c.v.masked() {
		k := K()
		VPMOVD2M(m, k)
		VPBLENDMD(x, y, k, r)
	} else {
		VBLENDVPS(m, x, y, r)
	}
	return r
}

func (c counters) broadcast(x reg.GPVirtual) vec {
	r := c.v.register()
	VMOVQ(x, r.AsX())
	VPBROADCASTQ(r.AsX(), r)
	return r
}

// storeWords writes the low halves of lanes.
func (c counters) storeWords(x vec, m Mem) {
	if c.v.masked() {
		VPMOVQD(x, m)
		return
	}
	VPERMD(x, c.low, x)
	VMOVUPS(x.AsX(), m)
}

// evenLanes are the numbers of the low halves of lanes, and countUp 0, 1, 2, ….
func evenLanes() Mem { return numbers("evenLanes", 2) }
func countUp() Mem   { return numbers("countUp", 1) }

func numbers(name string, step int) Mem {
	m, ok := numberMems[name]
	if !ok {
		m = GLOBL(name, 8|16) // RODATA and NOPTR
		for i := range 8 {
			DATA(4*i, U32(i*step%8))
		}
		numberMems[name] = m
	}
	return m
}

var numberMems = map[string]Mem{}
