package rng

import (
	"math"
	"math/rand/v2"
	"testing"
)

var _ rand.Source = (*Stream)(nil)

// The words of a stream are those of the blocks it counts through.
func TestStreamReadsBlocks(t *testing.T) {
	k := Key{Seed: 5, Purpose: Sample}
	s := k.Stream(6<<32 | 7)
	for i := range uint32(20) {
		want := k.Block(Counter{Step: i / 4, ID: 6<<32 | 7})[i%4]
		if got := s.Uint32(); got != want {
			t.Fatalf("word %d: got %#x, want %#x", i, got, want)
		}
	}
	s.next, s.left = 1<<32|3, 0
	if got, want := s.Uint32(), k.Block(Counter{Step: 3, Site: 1, ID: 6<<32 | 7})[0]; got != want {
		t.Fatalf("after 2³² blocks: got %#x, want %#x", got, want)
	}
}

func TestStreamOrderOfWords(t *testing.T) {
	k := Key{Seed: 5, Purpose: Sample}
	w := k.Block(Counter{})
	if got := k.Stream(0).Uint64(); got != uint64(w[0])<<32|uint64(w[1]) {
		t.Errorf("Uint64 %#x of words %#x", got, w)
	}
	if got := k.Stream(0).Float64(); got != Float64(w[0], w[1]) {
		t.Errorf("Float64 %v of words %#x", got, w)
	}
	if got := k.Stream(0).Float32(); got != Float32(w[0]) {
		t.Errorf("Float32 %v of words %#x", got, w)
	}
	if x, _ := Normal(w); k.Stream(0).Normal() != x {
		t.Errorf("Normal is not that of words %#x", w)
	}
}

// With n = 3·2³⁰ a number taken modulo n, or a product that is not rejected,
// falls twice as often in one part of the range as in another.
func TestUint32nIsUnbiased(t *testing.T) {
	for _, c := range []struct{ n, cells uint32 }{{3 << 30, 3}, {1, 1}, {7, 7}, {1 << 31, 8}, {math.MaxUint32, 5}} {
		s := Key{Seed: 6, Purpose: Test}.Stream(uint64(c.n))
		count := make([]int, c.cells)
		twos := 0 // numbers that are 2 modulo 3
		for range draws {
			x := s.Uint32n(c.n)
			if x >= c.n {
				t.Fatalf("below %d: %d", c.n, x)
			}
			count[uint64(x)*uint64(c.cells)/uint64(c.n)]++
			if x%3 == 2 {
				twos++
			}
		}
		chi, want := 0.0, draws/float64(c.cells)
		for _, n := range count {
			chi += (float64(n) - want) * (float64(n) - want) / want
		}
		free := float64(c.cells - 1)
		if chi > free+5*math.Sqrt(2*free) {
			t.Errorf("below %d: χ² = %v with %v degrees of freedom: %v", c.n, chi, free, count)
		}
		if share := float64(twos) / draws; c.n > 7 && math.Abs(share-1.0/3) > 5*math.Sqrt(2.0/9/draws) {
			t.Errorf("below %d: %v of the numbers are 2 modulo 3, want a third", c.n, share)
		}
	}
}

func TestUint32nPanicsOnZero(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a number below 0 was drawn")
		}
	}()
	Key{}.Stream(0).Uint32n(0)
}

func TestStreamDoesNotAllocate(t *testing.T) {
	s := Key{Seed: 8, Purpose: Test}.Stream(0)
	sum := 0.0
	if n := testing.AllocsPerRun(100, func() { sum += s.Normal() + float64(s.Uint32n(9)) }); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}
