//go:build !noasm

package cpu

// detect asks nothing: every arm64 that Go runs on has NEON.
func detect() []ISA { return []ISA{Generic, NEON} }
