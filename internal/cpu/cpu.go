// Package cpu says which vector instructions the kernels may use.
package cpu

import (
	"fmt"
	"os"
	"slices"
)

// ISA is a set of vector instructions.
type ISA uint8

// The instruction sets. Those of one architecture include each other in this order.
const (
	Generic ISA = iota // what the Go compiler emits
	AVX2               // amd64: AVX2, FMA and BMI2, x86-64-v3
	AVX512             // amd64: AVX-512 F, BW, DQ and VL besides, x86-64-v4
	NEON               // arm64: Advanced SIMD, which every one has
)

// names are the words that WEFT_ISA takes.
var names = [...]string{Generic: "generic", AVX2: "avx2", AVX512: "avx512", NEON: "neon"}

func (i ISA) String() string { return names[i] }

// Variable names the environment variable that chooses a set smaller than the
// machine's, to compare or to reproduce another machine's results.
const Variable = "WEFT_ISA"

// What the process uses is fixed when it starts: results of one process never
// mix variants.
var (
	sets        = detect()
	best, fault = choose(os.Getenv(Variable), sets)
)

// Sets returns the sets that the machine and its operating system have and the
// binary has kernels for, from [Generic] to the largest. The slice is the
// package's own.
func Sets() []ISA { return sets }

// Best returns the set to use: the largest, or what WEFT_ISA says.
func Best() ISA { return best }

// Check returns an error where WEFT_ISA names no set, or one that the machine
// lacks; [Best] is then Generic.
func Check() error { return fault }

func choose(word string, sets []ISA) (ISA, error) {
	if word == "" {
		return sets[len(sets)-1], nil
	}
	isa := slices.Index(names[:], word)
	if isa < 0 {
		return Generic, fmt.Errorf("cpu: %s=%q: want one of %q", Variable, word, names)
	}
	if !slices.Contains(sets, ISA(isa)) {
		return Generic, fmt.Errorf("cpu: %s=%s: this machine or build has none but %v", Variable, word, sets)
	}
	return ISA(isa), nil
}
