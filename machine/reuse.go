package machine

import "math/bits"

// Reuse says how often, and how soon again, the rows of a matrix are read: what
// a cache can make of them.
type Reuse struct {
	// Reads is the number of rows that are read, Distinct that of different ones.
	Reads, Distinct int64

	again []int64 // reads by the time since the row was read before, in spans
}

// NewReuse returns the reuse of rows that are read in the order of ids, which
// lie below rows.
//
// Cost: O(reads + rows) time, and 8 bytes per row while it runs.
func NewReuse[T int32 | uint32](ids []T, rows int) *Reuse { return newReuse(ids, rows, 1) }

// newReuse counts each group of rows that lie side by side as one: a cache line
// that holds several.
func newReuse[T int32 | uint32](ids []T, rows, group int) *Reuse {
	r := &Reuse{Reads: int64(len(ids)), again: make([]int64, spans)}
	last := make([]int64, (rows+group-1)/group) // where a row was read last, from 1
	for i, id := range ids {
		u := int(id) / group
		if last[u] == 0 {
			r.Distinct++
		} else {
			r.again[spanOf(int64(i)+1-last[u])]++
		}
		last[u] = int64(i) + 1
	}
	return r
}

// Hits returns how many reads a cache of so many rows serves: the better of one that
// holds the rows read last, and one that drops rows at random. The first may hold,
// when the op begins, what the one before it left there: as many reads more. The
// second keeps a part where all rows are read in turn, see survivors.
//
// An ideal cache that knows which rows are wanted most would serve more where the
// order of vertices says nothing. None is built, and plain gathers in the orders of
// graphs are not as fast (docs/performance.md).
func (r *Reuse) Hits(rows int64) int64 {
	if rows >= r.Distinct {
		return r.Reads
	}
	if rows == 0 {
		return 0
	}
	random := survivors(float64(r.Distinct)/float64(rows)) * float64(r.Reads)
	return min(r.Reads, max(r.recent(rows)+rows, int64(random)))
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
