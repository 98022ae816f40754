package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// vectors is one width of vector registers.
type vectors struct {
	name     string // suffix of functions that use it
	bytes    int
	register func() reg.VecVirtual
}

var (
	zmm = vectors{"AVX512", 64, ZMM}
	ymm = vectors{"AVX2", 32, YMM}
)

// values is how many float32 a register holds.
func (v vectors) values() int { return v.bytes / 4 }

// zero sets registers to zero.
func (v vectors) zero(rs ...reg.VecVirtual) {
	for _, r := range rs {
		if v.bytes == 64 {
			VPXORD(r, r, r)
		} else {
			VXORPS(r, r, r)
		}
	}
}
