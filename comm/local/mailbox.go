package local

import "sync"

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

// mailbox is where a rank meets the others. What arrives lies in its sender's memory
// until the rank, whose goroutine alone takes it, copies it to where it goes: words
// move once, and the ranks at both ends copy at the same time.
type mailbox struct {
	mu       sync.Mutex
	changed  *sync.Cond
	messages map[address]message   // to the rank, that have arrived
	rooms    map[address]room      // for those that it awaits
	due      []address             // of messages that are there and have room
	lent     map[address]*exchange // from the rank, that others have not taken
	alarm    bool                  // a rank may be gone, or a wait given up
}

func newMailbox() *mailbox {
	b := &mailbox{messages: map[address]message{}, rooms: map[address]room{}, lent: map[address]*exchange{}}
	b.changed = sync.NewCond(&b.mu)
	return b
}

// expect gives a message room.
func (b *mailbox) expect(a address, r room) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rooms[a] = r
	r.of.coming++
	if _, ok := b.messages[a]; ok {
		b.due = append(b.due, a)
	}
}

// deliver puts a message in.
func (b *mailbox) deliver(a address, m message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.messages[a] = m
	if _, ok := b.rooms[a]; ok {
		b.due = append(b.due, a)
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
	_, ok := b.messages[a]
	delete(b.messages, a)
	return ok
}

// abandon takes the room of an exchange's messages away, and returns where its words
// are on their way to.
func (b *mailbox) abandon(x *exchange) (lent []address) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for q := range x.ranks {
		if _, ok := b.rooms[x.from(q)]; ok {
			delete(b.rooms, x.from(q))
			x.coming--
		}
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
			b.changed.Wait()
		}
	}
	return x.failed
}

// take copies a message that is due. The lock is held before and after.
func (b *mailbox) take(w *world) {
	last := len(b.due) - 1
	a := b.due[last]
	b.due = b.due[:last]
	m, here := b.messages[a]
	r, awaited := b.rooms[a]
	if !here || !awaited {
		return // its sender or this rank has given up
	}
	delete(b.messages, a)
	delete(b.rooms, a)
	b.mu.Unlock()
	err := a.fill(r.words, m.words)
	if m.lent {
		w.boxes[a.from].taken(a)
	}
	b.mu.Lock()
	r.of.coming--
	if err != nil {
		r.of.failed = err
	}
}

// wake lets the rank see whether what it waits for can still come.
func (b *mailbox) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.alarm = true
	b.changed.Signal()
}
