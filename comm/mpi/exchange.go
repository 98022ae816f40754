//go:build mpi

package mpi

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-gnn/weft/comm"
)

// exchange is one that is under way.
type exchange struct {
	*transfers
	number int
}

// Begin starts an exchange.
func (e *end) Begin(send, recv [][]float32) (comm.Pending, error) {
	if len(send[e.rank]) != len(recv[e.rank]) {
		return nil, fmt.Errorf("rank %d sends itself %d words and awaits %d", e.rank, len(send[e.rank]), len(recv[e.rank]))
	}
	messages := 0
	for q := range e.ranks {
		for _, piece := range [...][]float32{send[q], recv[q]} {
			if q != e.rank && len(piece) > 0 {
				messages += e.messagesOf(len(piece))
			}
		}
	}
	t := e.transfer(e.exchanges, messages)
	number := e.begun
	e.begun++
	// Receives come first, so that messages find their place.
	if err := errors.Join(t.postAll(recv, number, true), t.postAll(send, number, false)); err != nil {
		return nil, err
	}
	copy(recv[e.rank], send[e.rank])
	t.exchange.number = number
	return &t.posted().exchange, nil
}

// postAll posts the pieces that are not empty, the next rank's first, so that
// not all ranks send to one at a time.
func (t *transfers) postAll(pieces [][]float32, number int, receive bool) error {
	for i := 1; i < len(pieces); i++ {
		q := (t.end.rank + i) % len(pieces)
		if len(pieces[q]) == 0 {
			continue
		}
		if err := t.post(pieces[q], q, number, receive); err != nil {
			return err
		}
	}
	return nil
}

// Wait returns when all pieces have been sent and received.
func (x *exchange) Wait(ctx context.Context) error { return x.wait(ctx, x) }

// Missing lists the ranks whose pieces have not arrived, or that have not taken
// theirs.
func (x *exchange) Missing() []int { return x.missing() }

// doubt looks for a message that tells that a rank runs another plan. MPI hands
// over messages of one rank in the order in which it sent them, so one of a
// later exchange that has come before an awaited one proves that the latter was
// not sent; one of an exchange that was begun here has found no piece of its
// length.
func (x *exchange) doubt() error {
	e := x.end
	for _, q := range e.others() {
		tag, words, found, err := probe(q, anyTag, e.exchanges)
		if err != nil {
			return e.gone(q, err)
		}
		if !found {
			if err := x.doubtClosed(q); err != nil {
				return err
			}
			continue
		}
		ago, begun := e.since(tag, e.begun)
		switch {
		case tag == e.goodbye():
			err = x.giveUp(q, e.closed)
		case begun && e.begun-1-ago == x.number:
			err = e.unfit(q, words, x.awaited(q))
		case begun:
			err = e.unexpected(q, words)
		default:
			err = x.giveUp(q, e.skipped)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// others lists the ranks but this one.
func (e *end) others() (ranks []int) {
	for i := 1; i < e.Size(); i++ {
		ranks = append(ranks, (e.rank+i)%e.Size())
	}
	return ranks
}

// awaited is how many words of a rank have not arrived.
func (t *transfers) awaited(peer int) (words int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range t.messages {
		if m.receive && !m.ended && m.peer == peer {
			words += m.words
		}
	}
	return words
}

// unfit is the error that a message arrived where others are awaited.
func (e *end) unfit(from, words, awaited int) error {
	return e.differ("rank %d sent a message of %d words to rank %d, which awaits %d more", e.ranks[from], words, e.me(), awaited)
}

func (e *end) unexpected(from, words int) error {
	return e.differ("rank %d sent %d words to rank %d, which awaits none", e.ranks[from], words, e.me())
}

func (e *end) skipped(m message) error {
	return e.differ("rank %d went on without sending rank %d the %d words that it awaits", e.ranks[m.peer], e.me(), m.all)
}

var errClosed = errors.New("it closed its communicator")

func (e *end) closed(m message) error { return e.gone(m.peer, errClosed) }

// doubtClosed gives up what a rank has not sent that closed the world.
func (t *transfers) doubtClosed(peer int) error {
	w := t.end.world
	_, _, found, err := probe(t.end.ranks[peer], w.goodbye(), w.exchanges)
	if err != nil || !found {
		return err
	}
	return t.giveUp(peer, t.end.closed)
}

// sayGoodbye tells all ranks that this one sends nothing more, waits until they
// do the same, and looks for messages that nobody awaited.
func (e *end) sayGoodbye() error {
	others := e.others()
	t := e.transfer(e.exchanges, 2*len(others))
	for _, receive := range []bool{true, false} {
		for _, q := range others {
			if err := t.postOne(nil, e.goodbye(), message{peer: q, receive: receive}); err != nil {
				return err
			}
		}
	}
	t.posted()
	if err := t.wait(context.Background(), goodbyes{e}); err != nil {
		return err
	}
	for _, q := range others {
		if _, words, found, err := probe(q, anyTag, e.exchanges); err != nil || found {
			return e.fail(errors.Join(err, e.unexpected(q, words)))
		}
	}
	return e.drain()
}

// goodbyes are awaited of all ranks.
type goodbyes struct{ *end }

// doubt looks for ranks that go on where this one has ended.
func (g goodbyes) doubt() error {
	for _, q := range g.others() {
		_, words, found, err := probe(q, anyTag, g.exchanges)
		if err != nil {
			return g.gone(q, err)
		}
		if found {
			return g.unexpected(q, words)
		}
	}
	return nil
}
