// Package cpu says which vector instructions the kernels may use.
package cpu

import (
	"fmt"
	"os"
)

// ISA is a set of vector instructions. Each includes those before it.
type ISA uint8

// The instruction sets.
const (
	Generic ISA = iota // what the Go compiler emits
	AVX2               // AVX2, FMA and BMI2: x86-64-v3
	AVX512             // AVX-512 F, BW, DQ and VL besides: x86-64-v4
)

// names are the words that WEFT_ISA takes.
var names = [...]string{Generic: "generic", AVX2: "avx2", AVX512: "avx512"}

func (i ISA) String() string { return names[i] }

// Variable names the environment variable that chooses a set smaller than the
// machine's, to compare or to reproduce another machine's results.
const Variable = "WEFT_ISA"

// What the process uses is fixed when it starts: results of one process never
// mix variants.
var (
	widest      = detect()
	best, fault = choose(os.Getenv(Variable), widest)
)

// Widest returns the largest set that the machine and its operating system
// have and the binary has kernels for.
func Widest() ISA { return widest }

// Best returns the set to use: [Widest], or what WEFT_ISA says.
func Best() ISA { return best }

// Check returns an error where WEFT_ISA names no set, or one that the machine
// lacks; [Best] is then Generic.
func Check() error { return fault }

func choose(word string, widest ISA) (ISA, error) {
	if word == "" {
		return widest, nil
	}
	for i, name := range names {
		if name != word {
			continue
		}
		if ISA(i) > widest {
			return Generic, fmt.Errorf("cpu: %s=%s: this machine or build has no more than %s", Variable, word, widest)
		}
		return ISA(i), nil
	}
	return Generic, fmt.Errorf("cpu: %s=%q: want one of %q", Variable, word, names)
}
