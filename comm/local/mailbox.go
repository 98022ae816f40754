package local

import (
	"context"
	"fmt"
	"math/bits"
	"sync"
)

// address is where a message goes: its place in the order in which a rank sends
// to another on one communicator, of exchanges or of sends.
type address struct {
	comm     string
	from, to int // ranks of the world
	direct   bool
	number   int
}

// mailbox holds the messages to one rank, whose goroutine alone takes them.
type mailbox struct {
	mu       sync.Mutex
	changed  *sync.Cond
	messages map[address][]float32 // that have arrived
	awaited  address               // by the rank, where it waits
	spares   [64][][]float32       // memory of messages that were taken, by size
}

func newMailbox() *mailbox {
	b := &mailbox{messages: map[address][]float32{}}
	b.changed = sync.NewCond(&b.mu)
	return b
}

// room returns memory for a message of n words: sizes are powers of two, so that what
// one message leaves fits another.
func (b *mailbox) room(n int) []float32 {
	b.mu.Lock()
	defer b.mu.Unlock()
	size := sizeOf(n)
	if spare := &b.spares[size]; len(*spare) > 0 {
		last := len(*spare) - 1
		words := (*spare)[last]
		*spare = (*spare)[:last]
		return words
	}
	return make([]float32, 0, 1<<size)
}

// sizeOf is the power of two that memory for n words has.
func sizeOf(n int) int { return bits.Len(uint(max(n, 1) - 1)) }

// deliver puts a message in, and wakes the rank if this is the one it waits for.
func (b *mailbox) deliver(a address, words []float32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.messages[a] = words
	if a == b.awaited {
		b.changed.Signal()
	}
}

// arrived reports whether a message is there.
func (b *mailbox) arrived(a address) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, ok := b.messages[a]
	return ok
}

// take waits for a message and moves it into words. lost says why it never comes.
func (b *mailbox) take(ctx context.Context, a address, words []float32, lost func(from int) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.awaited = a
	defer func() { b.awaited = address{} }()
	for {
		if message, ok := b.messages[a]; ok {
			delete(b.messages, a)
			err := fill(a, words, message)
			spare := &b.spares[sizeOf(cap(message))]
			*spare = append(*spare, message[:0])
			return err
		}
		if err := lost(a.from); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		b.changed.Wait()
	}
}

func fill(a address, words, message []float32) error {
	if len(message) != len(words) {
		return fmt.Errorf("rank %d sent %d words to rank %d, which awaits %d: the ranks run different plans", a.from, len(message), a.to, len(words))
	}
	copy(words, message)
	return nil
}

// wake lets the rank look again.
func (b *mailbox) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changed.Signal()
}
