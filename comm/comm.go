package comm

import (
	"context"
	"fmt"
)

// Comm is one rank's end of a communicator. It is used by one goroutine at a
// time.
type Comm struct {
	t     Transport
	watch *Watch
	count Counter
	step  int
	began int // operations begun

	scratch    []float32
	send, recv [][]float32
}

// New returns the end of a communicator that a transport carries. watch, where
// not nil, ends operations that stall.
func New(t Transport, watch *Watch) *Comm {
	return &Comm{t: t, watch: watch, send: make([][]float32, t.Size()), recv: make([][]float32, t.Size())}
}

// Rank returns the number of this rank, from 0.
func (c *Comm) Rank() int { return c.t.Rank() }

// Size returns the number of ranks.
func (c *Comm) Size() int { return c.t.Size() }

// Counter returns what this rank sent so far.
func (c *Comm) Counter() *Counter { return &c.count }

// SetStep names the training step that operations from now on belong to, for
// messages about them.
func (c *Comm) SetStep(step int) { c.step = step }

// Split returns the communicator of the ranks that gave the same color, in the
// order of their keys, ties by rank. All ranks call it. Its counter starts at 0.
func (c *Comm) Split(ctx context.Context, color, key int) (*Comm, error) {
	t, err := c.t.Split(ctx, color, key)
	if err != nil {
		return nil, fmt.Errorf("comm: split: %w", err)
	}
	return New(t, c.watch), nil
}

// Abort ends the job of all ranks.
func (c *Comm) Abort(cause error) { c.t.Abort(cause) }

// Close frees what this end holds.
func (c *Comm) Close() error { return c.t.Close() }

// Counter sums what a rank sent.
type Counter struct {
	Words, Messages, Supersteps int64
}

// Plus returns what was sent under either count.
func (c Counter) Plus(d Counter) Counter {
	return Counter{c.Words + d.Words, c.Messages + d.Messages, c.Supersteps + d.Supersteps}
}

// Minus returns what was sent since an earlier count.
func (c Counter) Minus(before Counter) Counter {
	return Counter{c.Words - before.Words, c.Messages - before.Messages, c.Supersteps - before.Supersteps}
}

// exchanged counts an exchange.
func (c *Comm) exchanged(send [][]float32) {
	for q, piece := range send {
		if q != c.Rank() && len(piece) > 0 {
			c.count.Words += int64(len(piece))
			c.count.Messages++
		}
	}
}

// words returns n words of scratch space, valid until the next call.
func (c *Comm) words(n int) []float32 {
	if cap(c.scratch) < n {
		c.scratch = make([]float32, n)
	}
	return c.scratch[:n]
}

// Cut returns where piece i of n words on P ranks begins and ends: pieces lie in
// order and differ by one word at most.
func Cut(n, i, ranks int) (lo, hi int) { return n * i / ranks, n * (i + 1) / ranks }
