//go:build !amd64 || noasm

package cpu

func detect() ISA { return Generic }
