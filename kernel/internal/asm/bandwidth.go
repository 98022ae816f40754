package main

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// block is how many bytes a round of a loop over memory takes.
const block = 512

// bandwidth builds loops that move memory and compute next to nothing.
func bandwidth() {
	for _, v := range []vectors{zmm, ymm} {
		readLoop(v, false)
		readLoop(v, true)
		readFour(v)
		for _, past := range []bool{false, true} {
			writeLoop(v, past)
			copyLoop(v, past, false)
			copyLoop(v, past, true)
		}
		changeLoop(v)
		for row := 4; row <= 1024; row *= 2 {
			if row != 8 {
				gatherLoop(v, row, false)
				gatherLoop(v, row, true)
			}
		}
	}
}

// loopOver builds a loop that runs rounds times.
func loopOver(name, args string, doc string, setup func() (round func())) {
	TEXT(name, NOSPLIT, args)
	Doc(name + " " + doc)
	Pragma("noescape")
	rounds := Load(Param("rounds"), GP64())
	round := setup()
	Label("round")
	round()
	DECQ(rounds)
	JNZ(LabelRef("round"))
	VZEROUPPER()
	RET()
}

// askAhead asks for the lines of a block that lies ahead bytes further.
func askAhead(p, ahead reg.Register) {
	for at := 0; at < block; at += 64 {
		PREFETCHT0(Mem{Base: p, Index: ahead, Scale: 1, Disp: at})
	}
}

// suffix is the part of a name that says how a loop treats the caches.
func suffix(past, asks bool) string {
	s := ""
	if past {
		s += "Past"
	}
	if asks {
		s += "Ahead"
	}
	return s
}

func readLoop(v vectors, asks bool) {
	args, doc := "func(rounds int, p *float32)", "reads rounds × 512 bytes."
	if asks {
		args, doc = "func(rounds int, p *float32, ahead int)", "reads rounds × 512 bytes and asks for those ahead bytes further."
	}
	loopOver("read"+suffix(false, asks)+v.name, args, doc, func() func() {
		p := Load(Param("p"), GP64())
		var ahead reg.Register
		if asks {
			ahead = Load(Param("ahead"), GP64())
		}
		return func() {
			if asks {
				askAhead(p, ahead)
			}
			for at := 0; at < block; at += v.bytes {
				VMOVUPS(Mem{Base: p, Disp: at}, v.register())
			}
			ADDQ(U32(block), p)
		}
	})
}

// readFour reads four quarters side by side, as a kernel does that has so many
// operands.
func readFour(v vectors) {
	loopOver("readFour"+v.name, "func(rounds int, p *float32, quarter int)",
		"reads rounds × 128 bytes of each of four arrays, quarter bytes apart.", func() func() {
			p := Load(Param("p"), GP64())
			quarter := Load(Param("quarter"), GP64())
			last := GP64()
			LEAQ(Mem{Base: quarter, Index: quarter, Scale: 2}, last)
			ADDQ(p, last)
			return func() {
				for at := 0; at < block/4; at += v.bytes {
					for _, m := range []Mem{strided(p, quarter, 0), strided(p, quarter, 1), strided(p, quarter, 2), {Base: last}} {
						VMOVUPS(m.Offset(at), v.register())
					}
				}
				ADDQ(U32(block/4), p)
				ADDQ(U32(block/4), last)
			}
		})
}

func put(past bool, from reg.VecVirtual, to Mem) {
	if past {
		VMOVNTPS(from, to)
	} else {
		VMOVUPS(from, to)
	}
}

func writeLoop(v vectors, past bool) {
	doc := "writes rounds × 512 bytes."
	if past {
		doc = "writes rounds × 512 bytes past the caches."
	}
	loopOver("write"+suffix(past, false)+v.name, "func(rounds int, p *float32)", doc, func() func() {
		p := Load(Param("p"), GP64())
		x := v.register()
		VBROADCASTSS(Mem{Base: p}, x) // memory might know how to write zeros for less
		return func() {
			for at := 0; at < block; at += v.bytes {
				put(past, x, Mem{Base: p, Disp: at})
			}
			ADDQ(U32(block), p)
		}
	})
}

