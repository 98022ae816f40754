//go:build (!amd64 && !arm64) || noasm

package cpu

func detect() []ISA { return []ISA{Generic} }
