package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vectors is one width of vector registers.
type vectors struct {
	name      string // suffix of functions that use it
	bytes     int
	registers int // how many there are
	register  func() reg.VecVirtual
	spec      reg.Spec
}

var (
	zmm = vectors{"AVX512", 64, 32, ZMM, reg.S512}
	ymm = vectors{"AVX2", 32, 16, YMM, reg.S256}
)

// values is how many float32 a register holds.
func (v vectors) values() int { return v.bytes / 4 }

// zero sets registers to zero.
func (v vectors) zero(rs ...reg.VecVirtual) {
	for _, r := range rs {
		v.clear(r)
	}
}

// clear sets any register to zero.
func (v vectors) clear(r reg.Register) {
	if v.bytes == 64 {
		VPXORD(r, r, r)
	} else {
		VXORPS(r, r, r)
	}
}

// at is n vectors after m.
func (v vectors) at(m Mem, n int) Mem { return m.Offset(n * v.bytes) }

// numbered returns a register by its number, for code that uses nearly all of
// them: avo's allocator is greedy and finds no choice there.
func (v vectors) numbered(i int) reg.VecPhysical {
	return reg.Vector.Lookup(reg.Index(i), v.spec).(reg.VecPhysical)
}
