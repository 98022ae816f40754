package machine

import (
	"math"
	"reflect"
	"testing"

	"github.com/weft-gnn/weft/internal/rng"
)

// toy has rates that are easy to multiply by: 100 operations a second, two
// caches of 64 and 640 bytes, of which two threads have two and one.
func toy() *Machine {
	level := func(name string, bytes int64, caches int, rate float64) Level {
		l := Level{Name: name, Bytes: bytes, Caches: caches, Read: rate, Write: rate / 2, Copy: rate * 0.8, Change: rate * 0.9,
			Gather: []RowRate{{4, rate / 16}, {64, rate / 2}, {256, rate}}}
		if bytes > 0 { // a row of the farther half takes twice as long
			l.Filled = []RowRate{{4, rate / 24}, {64, rate / 3}, {256, rate / 1.5}}
		}
		return l
	}
	return &Machine{CPU: "toy", Cores: 2, Threads: 2, ISA: "none", FMA: 100,
		Levels: []Level{level("L1", 64, 2, 1000), level("L2", 640, 1, 100), level(memory, 0, 0, 10)}}
}

// ids reads row i as often as counts[i] says, the rows in turn so that none
// follows itself.
func ids(counts ...int) (all []int32) {
	for left := true; left; {
		left = false
		for i := range counts {
			if counts[i] > 0 {
				counts[i]--
				all, left = append(all, int32(i)), true
			}
		}
	}
	return all
}

func TestServeStreams(t *testing.T) {
	m := toy()
	for _, c := range []struct {
		name          string
		read, written int64
		want          [3][2]int64
	}{
		{"nothing", 0, 0, [3][2]int64{}},
		{"fits the first caches together", 64, 64, [3][2]int64{{64, 64}}},
		// Of twice the size h = exp(−2(1−h)) = 0.20319 is left, of 1.5 times 0.41719.
		{"twice the room there", 128, 128, [3][2]int64{{26, 26}, {102, 102}}},
		{"three quarters written, 1.5 times all caches", 288, 864, [3][2]int64{{0, 0}, {120, 360}, {168, 504}}},
		{"ten times all caches", 7680, 0, [3][2]int64{{0, 0}, {0, 0}, {7680, 0}}},
	} {
		got := m.Serve(Demand{Read: c.read, Written: c.written})
		for i, l := range got.Levels {
			if l.Read != c.want[i][0] || l.Written != c.want[i][1] {
				t.Errorf("%s: %s serves %d and %d, want %v", c.name, m.Levels[i].Name, l.Read, l.Written, c.want[i])
			}
		}
	}
}

// TestServeRows splits rows among the levels by hand: a thread's caches are 1
// and then 11 lines, and half of them 0 and 6.
func TestServeRows(t *testing.T) {
	m := toy()
	many := make([]int, 40) // 40 rows, 2 reads of each, the hub 22
	for i := range many {
		many[i] = 2
	}
	many[7] = 22
	reads := ids(many...)
	d := Demand{Read: 1000, Gathers: []Gathered{{64, NewReuse(reads, 40)}}}
	got := m.Serve(d)
	// At the end the hub is read 20 times, one after the other: L1 has it 19 times, and
	// one row from before. L2 has eleven rows from before, six of them in its nearer
	// half. All else comes after all other rows.
	want := []RowBytes{{64, 20 * 64, 20 * 64}, {64, 10 * 64, 5 * 64}, {64, 70 * 64, 0}}
	for i, l := range got.Levels {
		if len(l.Gathers) != 1 || l.Gathers[0] != want[i] {
			t.Errorf("%s serves %v, want %v", m.Levels[i].Name, l.Gathers, want[i])
		}
	}
	// 40 lines of rows and 1000 bytes are 4.6 times all caches: 1 % is left.
	if l := got.Levels; l[0].Read != 0 || l[1].Read != 10 || l[2].Read != 990 {
		t.Errorf("streams are served %+v, want 0, 10 and 990 bytes", l)
	}
	// Rows of half a line share the lines of pairs: 20 lines.
	d.Gathers = []Gathered{{32, newReuse(reads, 40, perLine(32))}}
	var sum int64
	for _, l := range m.Serve(d).Levels {
		for _, g := range l.Gathers {
			sum += g.Bytes
		}
	}
	if sum != 100*32 || d.Gathers[0].Reuse.Distinct != 20 {
		t.Errorf("%d bytes of %d lines, want 3200 of 20", sum, d.Gathers[0].Reuse.Distinct)
	}
}

func TestSurvivors(t *testing.T) {
	for times, want := range map[float64]float64{0: 1, 1: 1, 1.000001: 0.999998, 1.5: 0.417188, 2: 0.203188, 3: 0.059520, 40: 0} {
		if got := survivors(times); math.Abs(got-want) > 2e-6 {
			t.Errorf("of %v times a cache %v is left, want %v", times, got, want)
		}
	}
}

