//go:build mpi

package mpi

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// transfers are messages of one rank that are under way on one communicator.
// Their memory is pinned until all have ended.
type transfers struct {
	end *end
	on  communicator

	mu       sync.Mutex
	requests []request
	messages []message
	endings  endings
	pinned   []runtime.Pinner // of pinsEach messages each
	left     int

	exchange exchange // what they are the messages of, where they are of one
}

// pinsEach is how many pieces a Pinner holds without making room for them.
const pinsEach = 5

// message is one of them: all of a piece, or a part of a long one.
type message struct {
	peer         int // its other rank
	before, all  int // the piece's words that go before it, and in all
	words        int
	receive      bool
	ended        bool
	whyCancelled error // what the other rank did instead of sending it
}

// transfer returns room for so many messages, used before where there is some.
func (e *end) transfer(on communicator, messages int) *transfers {
	e.underWay.Add(1)
	t := e.fly(messages)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end, t.on, t.requests, t.messages = e, on, t.requests[:0], t.messages[:0]
	return t
}

func (p *process) fly(messages int) (t *transfers) {
	p.flying.Lock()
	defer p.flying.Unlock()
	if n := len(p.flying.used); n > 0 {
		t, p.flying.used = p.flying.used[n-1], p.flying.used[:n-1]
	}
	if t == nil || cap(t.messages) < messages {
		t = newTransfers(messages)
	}
	p.flying.all[t] = true
	return t
}

func newTransfers(messages int) *transfers {
	t := &transfers{
		requests: make([]request, 0, messages), messages: make([]message, 0, messages), endings: newEndings(messages),
		pinned: make([]runtime.Pinner, (messages+pinsEach-1)/pinsEach),
	}
	t.exchange.transfers = t
	return t
}

// again keeps what has been waited for, to be used again.
func (t *transfers) again() {
	t.end.flying.Lock()
	defer t.end.flying.Unlock()
	t.end.flying.used = append(t.end.flying.used, t)
}

// messagesOf is how many messages carry a piece.
func (p *process) messagesOf(words int) int { return max(1, (words+p.longest-1)/p.longest) }

// post starts sending a piece to a rank, or receiving it from there, under a number.
func (t *transfers) post(piece []float32, peer, number int, receive bool) error {
	for before := 0; before == 0 || before < len(piece); before += t.end.longest {
		words := piece[before:min(before+t.end.longest, len(piece))]
		m := message{peer: peer, before: before, all: len(piece), words: len(words), receive: receive}
		if err := t.postOne(words, t.end.of(number, len(words)), m); err != nil {
			return err
		}
	}
	return nil
}

// postOne starts a message.
func (t *transfers) postOne(words []float32, tag int, m message) error {
	start := isend
	if m.receive {
		start = irecv
	}
	i := len(t.messages)
	if len(words) > 0 {
		t.pinned[i/pinsEach].Pin(unsafe.SliceData(words))
	}
	t.requests = t.requests[:i+1]
	if err := start(words, m.peer, tag, t.on, &t.requests[i]); err != nil {
		t.requests = t.requests[:i]
		return t.abandon(t.end.gone(m.peer, err))
	}
	t.messages = append(t.messages, m)
	t.left++
	return nil
}

// posted follows the last post: with no message under way it frees what t holds.
func (t *transfers) posted() *transfers {
	if t.left == 0 {
		t.done()
	}
	return t
}

func (t *transfers) done() {
	for i := range t.pinned {
		t.pinned[i].Unpin()
	}
	t.end.underWay.Add(-1)
	t.end.flying.Lock()
	defer t.end.flying.Unlock()
	delete(t.end.flying.all, t)
}

// poll asks MPI which messages have ended. It returns how many are left.
func (t *transfers) poll() (left int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left == 0 {
		return 0, nil
	}
	n, err := t.endings.testsome(t.requests)
	for i := range n {
		if failure := t.ends(t.endings.at(i)); err == nil {
			err = failure
		}
	}
	if n > 0 && t.left == 0 {
		t.done()
	}
	return t.left, err
}

