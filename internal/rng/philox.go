// Package rng draws random numbers from counters.
//
// A number is a function of a key (the seed, and what it is for) and a counter
// (the step, where in the declaration, which row, which columns): no generator
// has a state that the order of draws could change, so the same program draws
// the same numbers on any number of threads and ranks and under every plan.
package rng

import (
	"hash/fnv"
	"math/bits"
)

// Purpose keeps draws for different ends apart: equal counters under different
// purposes give unrelated numbers. The values are part of what a seed means, so
// they never change; new ones are added at the end.
type Purpose uint32

// The purposes.
const (
	Dropout   Purpose = iota + 1 // masks of features and attention
	Init                         // initial parameters
	Split                        // training, validation and test items
	Sample                       // neighbours
	Shuffle                      // the order of batches
	Negative                     // non-edges for link prediction
	Partition                    // tie breaking and matching in partitioners
	Generate                     // synthetic graphs and features
	Fault                        // injected delay, reordering and failure
	Test                         // inputs of tests and benchmarks
)

// Key names one family of random numbers.
type Key struct {
	Seed    uint64
	Purpose Purpose
}

// Counter is the place of four random words within a family. Step, Site, Group
// and ID are laid out as step (32 bits) | site (16), columns/4 (16) | id (64).
type Counter struct {
	Step  uint32 // training step, from 0
	Site  uint16 // which draw of the declaration
	Group uint16 // column/4: the four words are for columns 4·Group to 4·Group+3
	ID    uint64 // identity of the vertex, edge, graph or parameter element
}

// Constants of Philox: multipliers and Weyl increments of the key.
const (
	mul0, mul1   = 0xD2511F53, 0xCD9E8D57
	weyl0, weyl1 = 0x9E3779B9, 0xBB67AE85
)

// philox encrypts a 128-bit counter with a 64-bit key in ten rounds, the key
// stepping by the Weyl constants between them. Written out, or for two counters
// at once, it is no faster: the processor runs successive blocks side by side.
//
// Source: Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC'11.
func philox(c0, c1, c2, c3, k0, k1 uint32) (uint32, uint32, uint32, uint32) {
	for range 10 {
		h0, l0 := bits.Mul32(mul0, c0)
		h1, l1 := bits.Mul32(mul1, c2)
		c0, c1, c2, c3 = h1^c1^k0, l1, h0^c3^k1, l0
		k0 += weyl0
		k1 += weyl1
	}
	return c0, c1, c2, c3
}

// words returns the 64-bit Philox key: a bijection of the seed that differs by
// purpose. Adding multiples of the golden ratio before the mix keeps the families
// of small seeds apart.
// Source: the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA'14).
func (k Key) words() (uint32, uint32) {
	z := k.Seed + uint64(k.Purpose)*0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	z ^= z >> 31
	return uint32(z), uint32(z >> 32)
}

// Rounds returns the keys of the ten rounds, for code that encrypts counters of
// its own.
func (k Key) Rounds() (keys [10][2]uint32) {
	k0, k1 := k.words()
	for i := range keys {
		keys[i] = [2]uint32{k0, k1}
		k0 += weyl0
		k1 += weyl1
	}
	return keys
}

// Block returns the four random words at c.
func (k Key) Block(c Counter) [4]uint32 {
	k0, k1 := k.words()
	w0, w1, w2, w3 := philox(c.Step, uint32(c.Site)|uint32(c.Group)<<16, uint32(c.ID), uint32(c.ID>>32), k0, k1)
	return [4]uint32{w0, w1, w2, w3}
}

// MaxColumns is how many columns the counter tells apart.
const MaxColumns = 4 << 16

// Fill sets dst[j] to the word of column j at the given step, site and id: word
// j mod 4 of [Key.Block] at Group j/4. It is the inner loop of a dropout mask.
// It panics where dst is longer than [MaxColumns].
func (k Key) Fill(dst []uint32, step uint32, site uint16, id uint64) {
	if len(dst) > MaxColumns {
		panic("rng: more columns than the counter tells apart")
	}
	k0, k1 := k.words()
	lo, hi := uint32(id), uint32(id>>32)
	c1 := uint32(site)
	for ; len(dst) >= 4; dst = dst[4:] {
		dst[0], dst[1], dst[2], dst[3] = philox(step, c1, lo, hi, k0, k1)
		c1 += 1 << 16
	}
	if len(dst) > 0 {
		w0, w1, w2, w3 := philox(step, c1, lo, hi, k0, k1)
		copy(dst, []uint32{w0, w1, w2, w3})
	}
}

// ID returns the identity that a name stands for in a counter: its FNV-1a hash.
func ID(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}
