package kernel

import (
	"fmt"
	"slices"

	"github.com/weft-gnn/weft/internal/cpu"
	"github.com/weft-gnn/weft/internal/rng"
	"github.com/weft-gnn/weft/tensor"
)

// Stream is a way to walk memory in order.
type Stream uint8

// The streams. A copy reads as much as it writes; a change writes what it read.
const (
	StreamRead Stream = iota
	StreamWrite
	StreamCopy
	StreamChange
)

func (s Stream) String() string { return [...]string{"read", "write", "copy", "change"}[s] }

// meterLengths are the lengths of rows that a meter gathers, in bytes: one value,
// parts of a cache line, and whole lines.
var meterLengths = []int{4, 16, 32, 64, 128, 256, 512, 1024}

// GatherRows returns the lengths of rows, in bytes and ascending, that
// [Meter.Gather] has loops for.
func GatherRows() []int { return slices.Clone(meterLengths) }

// Meter measures how fast a number of threads can move memory: the roof over
// every kernel that computes little. Its loops do what kernels do, in all ways
// that might be best: with vectors of the widest kind, asking ahead or not,
// storing through the caches or past them. The best way counts, and so does the
// best of many runs, as other load on the machine can only slow them down.
//
// Each thread walks a part of its own of the memory, and gathers out of what all
// gather from. The memory has huge pages, as arenas have. All of it was written before, with numbers other than 0: pages
// that never were are one page of zeros, and zeros are written for less.
type Meter struct {
	pool  *Pool
	loops memoryLoops
	from  *tensor.Arena
	to    *tensor.Arena
	words []uint32 // random, the beginning once more at the end
}

// NewMeter prepares to measure with that many threads, over sets of up to so
// many bytes. It takes twice that memory until it is closed.
//
// Errors: the memory cannot be had.
func NewMeter(threads int, bytes int64) (*Meter, error) {
	return newMeter(memoryLoopsOf[cpu.Best()], threads, bytes)
}

func newMeter(loops memoryLoops, threads int, bytes int64) (*Meter, error) {
	m := &Meter{pool: NewPool(threads), loops: loops, words: meterWords()}
	for _, a := range []**tensor.Arena{&m.from, &m.to} {
		arena, err := tensor.NewArena(max(bytes, int64(threads)*meterBlock))
		if err != nil {
			m.Close()
			return nil, fmt.Errorf("kernel: a meter: %w", err)
		}
		*a = arena
		words := whole(arena)
		for i := range words {
			words[i] = 1
		}
	}
	return m, nil
}

func whole(a *tensor.Arena) []float32 { return a.View(0, 1, int(a.Bytes()/4)).Data }

// Close stops the threads and gives the memory back.
func (m *Meter) Close() {
	m.pool.Close()
	for _, a := range []*tensor.Arena{m.from, m.to} {
		if a != nil {
			_ = a.Close() // unmapping what was mapped
		}
	}
}

// Stream returns the rate of a stream over a set of so many bytes of all
// threads together; a copy reads one half of them and writes the other.
//
// Units: bytes per second, those read and those written; a change does both to
// every byte.
func (m *Meter) Stream(s Stream, bytes int64) float64 {
	part := m.part(bytes)
	moved := float64(part)
	switch s {
	case StreamCopy:
		part /= 2
	case StreamChange:
		moved *= 2
	}
	best := 0.0 // passes per second
	for _, loop := range m.loops.streams[s] {
		for _, ahead := range loop.aheads {
			best = max(best, m.rate(part, best, func(from, to *float32, _ int) {
				loop.run(int(part/meterBlock), from, to, ahead)
			}))
		}
	}
	return best * moved
}

// Gather returns the rate at which rows of so many bytes, one of [GatherRows],
// are read in random order out of a set of so many bytes, of which the largest
// power of two counts. All threads read all of it, each in an order of its own, as
// they do in a sum over edges.
//
// Units: bytes of rows per second.
func (m *Meter) Gather(row int, bytes int64) float64 {
	rows := int64(1)
	for 2*rows*int64(row) <= min(bytes, m.from.Bytes()) {
		rows *= 2
	}
	mask := uint32(rows - 1)
	index := make([]uint32, len(m.words))
	for i, w := range m.words {
		index[i] = w & mask
	}
	best := 0.0 // passes per second
	for _, loop := range m.loops.gathers[row] {
		for _, ahead := range loop.aheads {
			best = max(best, m.rate(0, best, func(from, _ *float32, pass int) {
				// Every pass has other rows, so that all of the set is read.
				loop.run(meterRows/4, &index[0], uint32(pass)*0x9E3779B1&mask, from, ahead)
			}))
		}
	}
	return best * float64(row*meterRows)
}

// rate returns how many passes over their parts, of so many bytes each or none, all
// threads together make in a second; see race.rate of other. No two passes of any
// threads have the same number.
func (m *Meter) rate(part int64, other float64, pass func(from, to *float32, number int)) float64 {
	from, to := whole(m.from), whole(m.to)
	r := race{pool: m.pool, lap: func(thread, first, count int) {
		at := int64(thread) * part / 4
		for i := range count {
			pass(&from[at], &to[at], (first+i)*m.pool.Threads()+thread)
		}
	}}
	return r.rate(other)
}

// part is what one thread has of a set: whole blocks of memory.
func (m *Meter) part(bytes int64) int64 {
	return max(2*meterBlock, min(bytes, m.from.Bytes())/int64(m.pool.Threads())) &^ (2*meterBlock - 1)
}

// meterBlock is what a round of a stream's loop takes.
const meterBlock = 512

// A pass of a gather reads meterRows rows, so few that their index stays in the
// second cache and reading it counts little. It asks meterAhead ahead at most.
const (
	meterRows  = 1 << 14
	meterAhead = 512
)

// meterWords are random numbers, the first ones once more at the end.
func meterWords() []uint32 {
	words := make([]uint32, meterRows+meterAhead)
	source := rng.Key{Seed: 1, Purpose: rng.Shuffle}.Stream(0)
	for i := range words[:meterRows] {
		words[i] = source.Uint32()
	}
	copy(words[meterRows:], words)
	return words
}
