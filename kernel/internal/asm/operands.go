package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// left addresses the left operand of a tile, column by column.
type left interface {
	at(row, u int) Mem   // the value in column u from the current one
	fetch(u int)         // asks for what is needed later, a part per column
	advance(columns int) // moves the current column
}

// byRow addresses rows by a pointer for every third. It asks for what follows
// the tile, 64 bytes per column: where rows follow each other that is the next
// tile, of which there are at most 56 bytes per column.
type byRow struct {
	every3 []reg.GPVirtual
	lda    reg.Register
	after  reg.GPVirtual
	line   reg.GPVirtual // 64, or 0 where nothing is to be asked for
}

func rowMajor(t *tile) byRow {
	a := Load(Param("a"), GP64()).(reg.GPVirtual)
	r := byRow{[]reg.GPVirtual{a}, Load(Param("lda"), GP64()), GP64(), GP64()}
	for i := 3; i < t.rows; i += 3 {
		next := GP64()
		LEAQ(strided(a, r.lda, 2), next)
		ADDQ(r.lda, next)
		r.every3 = append(r.every3, next)
		a = next
	}
	MOVQ(r.every3[0], r.after)
	XORQ(r.line, r.line)
	t.unless(flagAhead, "near")
	IMUL3Q(Imm(uint64(t.rows)), r.lda, r.line)
	ADDQ(r.line, r.after)
	MOVQ(U32(64), r.line)
	Label(t.label("near"))
	return r
}

func (r byRow) at(row, u int) Mem {
	return strided(r.every3[row/3], r.lda, row%3).Offset(4 * u)
}

func (r byRow) fetch(u int) { PREFETCHT0(strided(r.after, r.line, u)) }

func (r byRow) advance(columns int) {
	for _, p := range r.every3 {
		ADDQ(Imm(uint64(4*columns)), p)
	}
	LEAQ(strided(r.after, r.line, columns), r.after)
}

// byColumn addresses a transposed operand. It asks for as many of its rows
// below as the tile goes through: those of the next sums.
type byColumn struct{ a, lda, below reg.GPVirtual }

func transposed(t *tile) byColumn {
	c := byColumn{GP64(), GP64(), GP64()}
	Load(Param("a"), c.a)
	Load(Param("lda"), c.lda)
	MOVQ(c.a, c.below)
	t.unless(flagAhead, "nearT")
	IMULQ(argument("k"), c.lda)
	ADDQ(c.lda, c.below)
	Load(Param("lda"), c.lda)
	Label(t.label("nearT"))
	return c
}

func (c byColumn) at(row, u int) Mem { return strided(c.a, c.lda, u).Offset(4 * row) }

// Rows of a power of two of bytes share few sets of the first-level cache, so
// these only go to the second.
func (c byColumn) fetch(u int) { PREFETCHT1(strided(c.below, c.lda, u)) }

func (c byColumn) advance(columns int) {
	LEAQ(strided(c.a, c.lda, columns), c.a)
	LEAQ(strided(c.below, c.lda, columns), c.below)
}

// right addresses the right operand row by row, and what is needed later, two
// lines per step over k: in a strip's first tile what the argument ahead says, in
// the others what the argument later does, on from where the tile before ended. A
// strip of one vector asks for nothing: it has no load to spare.
type right struct {
	*tile
	p, ldb         reg.Register
	later, ldlater reg.Register
	last           reg.Register // with masks: the columns of the last vector
}

func newRight(t *tile) right {
	b := right{tile: t, p: Load(Param("b"), GP64()), ldb: Load(Param("ldb"), GP64())}
	if t.masked() {
		b.last = t.columnMasks()[t.width-1]
	}
	if t.width > 1 {
		b.later, b.ldlater = Load(Param("ahead"), GP64()), GP64()
		next, from := label("later"), label("from")
		TESTQ(b.later, b.later)
		JZ(LabelRef(next))
		ADDQ(b.p, b.later)
		MOVQ(b.ldb, b.ldlater)
		JMP(LabelRef(from))
		Label(next)
		MOVQ(argument("later"), b.later)
		MOVQ(argument("ldlater"), b.ldlater)
		Label(from)
	}
	return b
}

// keep keeps what the next tile asks for.
func (b right) keep() {
	if b.later == nil {
		return
	}
	first, ahead := label("first"), GP64()
	MOVQ(argument("ahead"), ahead)
	TESTQ(ahead, ahead)
	JNZ(LabelRef(first))
	MOVQ(b.later, argument("later"))
	Label(first)
}

// load loads vector j of row u from the current one. Without masks, the last one is
// read whole.
func (b right) load(u, j int) {
	m := b.vectors.at(strided(b.p, b.ldb, u), j)
	if j == b.width-1 && b.masked() {
		b.vectors.load(m, b.last, b.free(j))
		return
	}
	VMOVUPS(m, b.free(j))
}

func (b right) fetch(u int) {
	if b.later == nil {
		return
	}
	for line := 0; line < b.width*b.bytes; line += 64 {
		PREFETCHT1(strided(b.later, b.ldlater, u).Offset(line))
	}
}

func (b right) advance(rows int) {
	LEAQ(strided(b.p, b.ldb, rows), b.p)
	if b.later != nil {
		LEAQ(strided(b.later, b.ldlater, rows), b.later)
	}
}

// strided is n strides after base; n is 0, 1, 2, 4 or 8.
func strided(base, stride reg.Register, n int) Mem {
	if n == 0 {
		return Mem{Base: base}
	}
	return Mem{Base: base, Index: stride, Scale: uint8(n)}
}