func copyLoop(v vectors, past, asks bool) {
	args, doc := "func(rounds int, p, to *float32)", "copies rounds × 512 bytes"
	if past {
		doc += " past the caches"
	}
	if asks {
		args, doc = "func(rounds int, p, to *float32, ahead int)", doc+" and asks for those ahead bytes further"
	}
	loopOver("copy"+suffix(past, asks)+v.name, args, doc+".", func() func() {
		p, to := Load(Param("p"), GP64()), Load(Param("to"), GP64())
		var ahead reg.Register
		if asks {
			ahead = Load(Param("ahead"), GP64())
		}
		return func() {
			if asks {
				askAhead(p, ahead)
			}
			for at := 0; at < block; at += v.bytes {
				x := v.register()
				VMOVUPS(Mem{Base: p, Disp: at}, x)
				put(past, x, Mem{Base: to, Disp: at})
			}
			ADDQ(U32(block), p)
			ADDQ(U32(block), to)
		}
	})
}

// changeLoop reads and writes the same place.
func changeLoop(v vectors) {
	loopOver("change"+v.name, "func(rounds int, p *float32)", "adds the first value to all of rounds × 512 bytes.", func() func() {
		p := Load(Param("p"), GP64())
		first := v.register()
		VBROADCASTSS(Mem{Base: p}, first)
		return func() {
			for at := 0; at < block; at += v.bytes {
				x := v.register()
				VADDPS(Mem{Base: p, Disp: at}, first, x)
				VMOVUPS(x, Mem{Base: p, Disp: at})
			}
			ADDQ(U32(block), p)
		}
	})
}

// gatherLoop builds the reading of rows in the order of an index, into several
// sums, so that no addition waits for the one before.
func gatherLoop(v vectors, row int, asks bool) {
	args, doc := "func(rounds int, index *uint32, flip uint32, x *float32)", "adds four rows per round, those of index ⊕ flip"
	if asks {
		args, doc = "func(rounds int, index *uint32, flip uint32, x *float32, ahead int)", doc+", and asks for those ahead positions further"
	}
	name := fmt.Sprintf("gather%s%sx%d", suffix(false, asks), v.name, row)
	loopOver(name, args, doc+"; rows have "+fmt.Sprint(row)+" bytes.", func() func() {
		index, flip, x := Load(Param("index"), GP64()), Load(Param("flip"), GP32()), Load(Param("x"), GP64())
		later := GP64()
		if asks {
			ahead := Load(Param("ahead"), GP64())
			LEAQ(Mem{Base: index, Index: ahead, Scale: 4}, later)
		}
		part := rowPartOf(v, row)
		sums := make([]reg.VecVirtual, min(v.registers/2, 4*row/part.bytes))
		for i := range sums {
			sums[i] = part.register()
			part.clear(sums[i])
		}
		next := 0
		place := func(index reg.Register, i int) reg.GPVirtual {
			q := GP64()
			MOVL(Mem{Base: index, Disp: 4 * i}, q.As32())
			XORL(flip, q.As32())
			SHLQ(Imm(uint64(bits.TrailingZeros(uint(row)))), q)
			return q
		}
		return func() {
			for i := range 4 {
				if asks {
					q := place(later, i)
					for at := 0; at < row; at += 64 {
						PREFETCHT0(Mem{Base: x, Index: q, Scale: 1, Disp: at})
					}
				}
				q := place(index, i)
				for at := 0; at < row; at += part.bytes {
					sum := sums[next%len(sums)]
					part.add(Mem{Base: x, Index: q, Scale: 1, Disp: at}, sum)
					next++
				}
			}
			ADDQ(Imm(16), index)
			if asks {
				ADDQ(Imm(16), later)
			}
		}
	})
}

// part is what one instruction reads of a row.
type rowPart struct{ vectors }

func rowPartOf(v vectors, row int) rowPart {
	switch {
	case row >= v.bytes:
		return rowPart{v}
	case row == 32:
		return rowPart{ymm}
	}
	return rowPart{vectors{bytes: row, register: XMM}}
}

func (p rowPart) clear(r reg.VecVirtual) { VXORPS(r.AsX(), r.AsX(), r.AsX()) }

func (p rowPart) add(m Mem, sum reg.VecVirtual) {
	if p.bytes == 4 {
		VADDSS(m, sum, sum)
	} else {
		VADDPS(m, sum, sum)
	}
}
