//go:build amd64 && !noasm

package kernel

import "github.com/weft-gnn/weft/internal/cpu"

var fmaLoops = [...]fmaLoop{
	cpu.Generic: fmaLoopGeneric,
	cpu.AVX2:    {fmaAVX2, 2 * 14 * 8},
	cpu.AVX512:  {fmaAVX512, 2 * 14 * 16},
}
