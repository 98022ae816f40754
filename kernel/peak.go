package kernel

import (
	"runtime"

	"github.com/weft-gnn/weft/internal/cpu"
)

// fmaLoop is a loop of independent multiply-adds of registers.
type fmaLoop struct {
	run   func(rounds int)
	flops int // of one round
}

// MeasureFMA returns the rate at which that many threads multiply and add
// registers with the widest instructions that the kernels use: the roof over
// every dense product. The best of many runs counts, as other load on the machine
// can only slow them down.
//
// Units: scalar operations per second, a multiply-add being two.
func MeasureFMA(threads int) float64 { return measureFMA(fmaLoops[cpu.Best()], threads) }

func measureFMA(loop fmaLoop, threads int) float64 {
	pool := NewPool(threads)
	defer pool.Close()
	r := race{pool: pool, lap: func(_, _, rounds int) { loop.run(rounds) }}
	return r.rate(0) * float64(loop.flops)
}

var fmaLoopGeneric = fmaLoop{fmaGeneric, 2 * 6}

// fmaGeneric multiplies and adds six times per round: sums, factors and the
// products on their way just fit sixteen registers.
func fmaGeneric(rounds int) {
	var s0, s1, s2, s3, s4, s5 float32
	x := float32(rounds)
	w0, w1, w2, w3, w4, w5 := x+0, x+1, x+2, x+3, x+4, x+5
	for range rounds {
		s0 += x * w0
		s1 += x * w1
		s2 += x * w2
		s3 += x * w3
		s4 += x * w4
		s5 += x * w5
	}
	runtime.KeepAlive(s0 + s1 + s2 + s3 + s4 + s5)
}
