//go:build linux

package kernel

import (
	"runtime/debug"
	"testing"
)

// TestMeterGathersReadTheirRows: rows named by the index, flipped, are read,
// and none beside them: those outside cannot be read.
func TestMeterGathersReadTheirRows(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	index := make([]uint32, 8+meterAhead)
	for i := range index {
		index[i] = uint32(i*5) % 16
	}
	for _, isa := range variants() {
		for _, row := range meterLengths {
			x := fenced(t, 16, row/4)
			for _, loop := range memoryLoopsOf[isa].gathers[row] {
				for _, ahead := range loop.aheads {
					loop.run(2, &index[0], 3, &x.Data[0], ahead)
				}
			}
		}
	}
}
