//go:build mpi

package mpi

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weft-gnn/weft/comm"
)

// process is what the ends of all communicators of a process share.
type process struct {
	tags
	world *end

	underWay, stop atomic.Int32 // messages that MPI has to move; that it is to end
	ended          chan error   // what its end reported

	flying struct { // what is under way: its memory is MPI's, whether anybody waits for it or not
		sync.Mutex
		all  map[*transfers]bool
		used []*transfers
	}

	mu     sync.Mutex
	sends  []*transfers // what Send delivers
	failed error        // the first of these failures
}

// World starts MPI and returns the transport of all ranks. Its Close ends MPI.
//
// Errors: MPI was started before in this process, does not allow calls from
// several threads, or is another MPI than the launcher's, so that each process
// would be a world of its own.
func World() (comm.Transport, error) {
	p := &process{ended: make(chan error, 1)}
	p.flying.all = map[*transfers]bool{}
	started := make(chan error)
	go p.run(started)
	if err := <-started; err != nil {
		return nil, err
	}
	return p.world, nil
}

// run starts MPI, lets it move bytes and ends it, all on one thread, as its
// standard wants.
func (p *process) run(started chan<- error) {
	runtime.LockOSThread()
	if err := initialize(); err != nil {
		started <- err
		return
	}
	heart, err := p.open()
	if err != nil {
		err = errors.Join(err, finalize())
	}
	started <- err
	if err == nil {
		if err = progress(heart, &p.underWay, &p.stop); err == nil {
			err = finalize()
		}
		p.ended <- err
	}
}

// open makes the world's end, and a communicator on which nothing travels.
func (p *process) open() (heart communicator, err error) {
	rank, size := rankIn(worldComm())
	if r, n, ok := Launched(); ok && (n > 0 && n != size || r >= size) {
		return heart, fmt.Errorf("comm/mpi: the launcher started this process as rank %d of %d, but MPI sees %d: "+
			"start weft with the launcher of the MPI that it was built with, %s", r, max(n, r+1), size, library())
	}
	p.tags = newTags(lastTag())
	ranks := make([]int, size)
	for q := range ranks {
		ranks[q] = q
	}
	if p.world, err = newEnd(p, worldComm(), rank, ranks); err != nil {
		return heart, err
	}
	return duplicate(selfComm())
}

// fail notes a failure, after which MPI cannot end in order.
func (p *process) fail(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed == nil {
		p.failed = err
	}
	return err
}

// healthy returns an error where an operation has failed.
func (p *process) healthy() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed != nil {
		return fmt.Errorf("comm/mpi: MPI is left unfinished, since an operation failed (%w): abort, or exit with a status that is not 0", p.failed)
	}
	return nil
}

// end is one rank's end of a communicator.
type end struct {
	*process
	exchanges, direct communicator // the same ranks twice: for exchanges, and for Send and Recv
	rank              int
	ranks             []int // the world's numbers of its ranks
	begun             int   // exchanges
	sent, received    []int // messages of Send to and from each rank
}

// newEnd returns an end of the communicator of c's ranks.
func newEnd(p *process, c communicator, rank int, ranks []int) (*end, error) {
	e := &end{process: p, rank: rank, ranks: ranks, sent: make([]int, len(ranks)), received: make([]int, len(ranks))}
	var err error
	if e.exchanges, err = duplicate(c); err == nil {
		e.direct, err = duplicate(c)
	}
	if err != nil {
		return nil, fmt.Errorf("comm/mpi: new communicator: %w", err)
	}
	return e, nil
}

// Rank returns the number of this rank.
func (e *end) Rank() int { return e.rank }

// Size returns the number of ranks.
func (e *end) Size() int { return len(e.ranks) }

// gone says that a rank, by its number on this communicator, is gone.
func (e *end) gone(rank int, err error) error { return &comm.RankError{Rank: e.ranks[rank], Err: err} }

// Abort ends the processes of all ranks. Who calls it has said why.
func (e *end) Abort(error) { abort() }

// Close frees what this end holds; that of the world waits until all ranks have
// come to its Close, and ends MPI. After a failed operation it does neither.
func (e *end) Close() error {
	if err := e.healthy(); err != nil {
		return err
	}
	if e != e.world {
		return errors.Join(free(e.exchanges), free(e.direct))
	}
	if err := e.sayGoodbye(); err != nil {
		return err
	}
	e.stop.Store(1)
	select {
	case err := <-e.ended:
		return err
	case <-time.After(finishFor):
		return fmt.Errorf("comm/mpi: MPI did not end within %v, though every rank has ended its work in order", finishFor)
	}
}

// finishFor is how long MPI may take to end when all ranks have said goodbye:
// MPICH 4.0 over UCX's TCP sometimes never does, in C programs too, since a rank
// waits for the launcher while another needs it to move bytes.
const finishFor = 10 * time.Second
