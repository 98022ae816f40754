//go:build !noasm

package cpu

import "golang.org/x/sys/cpu"

func detect() []ISA {
	x := &cpu.X86
	if !x.HasAVX2 || !x.HasFMA || !x.HasBMI2 {
		return []ISA{Generic}
	}
	if !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512DQ || !x.HasAVX512VL {
		return []ISA{Generic, AVX2}
	}
	return []ISA{Generic, AVX2, AVX512}
}
