//go:build amd64 && !noasm

package kernel

import (
	"math"

	"github.com/weft-gnn/weft/internal/cpu"
)

var productVariants = [...]products{
	cpu.Generic: productsGeneric,
	cpu.AVX2: strips{
		panels: panels{16, 8}, height: 6,
		narrow: stripAVX2x8, wide: stripAVX2x16, square: transposeAVX2,
		aliased: 512, turned: 8,
	}.products(),
	cpu.AVX512: strips{
		panels: panels{32, 16}, height: 14,
		narrow: stripAVX512x16, wide: stripAVX512x32, square: transposeAVX512,
		aliased: 1024, masked: true, turned: math.MaxInt / 32,
	}.products(),
}
