package local

import (
	"context"
	"fmt"
)

// exchange is one that is under way, or the receipt of what was sent to a rank alone.
// Its rank's mailbox guards what changes.
type exchange struct {
	*end
	direct bool
	number int

	coming, going int   // pieces that were not received, and that others have not taken
	failed        error // what kept a piece from being received
}

// from is the address of what rank q sends here, to that of what goes there.
func (x *exchange) from(q int) address {
	return address{x.name, x.ranks[q], x.me(), x.direct, x.number}
}

func (x *exchange) to(q int) address {
	return address{x.name, x.me(), x.ranks[q], x.direct, x.number}
}

// Wait returns when all pieces have arrived, and those of this rank been taken.
func (x *exchange) Wait(ctx context.Context) error {
	box := x.box()
	stop := context.AfterFunc(ctx, box.wake)
	defer stop()
	err := box.settle(x, func() error { return x.lost(ctx) })
	if err != nil {
		x.giveUp()
	}
	return err
}

// lost says why a piece will never come, or be taken. The mailbox is locked.
func (x *exchange) lost(ctx context.Context) error {
	for q := range x.ranks {
		if !x.open(q) {
			continue
		}
		if err := x.world.lost(x.ranks[q]); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// open reports whether a piece from or to rank q is under way. The mailbox is locked.
func (x *exchange) open(q int) bool {
	_, coming := x.box().rooms[x.from(q)]
	_, going := x.box().lent[x.to(q)]
	return coming || going
}

// giveUp returns when nobody writes or reads the pieces any more: memory that they lie
// in may be freed.
func (x *exchange) giveUp() {
	box := x.box()
	for _, a := range box.abandon(x) {
		if x.world.boxes[a.to].withdraw(a) {
			box.taken(a)
		}
	}
	box.mu.Lock()
	defer box.mu.Unlock()
	for x.going > 0 { // to ranks that copy
		box.changed.Wait()
	}
}

// Missing lists the ranks whose pieces are not there, or that have not taken theirs.
func (x *exchange) Missing() (ranks []int) {
	box := x.box()
	box.mu.Lock()
	defer box.mu.Unlock()
	for q := range x.ranks {
		if x.open(q) {
			ranks = append(ranks, q)
		}
	}
	return ranks
}

// fill copies a message to where it goes.
func (a address) fill(words, message []float32) error {
	if len(message) != len(words) {
		return fmt.Errorf("rank %d sent %d words to rank %d, which awaits %d: the ranks run different plans", a.from, len(message), a.to, len(words))
	}
	copy(words, message)
	return nil
}
