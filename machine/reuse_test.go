package machine

import (
	"container/list"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// lru counts the hits of a cache that holds the rows read last.
func lru(ids []int32, rows int) (hits int64) {
	order, at := list.New(), map[int32]*list.Element{}
	for _, id := range ids {
		if e, ok := at[id]; ok {
			hits++
			order.MoveToFront(e)
			continue
		}
		at[id] = order.PushFront(id)
		if order.Len() > rows {
			delete(at, order.Remove(order.Back()).(int32))
		}
	}
	return hits
}

func TestHitsByHand(t *testing.T) {
	var sweep, pairs []int32
	for range 10 {
		for id := range int32(100) {
			sweep = append(sweep, id)
		}
	}
	for id := range int32(100) {
		pairs = append(pairs, id, id)
	}
	skewed := []int32{1, 0, 2, 0, 3, 0, 4, 0, 5, 0}
	for _, c := range []struct {
		name string
		ids  []int32
		rows int64
		want int64
	}{
		{"nothing", nil, 5, 0},
		{"no cache", skewed, 0, 0},
		{"one row, from before", skewed, 1, 1},
		{"two rows from before, and the hub, but the first time", skewed, 2, 6},
		{"everything", skewed, 6, 10},
		{"more than there is", skewed, 100, 10},
		{"a sweep, dropping at random: 0.203188 of it stays", sweep, 50, 203},
		{"a sweep through all of it", sweep, 100, 1000},
		{"pairs: the second read of each, and one row from before", pairs, 1, 101},
	} {
		r := NewReuse(c.ids, 100)
		if got := r.Hits(c.rows); got != c.want {
			t.Errorf("%s: %d hits, want %d", c.name, got, c.want)
		}
	}
}

// TestHitsGrow: with the cache, up to all reads.
func TestHitsGrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 200).Draw(t, "rows")
		// Reads wander, so that there is something between no locality and much.
		stride := rapid.IntRange(1, rows).Draw(t, "stride")
		steps := rapid.SliceOfN(rapid.IntRange(0, stride), 1, 2000).Draw(t, "steps")
		ids, at := make([]int32, len(steps)), 0
		for i, s := range steps {
			at = (at + s) % rows
			ids[i] = int32(at)
		}
		r := NewReuse(ids, rows)
		before := int64(0)
		for _, size := range []int{0, 1, 1 + rows/8, 1 + rows/2, rows + 1} {
			got := r.Hits(int64(size))
			if got < before || got > int64(len(ids)) {
				t.Fatalf("a cache of %d rows: %d hits, a smaller one %d, of %d", size, got, before, len(ids))
			}
			before = got
		}
		if before != int64(len(ids)) || r.Reads != int64(len(ids)) {
			t.Fatalf("a cache of all rows: %d hits of %d reads", before, len(ids))
		}
	})
}

// TestRecentIsLRU: over many reads without bursts the average window is every
// window: hits agree with a simulated cache to a few per cent of all reads.
func TestRecentIsLRU(t *testing.T) {
	state := uint32(1)
	draw := func(n int) int32 {
		state = state*1664525 + 1013904223
		return int32(uint64(state) * uint64(n) >> 32)
	}
	uniform, skewed, near := make([]int32, 1<<16), make([]int32, 1<<16), make([]int32, 1<<16)
	for i := range uniform {
		uniform[i] = draw(1000)
		skewed[i] = int32(1000 * math.Pow(float64(draw(1<<20))/(1<<20), 4))
		near[i] = (int32(i/20) + draw(50)) % 1000
	}
	for name, ids := range map[string][]int32{"uniform": uniform, "skewed": skewed, "near": near} {
		r := NewReuse(ids, 1000)
		for _, size := range []int{1, 10, 40, 100, 500, 900} {
			got, want := r.recent(int64(size)), lru(ids, size)
			if diff := math.Abs(float64(got - want)); diff > 0.04*float64(len(ids)) {
				t.Errorf("%s, %d rows: %d hits, simulated %d", name, size, got, want)
			}
		}
	}
}

// TestGroups: rows in one cache line are one.
func TestGroups(t *testing.T) {
	ids := []uint32{0, 17, 1, 16, 2, 31, 32}
	r := newReuse(ids, 33, 16)
	if r.Reads != 7 || r.Distinct != 3 {
		t.Errorf("%d reads of %d lines, want 7 of 3", r.Reads, r.Distinct)
	}
	if got := r.Hits(2); got != 6 {
		t.Errorf("two lines: %d hits, want 4 of what was read last and 2 of what was there", got)
	}
}

func TestSpans(t *testing.T) {
	for s := range spans - 1 {
		lo, hi := spanStart(s), spanStart(s+1)
		if hi <= lo {
			break // beyond what 63 bits count
		}
		if spanOf(lo) != s || spanOf(hi-1) != s || hi-lo > max(1, lo/32) {
			t.Fatalf("span %d is %d to %d, of which %d and %d are said to be in %d and %d", s, lo, hi, lo, hi-1, spanOf(lo), spanOf(hi-1))
		}
	}
}

func BenchmarkReuse(b *testing.B) {
	ids := make([]int32, 1<<22)
	for _, rows := range []int{1 << 12, 1 << 18, 1 << 22} {
		state := uint32(1)
		for i := range ids {
			state = state*1664525 + 1013904223
			ids[i] = int32(uint64(state) * uint64(rows) >> 32)
		}
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			for b.Loop() {
				NewReuse(ids, rows)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(ids)), "ns/read")
		})
	}
}
