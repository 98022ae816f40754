// Package local carries exchanges between ranks that are goroutines of one
// process. A rank copies what others sent from where it lies to where it goes, and
// ranks share no memory else; delays and failures can be injected, to show that
// nothing depends on timing.
package local

import (
	"slices"
	"sync"
	"time"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/internal/rng"
)

// Options are what is done to messages on their way.
type Options struct {
	// Delay is the longest time that a message is held back; messages overtake
	// each other. Seed draws each one's.
	Delay time.Duration
	Seed  uint64
	// Fail, where set, is asked before every operation of a rank, which are
	// numbered from 0; an error kills the rank.
	Fail func(rank, operation int) error
}

// World returns the ends of a communicator of so many ranks.
func World(ranks int, o Options) []comm.Transport {
	w := &world{options: o, ranks: make([]state, ranks), boxes: make([]*mailbox, ranks)}
	all := make([]int, ranks)
	for r := range all {
		all[r], w.boxes[r] = r, newMailbox()
	}
	ends := make([]comm.Transport, ranks)
	for r := range ends {
		ends[r] = newEnd(w, worldName, all, r)
	}
	return ends
}

// worldName is the communicator of all ranks.
const worldName = "world"

// world is what the ranks of all communicators of a process share. Each receives in a
// mailbox of its own, so that ranks meet at a lock only where they exchange. Where
// both are taken, a mailbox's lock is taken before the world's.
type world struct {
	options Options
	boxes   []*mailbox // of each rank

	mu      sync.Mutex
	ranks   []state
	aborted error
}

// state is what is known of a rank.
type state struct {
	ended      error // why it is gone
	operations int
	flying     int    // messages of it that have not arrived
	posted     uint64 // messages of it that were held back
}

// operate counts an operation of a rank, and asks whether it is to fail.
func (w *world) operate(rank int) error {
	w.mu.Lock()
	s := &w.ranks[rank]
	n := s.operations
	s.operations++
	err := s.ended
	if w.aborted != nil {
		err = w.aborted
	}
	w.mu.Unlock()
	if err == nil && w.options.Fail != nil {
		if err = w.options.Fail(rank, n); err != nil {
			err = &comm.RankError{Rank: rank, Err: err}
			w.end(rank, err)
		}
	}
	return err
}

// eager is the most words of which a copy is sent: that takes less time than to be told
// that they were taken.
const eager = 1 << 10

// lend puts a piece of an exchange on its way: the words themselves, or a copy of few and
// of those that are held back.
func (w *world) lend(a address, words []float32, x *exchange) {
	if w.options.Delay > 0 || len(words) <= eager {
		w.post(a, words)
		return
	}
	w.boxes[a.from].lend(a, x)
	w.boxes[a.to].deliver(a, message{words, true})
}

// post puts a copy of words on its way.
func (w *world) post(a address, words []float32) {
	box, m := w.boxes[a.to], message{words: slices.Clone(words)}
	if w.options.Delay <= 0 {
		box.deliver(a, m)
		return
	}
	time.AfterFunc(w.depart(a.from), func() {
		box.deliver(a, m)
		w.land(a.from)
	})
}

// depart draws how long a message of a rank is held back.
func (w *world) depart(from int) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := &w.ranks[from]
	s.flying++
	s.posted++
	x := rng.Key{Seed: w.options.Seed, Purpose: rng.Fault}.Block(rng.Counter{Step: uint32(from), ID: s.posted})[0]
	return time.Duration(float64(w.options.Delay) * float64(x) / (1 << 32))
}

// land records that a message of a rank has arrived; the last one of a rank that is
// gone ends the waiting for others.
func (w *world) land(from int) {
	w.mu.Lock()
	s := &w.ranks[from]
	s.flying--
	last := s.ended != nil && s.flying == 0
	w.mu.Unlock()
	if last {
		w.wake()
	}
}

// lost says why a message of a rank that is not there will never come.
func (w *world) lost(from int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch s := &w.ranks[from]; {
	case w.aborted != nil:
		return w.aborted
	case s.ended != nil && s.flying == 0:
		return &comm.RankError{Rank: from, Err: s.ended}
	}
	return nil
}

// end records that a rank is gone.
func (w *world) end(rank int, err error) {
	w.mu.Lock()
	if s := &w.ranks[rank]; s.ended == nil {
		s.ended = err
	}
	w.mu.Unlock()
	w.wake()
}

// abort ends all ranks.
func (w *world) abort(cause error) {
	w.mu.Lock()
	if w.aborted == nil {
		w.aborted = &comm.AbortError{Err: cause}
	}
	w.mu.Unlock()
	w.wake()
}

// wake lets all ranks that wait look again.
func (w *world) wake() {
	for _, box := range w.boxes {
		box.wake()
	}
}
