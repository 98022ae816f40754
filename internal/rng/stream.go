package rng

import "math/bits"

// Stream draws words one after another, for algorithms that are sequential by
// nature: a split, a generator, a partitioner. It satisfies rand.Source of
// math/rand/v2.
//
// The stream of (key, id) takes the counters of that id from step 0, site 0,
// columns 0 on; a purpose is used with streams or with counters, not with both.
type Stream struct {
	k0, k1 uint32
	id     uint64
	next   uint64 // number of the next block
	words  [4]uint32
	left   int // words not yet drawn, at the end
}

// Stream returns the stream of the given id at its beginning.
func (k Key) Stream(id uint64) *Stream {
	k0, k1 := k.words()
	return &Stream{k0: k0, k1: k1, id: id}
}

// Uint32 returns the next word.
func (s *Stream) Uint32() uint32 {
	if s.left == 0 {
		s.refill()
	}
	w := s.words[4-s.left]
	s.left--
	return w
}

func (s *Stream) refill() {
	w := &s.words
	w[0], w[1], w[2], w[3] = philox(uint32(s.next), uint32(s.next>>32), uint32(s.id), uint32(s.id>>32), s.k0, s.k1)
	s.next++
	s.left = 4
}

// Uint64 returns the next two words, the first one above.
func (s *Stream) Uint64() uint64 {
	hi := s.Uint32()
	return uint64(hi)<<32 | uint64(s.Uint32())
}

// Float32 returns a number in [0, 1).
func (s *Stream) Float32() float32 { return Float32(s.Uint32()) }

// Float64 returns a number in [0, 1).
func (s *Stream) Float64() float64 {
	hi := s.Uint32()
	return Float64(hi, s.Uint32())
}

// Normal returns a standard normal number. It draws four words.
func (s *Stream) Normal() float64 {
	x, _ := Normal([4]uint32{s.Uint32(), s.Uint32(), s.Uint32(), s.Uint32()})
	return x
}

// Uint32n returns a number in [0, n), each equally likely; n must not be 0.
//
// Source: Lemire, "Fast random integer generation in an interval", TOMACS 29 (2019).
func (s *Stream) Uint32n(n uint32) uint32 {
	if n == 0 {
		panic("rng: a number below 0 was asked for")
	}
	hi, lo := bits.Mul32(s.Uint32(), n)
	if lo < n {
		// Words whose product falls in the first 2³² mod n would count twice.
		for reject := -n % n; lo < reject; {
			hi, lo = bits.Mul32(s.Uint32(), n)
		}
	}
	return hi
}

// Shuffle permutes n items by exchanging pairs, each order equally likely
// (Fisher and Yates); n is at most 2³²−1.
func (s *Stream) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, int(s.Uint32n(uint32(i+1))))
	}
}
