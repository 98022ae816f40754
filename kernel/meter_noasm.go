//go:build (!amd64 && !arm64) || noasm

package kernel

import "github.com/weft-gnn/weft/internal/cpu"

var memoryLoopsOf = [...]memoryLoops{cpu.Generic: memoryLoopsGeneric}