// TestSurvivorsOfRandomReplacement simulates the cache.
func TestSurvivorsOfRandomReplacement(t *testing.T) {
	const size = 1000
	source := rng.Key{Seed: 1, Purpose: rng.Test}.Stream(0)
	for _, set := range []int{900, 1100, 1500, 2600} {
		slots, at := make([]int, size), make([]int, set) // line in each slot, slot of each line, from 1
		used, hits, reads := 0, 0, 0
		for round := range 60 {
			for line := range set {
				hit := at[line] > 0
				if round >= 20 {
					reads++
					if hit {
						hits++
					}
				}
				if hit {
					continue
				}
				slot := used
				if used < size {
					used++
				} else {
					slot = int(source.Uint32n(size))
					at[slots[slot]] = 0
				}
				slots[slot], at[line] = line, slot+1
			}
		}
		got, want := survivors(float64(set)/size), float64(hits)/float64(reads)
		if math.Abs(got-want) > 0.02 {
			t.Errorf("of %d lines in %d slots %.3f are left, simulated %.3f", set, size, got, want)
		}
	}
}

func TestBound(t *testing.T) {
	m := toy()
	at := func(i int, s Served) Traffic {
		t := Traffic{Levels: make([]Served, 3)}
		t.Levels[i] = s
		return t
	}
	busy := at(2, Served{Read: 10})
	busy.Work = 100
	calm := busy
	calm.Work = 99
	mixed := at(2, Served{Gathers: []RowBytes{{256, 30, 0}}})
	mixed.Levels[1].Read = 700
	for _, c := range []struct {
		name    string
		t       Traffic
		seconds float64
		limit   string
	}{
		{"work", Traffic{Work: 250}, 2.5, "arithmetic"},
		{"both alike", busy, 1, "arithmetic"},
		{"a read", calm, 1, "memory streams"},
		{"a write", at(1, Served{Written: 100}), 2, "L2 streams"},
		{"a copy", at(1, Served{Read: 40, Written: 40}), 1, "L2 streams"},
		{"a change", at(1, Served{Changed: 45}), 1, "L2 streams"},
		{"a copy and more to read", at(1, Served{Read: 140, Written: 40}), 2, "L2 streams"},
		{"a copy and more to write", at(1, Served{Read: 40, Written: 90}), 2, "L2 streams"},
		{"rows that were measured", at(1, Served{Gathers: []RowBytes{{64, 100, 0}}}), 2, "L2 gathers"},
		// A row of 4 takes 0.64 s, one of 64 takes 1.28 s, one of 34 half of each.
		{"rows between", at(1, Served{Gathers: []RowBytes{{34, 340, 0}}}), 9.6, "L2 gathers"},
		// A row of 164 brings 192, which takes 1.28 + 2/3·1.28 s.
		{"rows of more than whole lines", at(1, Served{Gathers: []RowBytes{{164, 1640, 0}}}), 10 * (1.28 + 2*1.28/3), "L2 gathers"},
		{"shorter rows", at(1, Served{Gathers: []RowBytes{{2, 20, 0}}}), 6.4, "L2 gathers"},
		{"longer rows", at(0, Served{Gathers: []RowBytes{{512, 2000, 0}}}), 2, "L1 gathers"},
		{"half of them from the farther half", at(1, Served{Gathers: []RowBytes{{64, 100, 50}}}), 3, "L2 gathers"},
		{"levels add up, the largest is named", mixed, 7 + 3, "L2 streams"},
	} {
		b := m.Bound(c.t)
		if math.Abs(b.Seconds-c.seconds) > 1e-9 || b.String() != c.limit {
			t.Errorf("%s: %v s, %v, want %v s, %s", c.name, b.Seconds, b, c.seconds, c.limit)
		}
	}
}

func TestBestTakesTheHigherRates(t *testing.T) {
	m, o := toy(), toy()
	o.FMA = 90
	o.Levels[0].Read, o.Levels[2].Gather[1].Rate = 1200, 8
	best := m.Best(o)
	if best.FMA != 100 || best.Levels[0].Read != 1200 || best.Levels[2].Gather[1].Rate != 8 {
		t.Errorf("got %+v", best)
	}
	if !reflect.DeepEqual(m, toy()) {
		t.Error("Best changed its receiver")
	}
}

// TestOrder: what only noise explains is taken out, upwards.
func TestOrder(t *testing.T) {
	m := toy()
	m.Levels[0].Gather[0].Rate = 1     // slower than the cache behind it
	m.Levels[1].Gather[2].Rate = 1e4   // faster than its stream, and than L1
	m.Levels[2].Gather[1].Rate = 0.001 // a longer row slower than a shorter one
	best := m.Best(m)
	if g := best.Levels[0].Gather; g[0].Rate != 1000./24 || g[2].Rate != 1e4 {
		t.Errorf("L1 gathers at %v", g)
	}
	if best.Levels[1].Read != 1e4 || best.Levels[0].Read != 1e4 {
		t.Errorf("L2 reads at %v, L1 at %v, want 10000", best.Levels[1].Read, best.Levels[0].Read)
	}
	if g := best.Levels[2].Gather; g[1].Rate != g[0].Rate {
		t.Errorf("the memory gathers at %v", g)
	}
	if err := best.Validate(); err != nil {
		t.Error(err)
	}
}
