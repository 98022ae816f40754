//go:build amd64 && !noasm

package kernel

import "github.com/weft-gnn/weft/internal/cpu"

var memoryLoopsOf = [...]memoryLoops{
	cpu.Generic: memoryLoopsGeneric,
	cpu.AVX2: streamLoops{
		readAVX2, writeAVX2, writePastAVX2, readAheadAVX2, readFourAVX2,
		copyAVX2, copyPastAVX2, copyAheadAVX2, copyPastAheadAVX2, changeAVX2,
	}.with(
		[]gatherNow{gatherAVX2x4, gatherAVX2x16, gatherAVX2x32, gatherAVX2x64, gatherAVX2x128, gatherAVX2x256, gatherAVX2x512, gatherAVX2x1024},
		[]gatherAhead{gatherAheadAVX2x4, gatherAheadAVX2x16, gatherAheadAVX2x32, gatherAheadAVX2x64, gatherAheadAVX2x128, gatherAheadAVX2x256, gatherAheadAVX2x512, gatherAheadAVX2x1024},
	),
	cpu.AVX512: streamLoops{
		readAVX512, writeAVX512, writePastAVX512, readAheadAVX512, readFourAVX512,
		copyAVX512, copyPastAVX512, copyAheadAVX512, copyPastAheadAVX512, changeAVX512,
	}.with(
		[]gatherNow{gatherAVX512x4, gatherAVX512x16, gatherAVX512x32, gatherAVX512x64, gatherAVX512x128, gatherAVX512x256, gatherAVX512x512, gatherAVX512x1024},
		[]gatherAhead{gatherAheadAVX512x4, gatherAheadAVX512x16, gatherAheadAVX512x32, gatherAheadAVX512x64, gatherAheadAVX512x128, gatherAheadAVX512x256, gatherAheadAVX512x512, gatherAheadAVX512x1024},
	),
}

// streamLoops are the streams of one variant, and gathers of the rows of
// meterLengths.
type (
	streamLoops struct {
		read, write, writePast   func(rounds int, p *float32)
		readAhead, readFour      func(rounds int, p *float32, distance int)
		copy, copyPast           func(rounds int, p, to *float32)
		copyAhead, copyPastAhead func(rounds int, p, to *float32, ahead int)
		change                   func(rounds int, p *float32)
	}
	gatherNow   func(rounds int, index *uint32, flip uint32, x *float32)
	gatherAhead func(rounds int, index *uint32, flip uint32, x *float32, ahead int)
)

// streamAheads are distances at which streams ask ahead.
var streamAheads = []int{1 << 10, 4 << 10}

func (s streamLoops) with(now []gatherNow, ahead []gatherAhead) memoryLoops {
	return memoryLoops{
		streams: [...][]streamLoop{
			StreamRead: {
				{func(rounds int, from, _ *float32, _ int) { s.read(rounds, from) }, atOnce},
				{func(rounds int, from, _ *float32, ahead int) { s.readAhead(rounds, from, ahead) }, streamAheads},
				{func(rounds int, from, _ *float32, _ int) { s.readFour(rounds, from, rounds*meterBlock/4) }, atOnce},
			},
			StreamWrite: {
				{func(rounds int, _, to *float32, _ int) { s.write(rounds, to) }, atOnce},
				{func(rounds int, _, to *float32, _ int) { s.writePast(rounds, to) }, atOnce},
			},
			StreamCopy: {
				{func(rounds int, from, to *float32, _ int) { s.copy(rounds, from, to) }, atOnce},
				{s.copyAhead, streamAheads},
				{func(rounds int, from, to *float32, _ int) { s.copyPast(rounds, from, to) }, atOnce},
				{s.copyPastAhead, streamAheads},
			},
			StreamChange: {
				{func(rounds int, from, _ *float32, _ int) { s.change(rounds, from) }, atOnce},
			},
		},
		gathers: gathers(now, ahead),
	}
}

// gathers are two ways for every length of rows. Under way is as much as
// kernels ask for, or half or twice of it.
func gathers(now []gatherNow, ahead []gatherAhead) map[int][]gatherLoop {
	loops := map[int][]gatherLoop{}
	for i, row := range meterLengths {
		var aheads []int
		for _, under := range []int{aheadBytes / 2, aheadBytes, 2 * aheadBytes} {
			aheads = append(aheads, min(meterAhead, under/max(row, 64)))
		}
		loops[row] = []gatherLoop{
			{func(rounds int, index *uint32, flip uint32, from *float32, _ int) { now[i](rounds, index, flip, from) }, atOnce},
			{ahead[i], aheads},
		}
	}
	return loops
}
