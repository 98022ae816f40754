package kernel

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Task is work cut into pieces. Pieces may run at once and in any order; each
// runs exactly once. Worker is in [0, Threads) and names scratch space that no
// other piece uses at the same time.
type Task interface {
	Piece(worker, piece int)
}

// Pool is a set of persistent workers. Starting a goroutine, or waking a parked
// one, costs more than many kernels take, so idle workers first spin briefly
// and then park.
//
// A nil Pool runs everything in the caller, as a pool of one thread does.
type Pool struct {
	threads int

	// One Run owns the fields below it at a time. A worker reads task and
	// pieces only after it has drawn a ticket; the Run they belong to cannot
	// end before that piece does, so the reads are ordered.
	running sync.Mutex
	task    Task
	pieces  int

	tickets  atomic.Int64 // pieces of the current run not yet handed out
	left     atomic.Int64 // pieces of the current run not yet finished
	waiting  atomic.Bool  // the caller is parked on finished
	finished chan struct{}
	workers  []worker
	closed   atomic.Bool
	exited   sync.WaitGroup

	failure sync.Mutex
	failed  *PieceError
}

type worker struct {
	parked atomic.Bool
	wake   chan struct{}
	_      [48]byte // one cache line per worker
}

// PieceError is what [Pool.Run] panics with when a piece panicked.
type PieceError struct {
	Piece int    // the lowest piece that panicked, of those that ran
	Value any    // what it panicked with
	Stack []byte // where
}

func (e *PieceError) Error() string {
	return fmt.Sprintf("kernel: piece %d: %v\n%s", e.Piece, e.Value, e.Stack)
}

// Unwrap returns the value a piece panicked with where that is an error.
func (e *PieceError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// A parked worker takes about 100 µs to come back, and waking it costs its waker
// about 10 µs; a run whose workers still spin costs 1 or 2 µs. So an idle worker
// looks for work some time longer than it would take to come back before it
// parks, and a caller for the end of its last pieces. Callers never wait for a
// worker to come back: they go on drawing pieces. Every spinLooks looks a
// spinning one reads the clock and offers its processor to other goroutines.
const (
	spinTime  = 200 * time.Microsecond
	spinLooks = 1 << 7
)

// spin is one such time.
type spin struct {
	looks int
	since time.Time
}

// again reports whether to look once more.
func (s *spin) again() bool {
	s.looks++
	if s.looks%spinLooks != 0 {
		return true
	}
	runtime.Gosched()
	now := time.Now()
	if s.since.IsZero() {
		s.since = now
	}
	return now.Sub(s.since) < spinTime
}

// NewPool starts threads − 1 workers; the caller of [Pool.Run] is the last one.
// Threads below 1 count as 1.
func NewPool(threads int) *Pool {
	threads = max(threads, 1)
	p := &Pool{
		threads:  threads,
		finished: make(chan struct{}, 1),
		workers:  make([]worker, threads-1),
	}
	for i := range p.workers {
		p.workers[i].wake = make(chan struct{}, 1)
		p.exited.Go(func() { p.work(i + 1) })
	}
	return p
}

// Threads returns the number of pieces that can run at once.
func (p *Pool) Threads() int {
	if p == nil {
		return 1
	}
	return p.threads
}

// Close ends the workers and waits for them. No Run may be in progress or follow.
func (p *Pool) Close() {
	if p == nil || p.closed.Swap(true) {
		return
	}
	p.wakeAll(len(p.workers))
	p.exited.Wait()
}

// Run runs pieces 0 to pieces−1 of a task and returns when all have finished.
//
// *Contract*: a single piece, or a pool of one thread, runs in the caller, in
// order. A Run that finds the pool busy, because another goroutine or an
// enclosing piece is using it, also runs in the caller, so runs nest and never
// wait for each other. When a piece panics, the other pieces of a parallel run
// still finish, and Run panics with a [*PieceError].
func (p *Pool) Run(pieces int, task Task) {
	if p == nil || pieces <= 1 || p.threads == 1 || !p.running.TryLock() {
		runSerially(pieces, task)
		return
	}
	defer p.running.Unlock()
	p.task, p.pieces = task, pieces
	p.left.Store(int64(pieces))
	p.tickets.Store(int64(pieces))
	p.wakeAll(pieces - 1)
	for p.draw(0) {
	}
	p.wait()
	p.task = nil
	if e := p.failed; e != nil {
		p.failed = nil
		panic(e)
	}
}

func runSerially(pieces int, task Task) {
	for i := range pieces {
		if e := runPiece(task, 0, i); e != nil {
			panic(e)
		}
	}
}

// runPiece turns a panic into an error, so that a worker outlives it.
func runPiece(task Task, worker, piece int) (failed *PieceError) {
	defer func() {
		if v := recover(); v != nil {
			failed = &PieceError{Piece: piece, Value: v, Stack: debug.Stack()}
		}
	}()
	task.Piece(worker, piece)
	return nil
}

// draw takes one ticket and runs its piece; it reports false when none is left.
func (p *Pool) draw(worker int) bool {
	t := p.tickets.Load()
	for t > 0 && !p.tickets.CompareAndSwap(t, t-1) {
		t = p.tickets.Load()
	}
	if t <= 0 {
		return false
	}
	if e := runPiece(p.task, worker, p.pieces-int(t)); e != nil {
		p.failure.Lock()
		if p.failed == nil || e.Piece < p.failed.Piece {
			p.failed = e
		}
		p.failure.Unlock()
	}
	if p.left.Add(-1) == 0 && p.waiting.CompareAndSwap(true, false) {
		p.finished <- struct{}{}
	}
	return true
}

// wait returns once every piece has finished. A token left over from an earlier
// run only makes it look again.
func (p *Pool) wait() {
	var spin spin
	for p.left.Load() > 0 {
		if spin.again() {
			continue
		}
		p.waiting.Store(true)
		if p.left.Load() == 0 && p.waiting.CompareAndSwap(true, false) {
			return
		}
		<-p.finished
	}
}

// wakeAll wakes up to n parked workers.
func (p *Pool) wakeAll(n int) {
	for i := range p.workers {
		if n == 0 {
			return
		}
		w := &p.workers[i]
		if w.parked.Load() && w.parked.CompareAndSwap(true, false) {
			w.wake <- struct{}{}
		}
		n--
	}
}

// work is the life of one worker: run pieces, spin, park.
func (p *Pool) work(id int) {
	w := &p.workers[id-1]
	var idle spin
	for !p.closed.Load() {
		if p.draw(id) {
			idle = spin{}
			continue
		}
		if idle.again() {
			continue
		}
		w.parked.Store(true)
		// Work or the end may have come between the last look and parking;
		// whoever clears parked decides whether a token is on its way.
		if (p.tickets.Load() > 0 || p.closed.Load()) && w.parked.CompareAndSwap(true, false) {
			continue
		}
		<-w.wake
		idle = spin{}
	}
}
