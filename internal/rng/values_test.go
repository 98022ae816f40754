package rng

import (
	"math"
	"slices"
	"testing"
)

func TestFloatsLieInTheUnitInterval(t *testing.T) {
	const ones = math.MaxUint32
	if got := Float32(0); got != 0 {
		t.Errorf("least float32: %v", got)
	}
	if got := Float32(ones); got != 1-0x1p-24 {
		t.Errorf("largest float32: %v", got)
	}
	if got := Float32(1 << 8); got != 0x1p-24 {
		t.Errorf("step of float32: %v", got)
	}
	if got := Float64(0, 0); got != 0 {
		t.Errorf("least float64: %v", got)
	}
	if got := Float64(ones, ones); got != 1-0x1p-53 {
		t.Errorf("largest float64: %v", got)
	}
	if got := Float64(0, 1<<11); got != 0x1p-53 {
		t.Errorf("step of float64: %v", got)
	}
}

func TestNormalIsFinite(t *testing.T) {
	const ones = math.MaxUint32
	for _, w := range [][4]uint32{{}, {ones, ones, ones, ones}, {0, 0, ones, ones}, {ones, ones, 0, 0}} {
		x, y := Normal(w)
		if math.IsNaN(x+y) || math.IsInf(x+y, 0) {
			t.Errorf("%x: %v and %v", w, x, y)
		}
	}
	// The far end of the tail: √(2·53·ln 2) in the direction of cos 0.
	if x, _ := Normal([4]uint32{ones, ones, 0, 0}); math.Abs(x-math.Sqrt(106*math.Ln2)) > 1e-12 {
		t.Errorf("tail ends at %v", x)
	}
}

// Seeds are fixed, so that these tests give one result for ever; the bounds are
// five standard errors, passed by chance alone all but once in a million seeds.
const draws = 1 << 16

func TestFloatMoments(t *testing.T) {
	s := Key{Seed: 1, Purpose: Test}.Stream(0)
	var sum32, sum64, square float64
	for range draws {
		x := s.Float64()
		sum32 += float64(s.Float32())
		sum64 += x
		square += x * x
	}
	bound := 5 * math.Sqrt(1.0/12/draws)
	for name, got := range map[string]float64{"float32": sum32 / draws, "float64": sum64 / draws} {
		if math.Abs(got-0.5) > bound {
			t.Errorf("mean of %s: %v", name, got)
		}
	}
	if got := square / draws; math.Abs(got-1.0/3) > 5*math.Sqrt(4.0/45/draws) {
		t.Errorf("mean square: %v", got)
	}
}

func TestNormalMoments(t *testing.T) {
	k := Key{Seed: 2, Purpose: Test}
	var moments [5]float64
	cross := 0.0
	for i := range uint64(draws / 2) {
		x, y := Normal(k.Block(Counter{ID: i}))
		cross += x * y
		for p := range moments {
			moments[p] += math.Pow(x, float64(p)) + math.Pow(y, float64(p))
		}
	}
	// The variance of x^p is E[x^2p] − E[x^p]², with E[x²] = 1, E[x⁴] = 3,
	// E[x⁶] = 15, E[x⁸] = 105.
	for p, c := range []struct{ mean, variance float64 }{{1, 0}, {0, 1}, {1, 2}, {0, 15}, {3, 96}} {
		if got := moments[p] / draws; math.Abs(got-c.mean) > 5*math.Sqrt(c.variance/draws) {
			t.Errorf("moment %d: %v, want %v", p, got, c.mean)
		}
	}
	if got := cross / (draws / 2); math.Abs(got) > 5/math.Sqrt(draws/2) {
		t.Errorf("the two numbers of a block correlate: %v", got)
	}
}

// Each bit of each word is as often 0 as 1, over ids that count up.
func TestBitsAreBalanced(t *testing.T) {
	k := Key{Seed: 0, Purpose: Dropout}
	var ones [4][32]int
	for i := range uint64(draws) {
		for w, word := range k.Block(Counter{ID: i}) {
			for b := range 32 {
				ones[w][b] += int(word >> b & 1)
			}
		}
	}
	for w := range ones {
		for b, n := range ones[w] {
			if math.Abs(float64(n)-draws/2) > 5*math.Sqrt(draws)/2 {
				t.Errorf("bit %d of word %d is set %d times in %d", b, w, n, draws)
			}
		}
	}
}

// Orders of four items, 24 of them: χ² with 23 degrees of freedom has mean 23
// and variance 46.
func TestPermutationIsUniform(t *testing.T) {
	count := map[[4]int32]int{}
	k := Key{Seed: 3, Purpose: Shuffle}
	for id := range uint64(draws) {
		count[[4]int32(k.Permutation(id, 4))]++
	}
	chi, want := 0.0, float64(draws)/24
	for _, n := range count {
		chi += (float64(n) - want) * (float64(n) - want) / want
	}
	if len(count) != 24 || chi > 23+5*math.Sqrt(46) {
		t.Errorf("%d orders, χ² = %v", len(count), chi)
	}
}

func TestPermutationIsOneOfItsKey(t *testing.T) {
	k := Key{Seed: 4, Purpose: Shuffle}
	for n := range 70 {
		p := k.Permutation(9, n)
		if !slices.Equal(p, k.Permutation(9, n)) {
			t.Fatalf("%d items: two orders from one key", n)
		}
		sorted := slices.Sorted(slices.Values(p))
		for i, x := range sorted {
			if int(x) != i {
				t.Fatalf("%d items: got %v", n, p)
			}
		}
	}
	if slices.Equal(k.Permutation(9, 70), k.Permutation(10, 70)) {
		t.Error("two ids give one order of 70")
	}
}
