package kernel

import (
	"fmt"
	"math"
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
// A worker runs pieces that follow each other: what one reads ahead, the next finds,
// and what one piece and the next share is in the same cache. The caller begins with
// all of them; whoever has none takes the later half of the largest share.
//
// A nil Pool runs everything in the caller, as a pool of one thread does.
type Pool struct {
	threads int

	// One Run owns the fields below it at a time. A worker reads task only after it
	// has taken a piece; the Run that it belongs to cannot end before that piece
	// does, so the reads are ordered.
	running sync.Mutex
	task    Task

	shares   []share      // pieces that no worker has begun, by who is to run them
	left     atomic.Int64 // pieces of the current run not known to have finished
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

// share is pieces lo to hi, as lo·2³² + hi. Its worker takes the first of them, and
// fills it when it is empty; others take from its end. All they rely on is what it
// holds at that moment, which is pieces of the current run.
type share struct {
	span atomic.Uint64
	_    [56]byte
}

func (s *share) load() (span uint64, lo, hi int) {
	span = s.span.Load()
	return span, int(span >> 32), int(span & math.MaxUint32)
}

func (s *share) store(lo, hi int) { s.span.Store(spanOf(lo, hi)) }

func spanOf(lo, hi int) uint64 { return uint64(lo)<<32 | uint64(hi) }

// first takes the first piece, −1 where there is none.
func (s *share) first() int {
	for {
		span, lo, hi := s.load()
		if lo >= hi {
			return -1
		}
		if s.span.CompareAndSwap(span, spanOf(lo+1, hi)) {
			return lo
		}
	}
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
// worker to come back: they go on with their pieces. Every spinLooks looks a
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
		shares:   make([]share, threads),
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
	p.task = task
	p.left.Store(int64(pieces))
	p.shares[0].store(0, pieces)
	p.wakeAll(pieces - 1)
	p.drain(0)
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

// drain runs pieces until all are handed out; it reports false when they were.
func (p *Pool) drain(worker int) bool {
	own, any := &p.shares[worker], false
	for p.refill(worker) {
		ran := 0
		for piece := own.first(); piece >= 0; piece = own.first() {
			p.run(worker, piece)
			ran++
		}
		p.finish(ran)
		any = true
	}
	return any
}

// refill gives a worker without pieces the later half of the largest share. It
// reports false where all are empty.
func (p *Pool) refill(worker int) bool {
	own := &p.shares[worker]
	if _, lo, hi := own.load(); lo < hi {
		return true
	}
	for {
		var from *share
		var span uint64
		first, end := 0, 0
		for i := range p.shares {
			if s, lo, hi := p.shares[i].load(); hi-lo > end-first {
				from, span, first, end = &p.shares[i], s, lo, hi
			}
		}
		if from == nil {
			return false
		}
		half := first + (end-first)/2
		if from.span.CompareAndSwap(span, spanOf(first, half)) {
			own.store(half, end)
			return true
		}
	}
}

func (p *Pool) run(worker, piece int) {
	e := runPiece(p.task, worker, piece)
	if e == nil {
		return
	}
	p.failure.Lock()
	defer p.failure.Unlock()
	if p.failed == nil || e.Piece < p.failed.Piece {
		p.failed = e
	}
}

// finish says that so many pieces have finished.
func (p *Pool) finish(pieces int) {
	if p.left.Add(-int64(pieces)) == 0 && p.waiting.CompareAndSwap(true, false) {
		p.finished <- struct{}{}
	}
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
		if p.drain(id) {
			idle = spin{}
			continue
		}
		if idle.again() {
			continue
		}
		w.parked.Store(true)
		// Work or the end may have come between the last look and parking;
		// whoever clears parked decides whether a token is on its way.
		if (p.undone() || p.closed.Load()) && w.parked.CompareAndSwap(true, false) {
			continue
		}
		<-w.wake
		idle = spin{}
	}
}

// undone reports whether some pieces were not handed out.
func (p *Pool) undone() bool {
	for i := range p.shares {
		if _, lo, hi := p.shares[i].load(); lo < hi {
			return true
		}
	}
	return false
}
