package kernel

import (
	"fmt"
	"testing"
)

// Registers double from set to set, so that a larger set's loop is faster; the
// best of many runs is not slowed to half by other load on the machine.
func TestMeasureFMAGrowsWithTheInstructions(t *testing.T) {
	last := 0.0
	for _, isa := range variants() {
		rate := measureFMA(fmaLoops[isa], 1)
		if rate < last/2 || rate < 1e8 {
			t.Errorf("%v: %.3g operations per second, %.3g with less", isa, rate, last)
		}
		last = rate
	}
}

func BenchmarkFMA(b *testing.B) {
	for _, isa := range variants() {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("impl=%v/threads=%d", isa, threads), func(b *testing.B) {
				best := 0.0
				for b.Loop() {
					best = max(best, measureFMA(fmaLoops[isa], threads))
				}
				b.ReportMetric(best/1e9, "GFLOP/s")
			})
		}
	}
}
