package kernel

import (
	"fmt"
	"testing"

	"github.com/weft-gnn/weft/tensor"
)

// TestMeterLoopsWriteTheirPart: streams that write fill what they count, and
// nothing beside it; those that read, and gathers, write nothing.
func TestMeterLoopsWriteTheirPart(t *testing.T) {
	const rounds, guard = 3, 64
	size := rounds * meterBlock / 4
	arena, err := tensor.NewArena(int64(4 * (2*size + 3*guard)))
	if err != nil {
		t.Fatal(err)
	}
	defer arena.Close()
	values := whole(arena)
	from, to := values[guard:][:size], values[2*guard+size:][:size]
	for _, isa := range variants() {
		for s, loops := range memoryLoopsOf[isa].streams {
			for i, loop := range loops {
				for j := range values {
					values[j] = float32(j)
				}
				to[0] = 9 // what writing streams write: the first value, or 1
				loop.run(rounds, &from[0], &to[0], loop.aheads[0])
				added := from[0] - guard // what a change adds: the first value, or 1
				for j, v := range values {
					in, out, want := j-guard, j-(2*guard+size), float32(j)
					switch {
					case out == 0 && Stream(s) != StreamWrite && Stream(s) != StreamCopy:
						want = 9
					case out >= 0 && out < size && Stream(s) == StreamCopy:
						want = from[out]
					case out >= 0 && out < size && Stream(s) == StreamWrite:
						want = to[0]
					case in >= 0 && in < size && Stream(s) == StreamChange:
						want += added
					}
					if v != want {
						t.Fatalf("%v, %v %d: value %d is %v, want %v", isa, Stream(s), i, j, v, want)
					}
				}
			}
		}
	}
}

func TestMeterMeasures(t *testing.T) {
	for _, isa := range variants() {
		for _, threads := range []int{1, 2} {
			m, err := newMeter(memoryLoopsOf[isa], threads, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			for _, bytes := range []int64{0, 1 << 30} {
				for s := range StreamChange + 1 {
					if r := m.Stream(s, bytes); r < 1e6 || r > 1e14 {
						t.Errorf("%v, %d threads: %v over %d bytes: %g bytes per second", isa, threads, s, bytes, r)
					}
				}
			}
			for _, row := range []int{4, 1024} {
				if r := m.Gather(row, 1<<16); r < 1e6 || r > 1e14 {
					t.Errorf("%v, %d threads: rows of %d: %g bytes per second", isa, threads, row, r)
				}
			}
		}
	}
}

func TestMeterNeedsMemory(t *testing.T) {
	if _, err := NewMeter(2, 1<<60); err == nil {
		t.Error("an exbibyte was had")
	}
}

func BenchmarkMeter(b *testing.B) {
	for _, threads := range []int{1, 2} {
		m, err := NewMeter(threads, 256<<20)
		if err != nil {
			b.Fatal(err)
		}
		defer m.Close()
		for _, size := range []int64{32 << 10, 512 << 10, 16 << 20, 256 << 20} {
			for s := range StreamChange + 1 {
				b.Run(fmt.Sprintf("stream=%v/bytes=%d/threads=%d", s, size, threads), func(b *testing.B) {
					best := 0.0
					for b.Loop() {
						best = max(best, m.Stream(s, size))
					}
					b.ReportMetric(best/1e9, "GB/s")
				})
			}
			for _, row := range GatherRows() {
				b.Run(fmt.Sprintf("gather=%d/bytes=%d/threads=%d", row, size, threads), func(b *testing.B) {
					best := 0.0
					for b.Loop() {
						best = max(best, m.Gather(row, size))
					}
					b.ReportMetric(best/1e9, "GB/s")
				})
			}
		}
	}
}
