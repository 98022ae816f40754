// Package commtest says what every transport must do, as checks that each rank
// runs on its own end.
package commtest

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/internal/rng"
)

// Check is one thing that must hold. All ranks run it, each on its end of one
// communicator, which serves for several checks one after another.
type Check struct {
	Name string
	Run  func(context.Context, *comm.Comm) error
}

// Checks are all of them.
func Checks() []Check {
	return []Check{
		{"exchange", exchange}, {"memory used again", usedAgain}, {"overlapping exchanges", overlapping},
		{"all-gather", allGather}, {"reduce-scatter", reduceScatter}, {"all-reduce", allReduce},
		{"broadcast", broadcast}, {"gather of bytes", gatherBytes}, {"barrier", barrier}, {"send", sends}, {"split", split},
	}
}

// sizes are numbers of words on both sides of an even division.
func sizes(ranks int) []int { return []int{0, 1, ranks - 1, ranks, ranks + 1, 100, 4099} }

// contribution is what a rank brings: numbers whose sum depends on their order.
func contribution(rank, n int) []float32 {
	x := make([]float32, n)
	s := rng.Key{Seed: uint64(n), Purpose: rng.Test}.Stream(uint64(rank))
	for i := range x {
		x[i] = float32(math.Ldexp(s.Float64()-0.5, int(s.Float64()*20)))
	}
	return x
}

// reduced combines all contributions in the order of ranks.
func reduced(ranks, n int, r comm.Reduction) []float32 {
	x := contribution(0, n)
	for q := 1; q < ranks; q++ {
		r(x, contribution(q, n))
	}
	return x
}

// counting runs f and holds what was counted against what is stated.
func counting(c *comm.Comm, want comm.Counter, f func() error) error {
	before := *c.Counter()
	if err := f(); err != nil {
		return err
	}
	got := c.Counter().Minus(before)
	if got != want {
		return fmt.Errorf("counted %+v, want %+v", got, want)
	}
	return nil
}

func equal(what string, got, want []float32) error {
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			return fmt.Errorf("%s: word %d of %d is %v, want %v", what, i, len(want), got[i], want[i])
		}
	}
	return nil
}

// lengthOf is how many words rank p sends to rank q in round i.
func lengthOf(i, p, q int) int { return (7*i + 3*p*p + 5*q) % 11 * (i % 3) }

func message(i, p, q int) []float32 {
	x := make([]float32, lengthOf(i, p, q))
	for j := range x {
		x[j] = float32(1000*i + 100*p + 10*q + j)
	}
	return x
}

// pieces are what a rank sends and room for what it receives in round i.
func pieces(c *comm.Comm, i int) (send, recv [][]float32, want comm.Counter) {
	want.Supersteps = 1
	for q := range c.Size() {
		send = append(send, message(i, c.Rank(), q))
		recv = append(recv, make([]float32, lengthOf(i, q, c.Rank())))
		if n := len(send[q]); q != c.Rank() && n > 0 {
			want.Words += int64(n)
			want.Messages++
		}
	}
	return send, recv, want
}

func received(c *comm.Comm, i int, recv [][]float32) error {
	for q := range recv {
		if err := equal(fmt.Sprintf("round %d, from rank %d", i, q), recv[q], message(i, q, c.Rank())); err != nil {
			return err
		}
	}
	return nil
}

func exchange(ctx context.Context, c *comm.Comm) error {
	for i := range 20 {
		send, recv, want := pieces(c, i)
		if err := counting(c, want, func() error { return c.Exchange(ctx, send, recv) }); err != nil {
			return err
		}
		if err := received(c, i, recv); err != nil {
			return err
		}
	}
	return nil
}

