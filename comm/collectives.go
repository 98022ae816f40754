package comm

import (
	"context"
	"fmt"
)

// Exchange sends send[q] to every rank q and fills recv[q] with what q sends
// here; an all-to-all, and with lists of boundary rows a halo exchange.
//
// Contract: both have a piece per rank; lengths agree at both ends; pieces do
// not overlap. The piece for the rank itself is copied.
func (c *Comm) Exchange(ctx context.Context, send, recv [][]float32) error {
	return c.exchange(ctx, "exchange", send, recv, 1)
}

// exchange is one round of a collective; supersteps is 1 in its last round.
func (c *Comm) exchange(ctx context.Context, op string, send, recv [][]float32, supersteps int64) error {
	p, err := c.begin(op, send, recv)
	if err != nil {
		return err
	}
	c.count.Supersteps += supersteps
	return p.Wait(ctx)
}

// Begin starts an exchange and returns at once, so that work can be done while
// it runs. Pieces are the transport's until the Wait of what it returns.
func (c *Comm) Begin(send, recv [][]float32) (*Running, error) {
	c.count.Supersteps++
	return c.begin("exchange", send, recv)
}

func (c *Comm) begin(op string, send, recv [][]float32) (*Running, error) {
	if len(send) != c.Size() || len(recv) != c.Size() {
		return nil, fmt.Errorf("comm: %s: %d pieces to send and %d to receive, want one per rank: %d", op, len(send), len(recv), c.Size())
	}
	c.began++
	p, err := c.t.Begin(send, recv)
	if err != nil {
		return nil, fmt.Errorf("comm: %s: %w", op, err)
	}
	c.exchanged(send)
	return &Running{c: c, p: p, at: Place{c.Rank(), op, c.began, c.step}}, nil
}

// Running is an exchange that was begun.
type Running struct {
	c  *Comm
	p  Pending
	at Place
}

// Wait returns when the exchange has ended.
func (r *Running) Wait(ctx context.Context) error {
	return r.c.watch.wait(ctx, r.at, r.p)
}

// AllGather fills all with every rank's piece of it, this rank's being there
// already: pieces are those of [Cut].
func (c *Comm) AllGather(ctx context.Context, all []float32) error {
	return c.gather(ctx, "all-gather", all, 1, 1)
}

func (c *Comm) gather(ctx context.Context, op string, all []float32, unit int, supersteps int64) error {
	own := c.piece(all, unit, c.Rank())
	for q := range c.Size() {
		c.send[q], c.recv[q] = own, c.piece(all, unit, q)
	}
	c.send[c.Rank()], c.recv[c.Rank()] = nil, nil // it is there
	return c.exchange(ctx, op, c.send, c.recv, supersteps)
}

// piece is what rank q owns of words, of which every unit words stay together.
func (c *Comm) piece(words []float32, unit, q int) []float32 {
	lo, hi := Cut(len(words)/unit, q, c.Size())
	return words[lo*unit : hi*unit]
}

// Reduction combines two contributions into the first.
type Reduction func(into, from []float32)

// Sum adds.
func Sum(into, from []float32) {
	for i, x := range from {
		into[i] += x
	}
}

// Max keeps the larger value, and a NaN.
func Max(into, from []float32) {
	for i, x := range from {
		into[i] = max(into[i], x)
	}
}

// Min keeps the smaller value, and a NaN.
func Min(into, from []float32) {
	for i, x := range from {
		into[i] = min(into[i], x)
	}
}

// ReduceScatter combines every rank's words, in the order of ranks, and leaves
// in this rank's piece of its words, as [Cut] has it, what it owns of the
// result. The other pieces stay as they are.
func (c *Comm) ReduceScatter(ctx context.Context, words []float32, r Reduction) error {
	return c.reduce(ctx, "reduce-scatter", words, 1, r, 1)
}

func (c *Comm) reduce(ctx context.Context, op string, words []float32, unit int, r Reduction, supersteps int64) error {
	own := c.piece(words, unit, c.Rank())
	from := c.words(len(own) * c.Size())
	for q := range c.Size() {
		c.send[q], c.recv[q] = c.piece(words, unit, q), from[q*len(own):(q+1)*len(own)]
	}
	if err := c.exchange(ctx, op, c.send, c.recv, supersteps); err != nil {
		return err
	}
	copy(own, c.recv[0])
	for _, piece := range c.recv[1:] {
		r(own, piece)
	}
	return nil
}

// AllReduce combines every rank's words, in the order of ranks; all ranks get
// the same bits.
func (c *Comm) AllReduce(ctx context.Context, words []float32, r Reduction) error {
	return c.AllReduceRows(ctx, words, 1, r)
}

// AllReduceRows is AllReduce of rows of cols words, of which there is a whole number:
// pieces are of whole rows, for reductions that read words of a row together.
func (c *Comm) AllReduceRows(ctx context.Context, words []float32, cols int, r Reduction) error {
	if err := c.reduce(ctx, "all-reduce", words, cols, r, 0); err != nil {
		return err
	}
	return c.gather(ctx, "all-reduce", words, cols, 1)
}

// Broadcast gives all ranks the root's words, by scattering them and gathering
// the pieces.
func (c *Comm) Broadcast(ctx context.Context, root int, words []float32) error {
	for q := range c.Size() {
		c.send[q], c.recv[q] = nil, nil
		if q != root && c.Rank() == root {
			c.send[q] = c.piece(words, 1, q)
		}
	}
	if c.Rank() != root {
		c.recv[root] = c.piece(words, 1, c.Rank())
	}
	if err := c.exchange(ctx, "broadcast", c.send, c.recv, 0); err != nil {
		return err
	}
	return c.gather(ctx, "broadcast", words, 1, 1)
}

// Barrier returns when all ranks have called it. It moves one word to every
// rank, which counts.
func (c *Comm) Barrier(ctx context.Context) error {
	all := c.words(c.Size())
	return c.gather(ctx, "barrier", all, 1, 1)
}

// Send delivers words to a rank.
func (c *Comm) Send(ctx context.Context, to int, words []float32) error {
	c.count.Words += int64(len(words))
	c.count.Messages++
	if err := c.t.Send(ctx, to, words); err != nil {
		return fmt.Errorf("comm: send to rank %d: %w", to, err)
	}
	return nil
}

// Recv receives what a rank sent, in the order in which it was sent.
func (c *Comm) Recv(ctx context.Context, from int, words []float32) error {
	c.began++
	return c.watch.wait(ctx, Place{c.Rank(), "receive", c.began, c.step}, &receiving{c.t, from, words})
}

// receiving is a receive that has not ended.
type receiving struct {
	t     Transport
	from  int
	words []float32
}

// Wait receives.
func (r *receiving) Wait(ctx context.Context) error { return r.t.Recv(ctx, r.from, r.words) }

// Missing is the sender.
func (r *receiving) Missing() []int { return []int{r.from} }
