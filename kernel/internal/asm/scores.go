package main

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// scores walks the scores of consecutive edges. Where heads is not 0, rows lie
// next to each other and a vector holds several; else a vector holds part of
// one row, and rows are some bytes apart.
type scores struct {
	v     vectors
	heads int
	tail  tail // of heads, where that is 0

	operands []reg.GPVirtual // addresses of the first edge
	apart    []Mem           // bytes from row to row, where heads is 0
	result   reg.GPVirtual   // address of what rows leave, a value per head; or none
	own      reg.GPVirtual   // address of what rows have, ldown bytes apart; or none
	full     reg.GPVirtual   // vectors to go through
	rest     reg.GPVirtual   // and values beyond them, where heads is not 0
}

func (s scores) suffix() string {
	if s.heads == 0 {
		return s.v.name
	}
	return fmt.Sprintf("%sx%d", s.v.name, s.heads)
}

// begin starts a function on some operands.
func begin(v vectors, heads int, name, args, doc string, operands ...string) *scores {
	s := &scores{v: v, heads: heads}
	TEXT(name+s.suffix(), NOSPLIT, args)
	Doc(name + s.suffix() + " " + doc)
	Pragma("noescape")
	if heads == 0 {
		s.tail = newTail(v, Load(Param("heads"), GP64()))
	}
	for _, o := range operands {
		s.operands = append(s.operands, Load(Param(o), GP64()).(reg.GPVirtual))
		if heads == 0 {
			s.apart = append(s.apart, argument("ld"+o))
		}
	}
	s.full, s.rest = GP64(), GP64()
	return s
}

// count sets how far to go from a number of edges, which it may change.
func (s *scores) count(edges reg.GPVirtual) {
	MOVQ(edges, s.full)
	if s.heads == 0 {
		return
	}
	if s.heads > 1 {
		SHLQ(Imm(uint64(log2(s.heads))), s.full)
	}
	MOVQ(s.full, s.rest)
	SHRQ(Imm(uint64(log2(s.v.values()))), s.full)
	ANDQ(Imm(uint64(s.v.values()-1)), s.rest)
}

// each builds a loop over the vectors; step sees the operands' places.
func (s *scores) each(step func(at []Mem, only *tail)) {
	at := make([]Mem, len(s.operands))
	moving := make([]reg.GPVirtual, len(s.operands))
	for i, o := range s.operands {
		moving[i] = GP64()
		MOVQ(o, moving[i])
		at[i] = Mem{Base: moving[i]}
	}
	left := GP64()
	MOVQ(s.full, left)
	loop, rest, done := label("vectors"), label("rest"), label("done")
	if s.heads != 0 {
		TESTQ(left, left)
		JZ(LabelRef(rest))
	}
	Label(loop)
	if s.heads == 0 {
		step(at, &s.tail)
	} else {
		step(at, nil)
	}
	for i, m := range moving {
		if s.heads == 0 {
			ADDQ(s.apart[i], m)
		} else {
			ADDQ(Imm(uint64(s.v.bytes)), m)
		}
	}
	DECQ(left)
	JNZ(LabelRef(loop))
	if s.heads == 0 {
		return
	}
	Label(rest)
	TESTQ(s.rest, s.rest)
	JZ(LabelRef(done))
	only := newTail(s.v, s.rest)
	step(at, &only)
	Label(done)
}

// eachRow builds a loop over the rows that have edges.
func (s *scores) eachRow(row func()) {
	ptr := Load(Param("ptr"), GP64())
	edges, bytes := GP64(), GP64()
	loop, next := label("row"), label("next")
	Label(loop)
	MOVQ(Mem{Base: ptr, Disp: 8}, edges)
	SUBQ(Mem{Base: ptr}, edges)
	JZ(LabelRef(next))
	s.count(edges)
	row()
	for i, o := range s.operands {
		MOVQ(edges, bytes)
		if s.heads == 0 {
			IMULQ(s.apart[i], bytes)
		} else {
			SHLQ(Imm(uint64(2+log2(s.heads))), bytes)
		}
		ADDQ(bytes, o)
	}
	Label(next)
	if s.result != nil {
		ADDQ(argument("ldr"), s.result)
	}
	if s.own != nil {
		ADDQ(argument("ldown"), s.own)
	}
	ADDQ(Imm(8), ptr)
	DECQ(argument("rows"))
	JNZ(LabelRef(loop))
	VZEROUPPER()
	RET()
}

