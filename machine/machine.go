// Package machine knows what the processors and the memory at hand can do, and
// from that how fast an operation can be at best.
//
// A [Machine] is measured: the rate of multiply-adds, and for each level of the
// memory the rates of streams and of rows read in random order. What an
// operation asks for ([Demand]) is shared out among the levels by caches that
// hold what was read last ([Machine.Serve]); the time that its work or its bytes
// take at least is its roofline ([Machine.Bound]; Williams, Waterman and Patterson, "Roofline", CACM
// 52(4), 2009). A measurement that undercuts it shows a defect: of a limit that
// was measured too low, or of the model.
package machine

import (
	"fmt"
	"math"
	"slices"
)

// Machine is what a number of threads can do at best.
type Machine struct {
	CPU     string `json:"cpu"`
	Cores   int    `json:"cores"` // processors that the process may use
	Threads int    `json:"threads"`
	ISA     string `json:"isa"` // the vector instructions in use
	// FMA is the rate of register multiply-adds, two operations each.
	FMA float64 `json:"flops_per_s"`
	// Levels are the caches, the nearest first, and the memory behind them.
	Levels []Level `json:"levels"`
}

// Level is a cache or the memory. Rates are of all threads together, in bytes
// per second, out of sets that the level holds and the one before does not.
type Level struct {
	Name string `json:"name"`
	// Bytes is the size of one cache, Caches how many of them the threads have;
	// both are 0 for the memory, which holds everything.
	Bytes  int64 `json:"bytes"`
	Caches int   `json:"caches"`
	// Read and Write are streams, Copy is one that reads as much as it writes, and
	// Change one that writes what it read, of which bytes count twice.
	Read   float64 `json:"read_bytes_per_s"`
	Write  float64 `json:"write_bytes_per_s"`
	Copy   float64 `json:"copy_bytes_per_s"`
	Change float64 `json:"change_bytes_per_s"`
	// Gather are rows read in random order, by their length, ascending, out of a set
	// that fills half of a cache; Filled are those of a set that fills it, or nil.
	Gather []RowRate `json:"gather"`
	Filled []RowRate `json:"gather_filled,omitempty"`
}

// RowRate is the rate at which rows of a length are gathered.
type RowRate struct {
	RowBytes int     `json:"row_bytes"`
	Rate     float64 `json:"bytes_per_s"`
}

// memory is the name of the last level.
const memory = "memory"

// Validate returns an error that says what is wrong with a machine that was not
// measured but read.
func (m *Machine) Validate() error {
	if m.Cores < 1 || m.Threads < 1 || m.CPU == "" {
		return fmt.Errorf("machine: %q with %d cores and %d threads", m.CPU, m.Cores, m.Threads)
	}
	if err := positive("multiply-adds", m.FMA); err != nil {
		return err
	}
	if n := len(m.Levels); n == 0 || m.Levels[n-1].Name != memory {
		return fmt.Errorf("machine: levels %v, want caches and then the memory", m.names())
	}
	for i, l := range m.Levels {
		if err := l.validate(i == len(m.Levels)-1); err != nil {
			return err
		}
	}
	return nil
}

func (l Level) validate(last bool) error {
	if holds := l.Bytes > 0 && l.Caches > 0; holds == last {
		return fmt.Errorf("machine: %s: %d caches of %d bytes", l.Name, l.Caches, l.Bytes)
	}
	rates := []float64{l.Read, l.Write, l.Copy, l.Change}
	for _, of := range [][]RowRate{l.Gather, l.Filled} {
		before := 0
		for _, g := range of {
			if g.RowBytes <= before {
				return fmt.Errorf("machine: %s: rows of %d bytes after rows of %d, want ascending lengths", l.Name, g.RowBytes, before)
			}
			before = g.RowBytes
			rates = append(rates, g.Rate)
		}
	}
	if len(l.Gather) == 0 || len(l.Filled) == 0 && !last {
		return fmt.Errorf("machine: %s: no rates of gathering out of half of it and all of it", l.Name)
	}
	for _, r := range rates {
		if err := positive(l.Name, r); err != nil {
			return err
		}
	}
	return nil
}

func positive(what string, rate float64) error {
	if !(rate > 0) || math.IsInf(rate, 0) {
		return fmt.Errorf("machine: %s: a rate of %v, want a positive number", what, rate)
	}
	return nil
}

