package local

import (
	"slices"
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

// message is what a rank sent.
type message struct {
	words []float32
	lent  bool // the words are the sender's, who waits until they have been taken
}

// room is where a message goes.
type room struct {
	words []float32
	of    *exchange
}

// delivery is a message that is there and has room.
type delivery struct {
	at   address
	from message
	to   room
}

// mailbox is where a rank meets the others. What arrives lies in its sender's memory
// until the rank, whose goroutine alone takes it, copies it to where it goes: words
// move once, and the ranks at both ends copy at the same time.
type mailbox struct {
	mu       sync.Mutex
	changed  *sync.Cond
	messages map[address]message   // to the rank, that have arrived and have no room yet
	rooms    map[address]room      // for those that it awaits
	due      []delivery            // what it can copy
	lent     map[address]*exchange // from the rank, that others have not taken
	alarm    bool                  // a rank may be gone, or a wait given up
	awaited  *exchange             // by the rank, where it sleeps
}

func newMailbox() *mailbox {
	b := &mailbox{messages: map[address]message{}, rooms: map[address]room{}, lent: map[address]*exchange{}}
	b.changed = sync.NewCond(&b.mu)
	return b
}

// expect gives the messages of an exchange room, of those ranks that send any.
func (b *mailbox) expect(x *exchange, recv [][]float32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for q, words := range recv {
		if q != x.rank && len(words) > 0 {
			b.await(x.from(q), room{words, x})
		}
	}
}

// expectOne gives a message room, even one of no words.
func (b *mailbox) expectOne(a address, r room) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.await(a, r)
}

// await notes where a message goes. The lock is held.
func (b *mailbox) await(a address, r room) {
	r.of.coming++
	if m, ok := b.messages[a]; ok {
		delete(b.messages, a)
		b.due = append(b.due, delivery{a, m, r})
		return
	}
	b.rooms[a] = r
}

// deliver puts a message in.
func (b *mailbox) deliver(a address, m message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, ok := b.rooms[a]
	if !ok {
		b.messages[a] = m
		return
	}
	delete(b.rooms, a)
	b.due = append(b.due, delivery{a, m, r})
	// Copies of few words are taken together, when the last has come: to be woken takes
	// longer than to take one.
	if m.lent || b.awaited != nil && len(b.due) >= b.awaited.coming {
		b.changed.Signal()
	}
}

// lend notes that words of an exchange of this rank are on their way.
func (b *mailbox) lend(a address, x *exchange) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lent[a] = x
	x.going++
}

// taken notes that they have been copied, or come back.
func (b *mailbox) taken(a address) {
	b.mu.Lock()
	defer b.mu.Unlock()
	x := b.lent[a]
	delete(b.lent, a)
	if x.going--; x.going == 0 {
		b.changed.Signal()
	}
}

// withdraw takes back a message that nobody has begun to copy.
func (b *mailbox) withdraw(a address) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := len(b.messages) + len(b.due)
	delete(b.messages, a)
	b.due = slices.DeleteFunc(b.due, func(d delivery) bool { return d.at == a })
	return len(b.messages)+len(b.due) < before
}

// abandon takes the room of an exchange's messages away, and returns where its words
// are on their way to. What was sent to it stays with those who lent it.
func (b *mailbox) abandon(x *exchange) (lent []address) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, d := range b.due {
		if d.to.of == x {
			b.messages[d.at] = b.due[i].from
		}
	}
	b.due = slices.DeleteFunc(b.due, func(d delivery) bool { return d.to.of == x })
	for q := range x.ranks {
		delete(b.rooms, x.from(q))
		if _, ok := b.lent[x.to(q)]; ok {
			lent = append(lent, x.to(q))
		}
	}
	return lent
}

// settle copies what arrives until all of an exchange has come and gone. Where that may
// not happen any more, lost says why. Messages of exchanges that are waited for later
// are copied meanwhile: ranks may wait in different orders.
func (b *mailbox) settle(x *exchange, lost func() error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.alarm = true // ranks may have gone before
	for x.failed == nil && x.coming+x.going > 0 {
		switch {
		case len(b.due) > 0:
			b.take(x.world)
		case b.alarm:
			b.alarm = false
			if err := lost(); err != nil {
				return err
			}
		default:
			b.awaited = x
			b.changed.Wait()
			b.awaited = nil
		}
	}
	return x.failed
}

// take copies a message that is due. The lock is held before and after.
func (b *mailbox) take(w *world) {
	last := len(b.due) - 1
	d := b.due[last]
	b.due = b.due[:last]
	b.mu.Unlock()
	err := d.at.fill(d.to.words, d.from.words)
	if d.from.lent {
		w.boxes[d.at.from].taken(d.at)
	}
	b.mu.Lock()
	d.to.of.coming--
	if err != nil {
		d.to.of.failed = err
	}
}

// wake lets the rank see whether what it waits for can still come.
func (b *mailbox) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.alarm = true
	b.changed.Signal()
}