// usedAgain sends from the same memory in every round: once an exchange was waited for,
// others have what was sent, however late they are.
func usedAgain(ctx context.Context, c *comm.Comm) error {
	const n = 5000
	send, recv := make([][]float32, c.Size()), make([][]float32, c.Size())
	for q := range send {
		send[q], recv[q] = make([]float32, n), make([]float32, n)
	}
	for i := range 20 {
		for q := range send {
			for j := range send[q] {
				send[q][j] = float32(1000*i + 10*c.Rank() + q)
			}
		}
		if err := c.Exchange(ctx, send, recv); err != nil {
			return err
		}
		for q := range recv {
			want := float32(1000*i + 10*q + c.Rank())
			if k := slices.IndexFunc(recv[q], func(x float32) bool { return x != want }); k >= 0 {
				return fmt.Errorf("round %d, word %d from rank %d is %v, want %v", i, k, q, recv[q][k], want)
			}
		}
	}
	return nil
}

// overlapping has several exchanges under way, and ends them in another order, which
// differs from rank to rank.
func overlapping(ctx context.Context, c *comm.Comm) error {
	const rounds = 6
	var running []*comm.Running
	var got [][][]float32
	for i := range rounds {
		send, recv, _ := pieces(c, i)
		r, err := c.Begin(send, recv)
		if err != nil {
			return err
		}
		running, got = append(running, r), append(got, recv)
	}
	for k := range rounds {
		i := []int{3, 0, 5, 1, 2, 4}[(k+c.Rank())%rounds]
		if err := running[i].Wait(ctx); err != nil {
			return err
		}
		if err := received(c, i, got[i]); err != nil {
			return err
		}
	}
	return nil
}

// share is what a rank owns of n words.
func share(c *comm.Comm, n int) (lo, hi int) { return comm.Cut(n, c.Rank(), c.Size()) }

// others is how many ranks but this one own words of n.
func others(c *comm.Comm, n int) (ranks int64) {
	for q := range c.Size() {
		if lo, hi := comm.Cut(n, q, c.Size()); q != c.Rank() && hi > lo {
			ranks++
		}
	}
	return ranks
}

// gathering is what an all-gather of n words counts.
func gathering(c *comm.Comm, n int) comm.Counter {
	lo, hi := share(c, n)
	w := comm.Counter{Words: int64(hi-lo) * int64(c.Size()-1), Supersteps: 1}
	if hi > lo {
		w.Messages = int64(c.Size() - 1)
	}
	return w
}

// scattering is what sending every other rank its piece of n words counts.
func scattering(c *comm.Comm, n int) comm.Counter {
	lo, hi := share(c, n)
	return comm.Counter{Words: int64(n - (hi - lo)), Messages: others(c, n), Supersteps: 1}
}

func both(a, b comm.Counter) comm.Counter {
	return comm.Counter{Words: a.Words + b.Words, Messages: a.Messages + b.Messages, Supersteps: 1}
}

func allGather(ctx context.Context, c *comm.Comm) error {
	for _, n := range sizes(c.Size()) {
		want := contribution(99, n)
		got := make([]float32, n)
		lo, hi := share(c, n)
		copy(got[lo:hi], want[lo:hi])
		if err := counting(c, gathering(c, n), func() error { return c.AllGather(ctx, got) }); err != nil {
			return fmt.Errorf("%d words: %w", n, err)
		}
		if err := equal("all-gather", got, want); err != nil {
			return err
		}
	}
	return nil
}

// reductions are those that packages use.
var reductions = map[string]comm.Reduction{"sum": comm.Sum, "max": comm.Max, "min": comm.Min}

func reduceScatter(ctx context.Context, c *comm.Comm) error {
	for _, name := range []string{"sum", "max", "min"} {
		for _, n := range sizes(c.Size()) {
			got := contribution(c.Rank(), n)
			if err := counting(c, scattering(c, n), func() error { return c.ReduceScatter(ctx, got, reductions[name]) }); err != nil {
				return fmt.Errorf("%s of %d words: %w", name, n, err)
			}
			lo, hi := share(c, n)
			want := reduced(c.Size(), n, reductions[name])[lo:hi]
			if err := equal(name, got[lo:hi], want); err != nil {
				return err
			}
		}
	}
	return nil
}