func log2(n int) int { return bits.Len(uint(n)) - 1 }

var labelCount int

// label returns a label that no other code of the function has.
func label(name string) string {
	labelCount++
	return fmt.Sprintf("%s%d", name, labelCount)
}

// read loads a vector; lanes that do not count get what fill holds, or 0
// without it.
func (v vectors) read(m Mem, only *tail, fill reg.VecVirtual) reg.VecVirtual {
	x := v.register()
	switch {
	case only == nil:
		VMOVUPS(m, x)
	case fill == nil:
		only.load(m, x)
	case v.bytes == 64:
		VMOVUPS(fill, x)
		VMOVUPS(m, only.k, x)
	default:
		VMASKMOVPS(m, only.mask, x)
		VBLENDVPS(only.mask, x, fill, x)
	}
	return x
}

func store(x reg.VecVirtual, m Mem, only *tail) {
	if only == nil {
		VMOVUPS(x, m)
	} else {
		only.store(x, m)
	}
}

// fold combines the lanes of each head, and leaves the result in all of them.
func (s *scores) fold(combine func(ops ...Op), x reg.VecVirtual) {
	if s.heads == 0 {
		return
	}
	t := s.v.register()
	for apart := s.v.values() / 2; apart >= s.heads; apart /= 2 {
		switch {
		case apart == 8:
			VSHUFF32X4(Imm(0x4e), x, x, t)
		case apart == 4 && s.v.bytes == 64:
			VSHUFF32X4(Imm(0xb1), x, x, t)
		case apart == 4:
			VPERM2F128(Imm(1), x, x, t)
		case apart == 2:
			VPERMILPS(Imm(0x4e), x, t)
		default:
			VPERMILPS(Imm(0xb1), x, t)
		}
		combine(t, x, x)
	}
}

// storeHeads writes one value per head.
func (s *scores) storeHeads(x reg.VecVirtual, m Mem) {
	switch s.heads {
	case 0:
		s.tail.store(x, m)
	case 1:
		VMOVSS(x.AsX(), m)
	case 2:
		VMOVLPS(x.AsX(), m)
	case 4:
		VMOVUPS(x.AsX(), m)
	case 8:
		VMOVUPS(x.AsY(), m)
	}
}

// loadHeads reads one value per head into all lanes of the head.
func (s *scores) loadHeads(m Mem) reg.VecVirtual {
	x := s.v.register()
	switch {
	case s.heads == 0:
		s.tail.load(m, x)
	case s.heads == 1:
		VBROADCASTSS(m, x)
	case s.heads == 2:
		VBROADCASTSD(m, x)
	case s.heads == 4 && s.v.bytes == 64:
		VBROADCASTF32X4(m, x)
	case s.heads == 4:
		VBROADCASTF128(m, x)
	case s.v.bytes == 64:
		VBROADCASTF32X8(m, x)
	default:
		VMOVUPS(m, x)
	}
	return x
}

// whereShort builds one step for rows of less than a vector, beside the steps
// for all others.
func (s *scores) whereShort(short func(at []Mem, only *tail), long func()) {
	if s.heads == 0 {
		long()
		return
	}
	shortRow, done := label("short"), label("done")
	TESTQ(s.full, s.full)
	JZ(LabelRef(shortRow))
	long()
	JMP(LabelRef(done))
	Label(shortRow)
	at := make([]Mem, len(s.operands))
	for i, o := range s.operands {
		at[i] = Mem{Base: o}
	}
	only := newTail(s.v, s.rest)
	short(at, &only)
	Label(done)
}
