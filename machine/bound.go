package machine

import "math"

// Demand is what an operation asks of the machine.
type Demand struct {
	// Work is the number of scalar operations.
	Work int64
	// Read and Written are bytes that are read or written in order, each once;
	// Changed are those that may be written where they were read.
	Read, Written, Changed int64
	// Gathers are rows that are read in another order, some of them often.
	Gathers []Gathered
}

// Gathered is a matrix of which rows are gathered.
type Gathered struct {
	RowBytes int
	// Reuse is that of the rows; of rows shorter than a cache line, that of
	// lines, each holding as many of them as it can.
	Reuse *Reuse
}

// line is the length of a cache line.
const line = 64

// unit is the bytes in a cache of what Reuse counts.
func (g Gathered) unit() int64 { return int64(inLines(g.RowBytes)) * int64(perLine(g.RowBytes)) }

// inLines is the bytes that a row longer than a cache line brings: whole lines.
func inLines(rowBytes int) int {
	if rowBytes <= line {
		return rowBytes
	}
	return (rowBytes + line - 1) / line * line
}

// perLine is how many rows of a length lie in a cache line, at least 1.
func perLine(rowBytes int) int { return max(1, line/max(rowBytes, 1)) }

// Traffic is a demand with its bytes shared out among the levels that serve
// them. It depends on the sizes of caches and on no rate.
type Traffic struct {
	Work int64 `json:"work"`
	// Levels are in the machine's order.
	Levels []Served `json:"levels"`
}

// Served is what one level serves.
type Served struct {
	Read    int64      `json:"read"`
	Written int64      `json:"written"`
	Changed int64      `json:"changed"` // both read and written
	Gathers []RowBytes `json:"gathers,omitempty"`
}

// RowBytes are bytes that are gathered in rows of a length, Far of them out of the
// half of a cache with the rows that were not read for longest.
type RowBytes struct {
	RowBytes int   `json:"row_bytes"`
	Bytes    int64 `json:"bytes"`
	Far      int64 `json:"far"`
}

// Serve shares a demand out as caches serve it at best.
//
// Gathered rows are served by caches that hold the rows read last, see
// [Reuse.Hits]: hits of one of L1's size count at L1, further hits of one of L1's
// and L2's size at L2, and so on. A thread sees one cache of each level, and rows
// wanted by several threads are in the caches of each.
//
// Streams go through all caches of the threads together, as if the operation had
// just run before: what fits is there, and of more a part survives, see survivors.
func (m *Machine) Serve(d Demand) Traffic {
	t := Traffic{Work: d.Work, Levels: make([]Served, len(m.Levels))}
	set := d.Read + d.Written + d.Changed
	for _, g := range d.Gathers {
		set += g.Reuse.Distinct * g.unit()
		m.serveRows(g, t.Levels)
	}
	var size int64 // of all levels so far
	var before Served
	for i, l := range m.Levels {
		size += l.Bytes * int64(l.Caches)
		part := 1.0
		if l.Bytes > 0 {
			part = survivors(float64(set) / float64(size))
		}
		of := func(bytes int64) int64 { return int64(part * float64(bytes)) }
		all := Served{Read: of(d.Read), Written: of(d.Written), Changed: of(d.Changed)}
		s := &t.Levels[i]
		s.Read, s.Written, s.Changed = all.Read-before.Read, all.Written-before.Written, all.Changed-before.Changed
		before = all
	}
	return t
}

// survivors returns the share h of a set, walked through again and again, that is
// still in a cache when its turn comes, the set being so many times the cache's
// size: all of it up to 1. A cache that drops what was read longest ago has
// nothing left beyond. One that drops lines at random has more than any other
// that does not know the future: each of the (1−h)·set misses between two turns
// spares a line with probability 1 − 1/size, so that h = exp(−(1−h)·set/size).
func survivors(times float64) float64 {
	if times <= 1 {
		return 1
	}
	// The root below 1 lies where h − exp(…) still grows.
	lo, hi := 0.0, 1-math.Log(times)/times
	for range 50 {
		if h := (lo + hi) / 2; h < math.Exp(-(1-h)*times) {
			lo = h
		} else {
			hi = h
		}
	}
	return lo
}

func (m *Machine) serveRows(g Gathered, levels []Served) {
	size, before := int64(0), int64(0)
	unit, row := max(1, g.unit()), int64(g.RowBytes)
	for i, l := range m.Levels {
		near, hits := g.Reuse.Reads, g.Reuse.Reads
		if l.Bytes > 0 {
			near = g.Reuse.Hits((size + l.Bytes/2) / unit)
			size += l.Bytes
			hits = g.Reuse.Hits(size / unit)
		}
		if hits > before {
			levels[i].Gathers = append(levels[i].Gathers, RowBytes{g.RowBytes, (hits - before) * row, (hits - near) * row})
			before = hits
		}
	}
}

// Resource is what limits an operation.
type Resource int

// The resources.
const (
	Arithmetic Resource = iota
	Streams
	Gathers
)

// Bound is the least time that an operation can take.
type Bound struct {
	Seconds float64
	// Limit is the resource that takes it, and Level, but for arithmetic, the
	// level of memory with the largest part.
	Limit Resource
	Level string
}

// String names the limit: "arithmetic", "L2 streams", "memory gathers".
func (b Bound) String() string {
	switch b.Limit {
	case Arithmetic:
		return "arithmetic"
	case Streams:
		return b.Level + " streams"
	}
	return b.Level + " gathers"
}

// Bound returns max(work / F, Σ bytes / B): all arithmetic at the rate of
// multiply-adds, and all bytes at the rate of their level, one after the other.
//
// Parts of different levels add up, although the levels are different things: a
// thread waits for a line where it lies, and mixtures of gathers out of two
// levels were never faster than the sum (docs/performance.md).
func (m *Machine) Bound(t Traffic) Bound {
	b := Bound{}
	var largest float64
	for i, s := range t.Levels[:min(len(t.Levels), len(m.Levels))] {
		l := m.Levels[i]
		streams, gathers := l.stream(s.Read, s.Written, s.Changed), 0.0
		for _, g := range s.Gathers {
			gathers += l.gather(g)
		}
		b.Seconds += streams + gathers
		if part := max(streams, gathers); part > largest {
			largest, b.Limit, b.Level = part, Streams, l.Name
			if gathers > streams {
				b.Limit = Gathers
			}
		}
	}
	if work := float64(t.Work) / m.FMA; work >= b.Seconds {
		return Bound{Seconds: work}
	}
	return b
}