func (m *Machine) names() (all []string) {
	for _, l := range m.Levels {
		all = append(all, l.Name)
	}
	return all
}

// Best returns the higher of both machines' rates: other load on a machine can
// only lower what is measured. The machines are the same, but o may have been
// measured with fewer threads, of which m's can leave the others idle. Levels
// and rows that only one of them has stay m's.
func (m *Machine) Best(o *Machine) *Machine {
	best := *m
	best.FMA = max(m.FMA, o.FMA)
	best.Levels = slices.Clone(m.Levels)
	for i := range best.Levels {
		l := &best.Levels[i]
		l.Gather, l.Filled = slices.Clone(l.Gather), slices.Clone(l.Filled)
		for _, other := range o.Levels {
			if other.Name == l.Name {
				l.raise(other)
			}
		}
	}
	best.order()
	return &best
}

// raise takes a level's rates where they are higher.
func (l *Level) raise(o Level) {
	l.Read, l.Write = max(l.Read, o.Read), max(l.Write, o.Write)
	l.Copy, l.Change = max(l.Copy, o.Copy), max(l.Change, o.Change)
	raiseRows(l.Gather, o.Gather)
	if o.Bytes == l.Bytes {
		raiseRows(l.Filled, o.Filled)
	} else { // a level behind
		raiseRows(l.Filled, o.Gather)
	}
}

func raiseRows(rates, others []RowRate) {
	for i, g := range rates {
		for _, other := range others {
			if other.RowBytes == g.RowBytes {
				rates[i].Rate = max(g.Rate, other.Rate)
			}
		}
	}
}

// order takes out what only noise explains: longer rows are gathered at no lower
// a rate than shorter ones, streams are no slower than the longest rows, changes
// no slower than copies, which do the same, and a level is no slower than those
// behind it.
func (m *Machine) order() {
	for i := range slices.Backward(m.Levels) {
		l := &m.Levels[i]
		if i+1 < len(m.Levels) {
			l.raise(m.Levels[i+1])
		}
		raiseRows(l.Gather, l.Filled)
		for _, rates := range [][]RowRate{l.Gather, l.Filled} {
			for j := 1; j < len(rates); j++ {
				rates[j].Rate = max(rates[j].Rate, rates[j-1].Rate)
			}
		}
		l.Read = max(l.Read, l.Gather[len(l.Gather)-1].Rate)
		l.Change = max(l.Change, l.Copy)
	}
}

// gather returns the time of gathering. Of a set that fills the level half of the
// rows are in the nearer half, so that one in the farther half takes what is left of
// the time that both take on average.
func (l Level) gather(g RowBytes) float64 {
	row := float64(max(g.RowBytes, 1))
	near := rowTime(l.Gather, inLines(g.RowBytes))
	far := near
	if len(l.Filled) > 0 {
		far = max(near, 2*rowTime(l.Filled, inLines(g.RowBytes))-near)
	}
	return float64(g.Bytes-g.Far)/row*near + float64(g.Far)/row*far
}

// rowTime returns the time of a row of a length. Between the lengths that were
// measured it is interpolated.
func rowTime(rates []RowRate, row int) float64 {
	at, found := slices.BinarySearchFunc(rates, row, func(g RowRate, row int) int { return g.RowBytes - row })
	switch {
	case found:
		return rates[at].time()
	case at == 0: // a shorter row takes as long as the shortest
		return rates[0].time()
	case at == len(rates): // a longer one runs at the rate of the longest
		return float64(row) / rates[at-1].Rate
	}
	a, b := rates[at-1], rates[at]
	share := float64(row-a.RowBytes) / float64(b.RowBytes-a.RowBytes)
	return a.time() + share*(b.time()-a.time())
}

// time returns the seconds of one row.
func (g RowRate) time() float64 { return float64(g.RowBytes) / g.Rate }

// stream returns the time of reading, writing and changing so many bytes in
// order: as much as possible is copied, the rest is read or written.
func (l Level) stream(read, written, changed int64) float64 {
	both := min(read, written)
	return 2*float64(changed)/l.Change + 2*float64(both)/l.Copy + float64(read-both)/l.Read + float64(written-both)/l.Write
}
