package main

import "fmt"

// peak builds the loop that measures the multiply-adds of registers.
func peak(out *file) {
	const sums = 24
	f := out.function("fmaNEON", "rounds int", fmt.Sprintf("runs rounds × %d fused multiply-adds of %d values.", sums, lanes))
	rounds := f.load("rounds")
	x, y := f.vec(1)[0], f.vec(1)[0]
	acc := f.vec(sums)
	f.clear(x, y)
	f.clear(acc...)
	f.label("round")
	for i, s := range acc {
		f.multiplyAdd(x, y, i%lanes, s)
	}
	f.do("SUBS", imm(1), rounds, rounds)
	f.do("BNE", "round")
	f.do("RET")
}
