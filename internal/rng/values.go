package rng

import "math"

// Float32 maps a word to [0, 1) by its upper 24 bits: every value is a multiple
// of 2⁻²⁴ and equally likely.
func Float32(w uint32) float32 { return float32(w>>8) * 0x1p-24 }

// Float64 maps two words to [0, 1) by their upper 53 bits.
func Float64(hi, lo uint32) float64 {
	return float64((uint64(hi)<<32|uint64(lo))>>11) * 0x1p-53
}

// Normal maps four words to two independent standard normal numbers: r cos 2πu
// and r sin 2πu with r = √(−2 ln(1−t)).
//
// Differs between architectures in the last bit where the compiler fuses a
// multiplication with an addition.
// Source: Box and Muller, Ann. Math. Stat. 29 (1958).
func Normal(w [4]uint32) (float64, float64) {
	r := math.Sqrt(-2 * math.Log(1-Float64(w[0], w[1])))
	sin, cos := math.Sincos(2 * math.Pi * Float64(w[2], w[3]))
	return r * cos, r * sin
}

// Permutation returns the numbers 0 to n−1 in an order that the key and id fix.
func (k Key) Permutation(id uint64, n int) []int32 {
	p := make([]int32, n)
	for i := range p {
		p[i] = int32(i)
	}
	s := k.Stream(id)
	s.Shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
	return p
}
