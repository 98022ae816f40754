package kernel

import (
	"runtime"
	"unsafe"
)

// memoryLoops are the loops that a meter tries.
type memoryLoops struct {
	streams [StreamChange + 1][]streamLoop
	gathers map[int][]gatherLoop // by the bytes of a row
}

// streamLoop moves rounds blocks.
type streamLoop struct {
	run    func(rounds int, from, to *float32, ahead int)
	aheads []int // distances to try, in bytes
}

// gatherLoop reads four rows per round.
type gatherLoop struct {
	run    func(rounds int, index *uint32, flip uint32, from *float32, ahead int)
	aheads []int // distances to try, in positions
}

// atOnce are the distances of loops that ask for nothing ahead.
var atOnce = []int{0}

var memoryLoopsGeneric = memoryLoops{
	streams: [...][]streamLoop{
		StreamRead:   {{readGeneric, atOnce}},
		StreamWrite:  {{writeGeneric, atOnce}},
		StreamCopy:   {{copyGeneric, atOnce}},
		StreamChange: {{changeGeneric, atOnce}},
	},
	gathers: gathersGeneric(),
}

func readGeneric(rounds int, from, _ *float32, _ int) { sumAll(meterBlocks(from, rounds)) }

func writeGeneric(rounds int, _, to *float32, _ int) {
	for y := meterBlocks(to, rounds); len(y) >= 4; y = y[4:] {
		y[0], y[1], y[2], y[3] = 1, 1, 1, 1
	}
}

func copyGeneric(rounds int, from, to *float32, _ int) {
	copy(meterBlocks(to, rounds), meterBlocks(from, rounds))
}

func changeGeneric(rounds int, from, _ *float32, _ int) {
	for x := meterBlocks(from, rounds); len(x) >= 4; x = x[4:] {
		x[0]++
		x[1]++
		x[2]++
		x[3]++
	}
}

func meterBlocks(p *float32, n int) []float32 { return unsafe.Slice(p, n*meterBlock/4) }

// sumAll reads values into several sums, so that no addition waits for the one
// before.
func sumAll(x []float32) {
	var s0, s1, s2, s3 float32
	for ; len(x) >= 4; x = x[4:] {
		s0 += x[0]
		s1 += x[1]
		s2 += x[2]
		s3 += x[3]
	}
	runtime.KeepAlive(s0 + s1 + s2 + s3)
}

func gathersGeneric() map[int][]gatherLoop {
	loops := map[int][]gatherLoop{}
	for _, row := range meterLengths {
		loops[row] = []gatherLoop{{func(rounds int, index *uint32, flip uint32, from *float32, _ int) {
			gatherGeneric(unsafe.Slice(index, 4*rounds), flip, from, row)
		}, atOnce}}
	}
	return loops
}

// gatherGeneric reads the rows of index ⊕ flip.
func gatherGeneric(index []uint32, flip uint32, from *float32, row int) {
	sum := float32(0)
	for _, i := range index {
		at := (*float32)(unsafe.Add(unsafe.Pointer(from), int(i^flip)*row))
		if row == 4 {
			sum += *at
		} else {
			sumAll(unsafe.Slice(at, row/4))
		}
	}
	runtime.KeepAlive(sum)
}
