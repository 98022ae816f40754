package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// chains is how many independent sums keep two units of a latency of up to
// five cycles busy, and a few more.
const chains = 14

// peak builds loops that show the limits of the machine: nothing but fused
// multiply-adds of registers, and what moves memory.
func peak() {
	for _, v := range []vectors{zmm, ymm} {
		fmaLoop(v)
	}
	bandwidth()
}

func fmaLoop(v vectors) {
	name := "fma" + v.name
	TEXT(name, NOSPLIT, "func(rounds int)")
	Doc(fmt.Sprintf("%s runs rounds × %d fused multiply-adds of %d values.", name, chains, v.values()))
	Pragma("noescape")
	rounds := Load(Param("rounds"), GP64())
	x := v.register()
	v.zero(x)
	var sums [chains]reg.VecVirtual
	for i := range sums {
		sums[i] = v.register()
		v.zero(sums[i])
	}
	Label("loop")
	for _, s := range sums {
		VFMADD231PS(x, x, s)
	}
	DECQ(rounds)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
