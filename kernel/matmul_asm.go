//go:build amd64 && !noasm

package kernel

import "github.com/weft-gnn/weft/internal/cpu"

var productVariants = [...]products{
	cpu.Generic: productsGeneric,
	cpu.AVX2:    tiles{panels{16, 8}, tileAVX2x8, tileAVX2x16, 6}.products(),
	cpu.AVX512:  tiles{panels{32, 16}, tileAVX512x16, tileAVX512x32, 14}.products(),
}
