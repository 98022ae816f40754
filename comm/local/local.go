// Package local carries exchanges between ranks that are goroutines of one
// process. Words are copied on their way, so that ranks share no memory; delays
// and failures can be injected, to show that nothing depends on timing.
package local

import (
	"context"
	"fmt"
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
	w := &world{options: o, boxes: map[address][]float32{}, ended: map[int]error{}, done: map[int]int{}, flying: map[int]int{}}
	w.changed = sync.NewCond(&w.mu)
	all := make([]int, ranks)
	for r := range all {
		all[r] = r
	}
	ends := make([]comm.Transport, ranks)
	for r := range ends {
		ends[r] = newEnd(w, worldName, all, r)
	}
	return ends
}

// worldName is the communicator of all ranks.
const worldName = "world"

// world is what the ranks of all communicators of a process share.
type world struct {
	options Options

	mu      sync.Mutex
	changed *sync.Cond
	boxes   map[address][]float32 // messages that have arrived
	ended   map[int]error         // ranks that are gone
	aborted error
	done    map[int]int // operations of each rank
	flying  map[int]int // messages of each rank that have not arrived
	drawn   uint64
	spares  [][]float32 // memory of messages that were received
}

// spare returns memory for a message of n words, that of the smallest received one
// that it fits.
func (w *world) spare(n int) []float32 {
	w.mu.Lock()
	defer w.mu.Unlock()
	best := -1
	for i, s := range w.spares {
		if cap(s) >= n && (best < 0 || cap(s) < cap(w.spares[best])) {
			best = i
		}
	}
	if best < 0 {
		return make([]float32, 0, n)
	}
	s := w.spares[best]
	w.spares[best] = w.spares[len(w.spares)-1]
	w.spares = w.spares[:len(w.spares)-1]
	return s[:0]
}

// address is where a message goes: its place in the order in which a rank sends
// to another on one communicator, of exchanges or of sends.
type address struct {
	comm     string
	from, to int // ranks of the world
	direct   bool
	number   int
}

// operate counts an operation of a rank, and asks whether it is to fail.
func (w *world) operate(rank int) error {
	w.mu.Lock()
	n := w.done[rank]
	w.done[rank]++
	err := w.ended[rank]
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

// post puts a message on its way.
func (w *world) post(a address, words []float32) {
	copied := append(w.spare(len(words)), words...)
	if w.options.Delay <= 0 {
		w.deliver(a, copied)
		return
	}
	w.mu.Lock()
	w.drawn++
	w.flying[a.from]++
	x := rng.Key{Seed: w.options.Seed, Purpose: rng.Fault}.Block(rng.Counter{ID: w.drawn})[0]
	w.mu.Unlock()
	delay := time.Duration(float64(w.options.Delay) * float64(x) / (1 << 32))
	time.AfterFunc(delay, func() {
		w.deliver(a, copied)
		w.land(a.from)
	})
}

func (w *world) land(from int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flying[from]--
	w.changed.Broadcast()
}

func (w *world) deliver(a address, words []float32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.boxes[a] = words
	w.changed.Broadcast()
}

// arrived reports whether a message is there.
func (w *world) arrived(a address) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, ok := w.boxes[a]
	return ok
}

// take waits for a message and moves it into words.
func (w *world) take(ctx context.Context, a address, words []float32) error {
	stop := context.AfterFunc(ctx, w.wake)
	defer stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		if message, ok := w.boxes[a]; ok {
			delete(w.boxes, a)
			err := fill(a, words, message)
			w.spares = append(w.spares, message)
			return err
		}
		switch {
		case w.aborted != nil:
			return w.aborted
		case w.ended[a.from] != nil && w.flying[a.from] == 0:
			return &comm.RankError{Rank: a.from, Err: w.ended[a.from]}
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		w.changed.Wait()
	}
}

func fill(a address, words, message []float32) error {
	if len(message) != len(words) {
		return fmt.Errorf("rank %d sent %d words to rank %d, which awaits %d: the ranks run different plans", a.from, len(message), a.to, len(words))
	}
	copy(words, message)
	return nil
}

// wake lets all that wait look again.
func (w *world) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changed.Broadcast()
}

// end records that a rank is gone.
func (w *world) end(rank int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended[rank] == nil {
		w.ended[rank] = err
	}
	w.changed.Broadcast()
}

// abort ends all ranks.
func (w *world) abort(cause error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.aborted == nil {
		w.aborted = cause
	}
	w.changed.Broadcast()
}
