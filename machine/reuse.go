package machine

import (
	"math/bits"
	"slices"
)

// Reuse says how often, and how soon again, the rows of a matrix are read: what
// a cache can make of them.
type Reuse struct {
	// Reads is the number of rows that are read, Distinct that of different ones.
	Reads, Distinct int64

	most  []rowCount // different rows by how often they are read, the most first
	again []int64    // reads by the time since the row was read before, in spans
}

// rowCount says that so many rows are read so many times each.
type rowCount struct{ reads, rows int64 }

// NewReuse returns the reuse of rows that are read in the order of ids, which
// lie below rows.
//
// Cost: O(reads + rows) time, 12 bytes per row while it runs, and 8 for each read
// of the row that is read most.
func NewReuse[T int32 | uint32](ids []T, rows int) *Reuse { return newReuse(ids, rows, 1) }

// newReuse counts each group of rows that lie side by side as one: a cache line
// that holds several.
func newReuse[T int32 | uint32](ids []T, rows, group int) *Reuse {
	r := &Reuse{Reads: int64(len(ids)), again: make([]int64, spans)}
	n := (rows + group - 1) / group
	count, last := make([]uint32, n), make([]int64, n)
	for i, id := range ids {
		u := int(id) / group
		if count[u] > 0 {
			r.again[spanOf(int64(i)-last[u])]++
		}
		count[u]++
		last[u] = int64(i)
	}
	r.rank(count)
	return r
}

// rank fills most from how often each row is read.
func (r *Reuse) rank(count []uint32) {
	if len(count) == 0 {
		return
	}
	rows := make([]int64, slices.Max(count)+1)
	for _, c := range count {
		rows[c]++
	}
	for c, n := range slices.Backward(rows) {
		if n > 0 && c > 0 {
			r.most = append(r.most, rowCount{int64(c), n})
			r.Distinct += n
		}
	}
}

// Hits returns how many reads an ideal cache of so many rows serves: the better
// of one that holds the rows most wanted and one that holds those read last.
//
// Real caches do something between the two. The first is the best of all where
// the order says nothing about what comes next, as of a graph whose vertices
// are numbered at random; the second is where neighbours are near each other.
// Both may hold, when the op begins, what the one before it left there.
func (r *Reuse) Hits(rows int64) int64 {
	return min(r.Reads, max(r.wanted(rows), r.recent(rows)+min(rows, r.Distinct)))
}

// wanted returns the reads of the rows that are read most.
func (r *Reuse) wanted(rows int64) (hits int64) {
	for _, c := range r.most {
		n := min(rows, c.rows)
		hits += n * c.reads
		rows -= n
	}
	return hits
}

// recent returns how many reads find their row among the last read ones.
//
// Within w reads in a row there are fp(w) = Σ_{j<w} P(time since the row was
// read before > j) different rows on average, first reads having no such time,
// and a row is still there where fp(time) is at most the cache's (Xiang et al.,
// "HOTL: a higher order theory of locality", ASPLOS 2013, Section 3). Times are
// known to a thirtieth; they are taken for the shorter.
func (r *Reuse) recent(rows int64) (hits int64) {
	later := r.Reads // reads of a row after more than the times gone through
	footprint := 0.0
	for s, n := range r.again {
		if footprint > float64(rows) {
			break
		}
		hits += n
		later -= n
		footprint += float64(spanStart(s+1)-spanStart(s)) * float64(later) / float64(max(1, r.Reads))
	}
	return hits
}

// Spans are ranges of times: single ones first, then 32 for each power of two.
const (
	spanBits = 5
	spans    = (64 - spanBits) << spanBits
)

func spanOf(t int64) int {
	if t < 1<<spanBits {
		return int(t)
	}
	e := bits.Len64(uint64(t)) - 1 - spanBits
	return e<<spanBits + int(t>>e)
}

// spanStart returns the first time of a span.
func spanStart(s int) int64 {
	if s < 2<<spanBits {
		return int64(s)
	}
	e := s>>spanBits - 1
	return int64(s-e<<spanBits) << e
}