// ends notes that a message has ended, and says what is wrong with it.
func (t *transfers) ends(e ending) error {
	m := &t.messages[e.index]
	m.ended = true
	t.left--
	switch {
	case e.cancelled:
		return m.whyCancelled
	case !m.receive && e.err == nil, e.err == nil && e.words == m.words:
		return nil
	}
	if f, ok := e.err.(fault); ok && !f.truncated() {
		return t.end.gone(m.peer, f)
	}
	sent := fmt.Sprint(m.before + e.words)
	if e.err != nil {
		sent = "more" // MPI does not say how many
	}
	return t.end.differ("rank %d sent %s words to rank %d, which awaits %d", t.end.ranks[m.peer], sent, t.end.me(), m.all)
}

// me is this rank's number in the world.
func (e *end) me() int { return e.ranks[e.rank] }

// differ is an error that only ranks with different plans make.
func (e *end) differ(format string, values ...any) error {
	return fmt.Errorf("comm/mpi: "+format+": the ranks run different plans", values...)
}

// What a rank that waits does between two questions to MPI. At first nothing:
// short messages take microseconds. Then it lets other processes run, then
// sleeps for moments, which on a busy processor, unlike yielding, lets others
// run indeed, then for longer: by now it waits for a rank that computes. Later
// it also looks for messages that say that it waits in vain.
const (
	busyFor     = 30 * time.Microsecond
	yieldFor    = 100 * time.Microsecond
	napFor      = 5 * time.Microsecond
	sleepAfter  = 5 * time.Millisecond
	sleepFor    = 50 * time.Microsecond
	doubtsAfter = 100 * time.Millisecond
)

// rest leaves the processor to others as a rank does that has waited so long.
func rest(waited time.Duration) {
	switch {
	case waited < busyFor:
	case waited < yieldFor:
		pause(0)
	case waited < sleepAfter:
		pause(napFor)
	default:
		pause(sleepFor)
	}
}

// doubter looks for reasons why messages that are awaited will not come.
type doubter interface{ doubt() error }

// wait returns when all messages have ended. d is asked now and then whether
// they can.
func (t *transfers) wait(ctx context.Context, d doubter) error {
	before := len(t.messages) + 1
	var last, doubted time.Time // when a message ended, and when doubt was asked
	var waited time.Duration
	for polls := 0; ; polls++ {
		left, err := t.poll()
		if err == nil && ctx.Err() != nil && left > 0 {
			err = context.Cause(ctx)
		}
		if err != nil {
			return t.abandon(err)
		}
		if left == 0 {
			t.again()
			return nil
		}
		if waited < busyFor && polls%16 != 15 {
			continue // the clock takes as long as a question
		}
		now := time.Now()
		if left < before {
			before, last, doubted = left, now, now
		}
		waited = now.Sub(last)
		rest(waited)
		if now.Sub(doubted) > doubtsAfter {
			doubted = now
			if err := d.doubt(); err != nil {
				return t.abandon(err)
			}
		}
	}
}

// abandon gives up messages that have not ended. MPI may still write what has
// begun to arrive.
func (t *transfers) abandon(err error) error {
	t.mu.Lock()
	for i, m := range t.messages {
		if m.receive && !m.ended && m.whyCancelled == nil {
			t.messages[i].whyCancelled = err
			_ = cancel(&t.requests[i]) // err says more
		}
	}
	t.mu.Unlock()
	return t.end.fail(err)
}

// giveUp cancels what a rank has not begun to send, since it has done something
// else instead. What it has begun to send goes on.
func (t *transfers) giveUp(peer int, why func(m message) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.messages {
		m := &t.messages[i]
		if m.peer != peer || !m.receive || m.ended || m.whyCancelled != nil {
			continue
		}
		m.whyCancelled = why(*m)
		if err := cancel(&t.requests[i]); err != nil {
			return err
		}
	}
	return nil
}

// missing lists the ranks from which something has not arrived, or that have not
// taken what is sent to them: MPI may wait for both.
func (t *transfers) missing() (ranks []int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range t.messages {
		if !m.ended && !slices.Contains(ranks, m.peer) {
			ranks = append(ranks, m.peer)
		}
	}
	return ranks
}