func allReduce(ctx context.Context, c *comm.Comm) error {
	for _, n := range sizes(c.Size()) {
		got := contribution(c.Rank(), n)
		want := both(scattering(c, n), gathering(c, n))
		if err := counting(c, want, func() error { return c.AllReduce(ctx, got, comm.Sum) }); err != nil {
			return fmt.Errorf("%d words: %w", n, err)
		}
		if err := equal("all-reduce", got, reduced(c.Size(), n, comm.Sum)); err != nil {
			return err
		}
		if err := allReduceRows(ctx, c, n); err != nil {
			return err
		}
	}
	return nil
}

// allReduceRows: of n rows of three words, each is the one that ranks have with the
// largest first word.
func allReduceRows(ctx context.Context, c *comm.Comm, n int) error {
	const cols = 3
	first := func(into, from []float32) {
		for i := 0; i < len(into); i += cols {
			if from[i] > into[i] {
				copy(into[i:i+cols], from[i:i+cols])
			}
		}
	}
	got := contribution(c.Rank(), cols*n)
	want := both(scattering(c, n), gathering(c, n))
	want.Words *= cols
	if err := counting(c, want, func() error { return c.AllReduceRows(ctx, got, cols, first) }); err != nil {
		return fmt.Errorf("%d rows: %w", n, err)
	}
	return equal("all-reduce of rows", got, reduced(c.Size(), cols*n, first))
}

func broadcast(ctx context.Context, c *comm.Comm) error {
	for root := range c.Size() {
		for _, n := range sizes(c.Size()) {
			words, want := contribution(root, n), contribution(root, n)
			count := gathering(c, n)
			if c.Rank() == root {
				count = both(scattering(c, n), count)
			} else {
				words = make([]float32, n)
			}
			if err := counting(c, count, func() error { return c.Broadcast(ctx, root, words) }); err != nil {
				return fmt.Errorf("%d words of rank %d: %w", n, root, err)
			}
			if err := equal("broadcast", words, want); err != nil {
				return err
			}
		}
	}
	return nil
}

func barrier(ctx context.Context, c *comm.Comm) error {
	for range 10 {
		if err := c.Barrier(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sends goes around the ring: each rank sends to the next, in order.
func sends(ctx context.Context, c *comm.Comm) error {
	next, last := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
	for _, n := range []int{1, 0, 5, 1000} {
		if err := counting(c, comm.Counter{Words: int64(n), Messages: 1}, func() error { return c.Send(ctx, next, contribution(c.Rank(), n)) }); err != nil {
			return err
		}
	}
	for _, n := range []int{1, 0, 5, 1000} {
		got := make([]float32, n)
		if err := c.Recv(ctx, last, got); err != nil {
			return err
		}
		if err := equal("receive", got, contribution(last, n)); err != nil {
			return err
		}
	}
	return nil
}

// split divides ranks by parity, in descending order, twice with other groups
// of the same colors, and lets both groups communicate at once with the whole.
func split(ctx context.Context, c *comm.Comm) error {
	for modulus := 2; modulus <= 3; modulus++ {
		color := c.Rank() % modulus
		part, err := c.Split(ctx, color, -c.Rank())
		if err != nil {
			return err
		}
		var members []int
		for q := c.Size() - 1; q >= 0; q-- {
			if q%modulus == color {
				members = append(members, q)
			}
		}
		if part.Size() != len(members) || part.Rank() != slices.Index(members, c.Rank()) {
			return fmt.Errorf("rank %d of %d in its group, want %d of %d", part.Rank(), part.Size(), slices.Index(members, c.Rank()), len(members))
		}
		sum, want := []float32{float32(c.Rank())}, float32(0)
		for _, q := range members {
			want += float32(q)
		}
		if err := part.AllReduce(ctx, sum, comm.Sum); err != nil {
			return err
		}
		if sum[0] != want {
			return fmt.Errorf("the group's ranks add to %v, want %v", sum[0], want)
		}
		if err := c.Barrier(ctx); err != nil {
			return err
		}
		if err := part.Close(); err != nil {
			return err
		}
	}
	return nil
}
