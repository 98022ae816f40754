//go:build mpi

package mpi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/comm/commtest"
)

// role is what the ranks of a run do. Where says is nil all of them end in
// order; otherwise those that it lists say how their part ended, and then the
// job is aborted.
type role struct {
	run   func(*end, *comm.Comm) error
	says  []int
	watch time.Duration // 0: no bound
}

var background = context.Background()

var roles = map[string]role{
	"suite":    {run: suite},
	"progress": {run: movesAlone},
	"latency":  {run: latency},
	"overlap":  {run: overlap},
	"killed": {run: func(_ *end, c *comm.Comm) error {
		return reduceForever(c, func(step int) {
			if c.Rank() == 1 && step == 5 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
		})
	}},
	"volume":    {run: reduceVolume},
	"slow link": {run: slowLink},
	"forever": {run: func(_ *end, c *comm.Comm) error {
		return reduceForever(c, func(int) {})
	}},
	"abort": {run: func(_ *end, c *comm.Comm) error {
		return reduceForever(c, func(step int) {
			if c.Rank() == 1 && step == 5 {
				c.Abort(errors.New("the disk is full"))
			}
		})
	}},
	"stall": {says: []int{0, 1}, watch: time.Second / 2, run: func(e *end, c *comm.Comm) error {
		if err := comm.New(e, nil).Barrier(background); err != nil { // they start together
			return err
		}
		c.SetStep(7)
		if c.Rank() == 2 {
			return nil
		}
		return c.AllReduce(background, make([]float32, 9), comm.Sum)
	}},
	"cancelled": {says: []int{0}, run: func(_ *end, c *comm.Comm) error {
		if c.Rank() == 1 {
			return nil
		}
		ctx, cancel := context.WithTimeout(background, 50*time.Millisecond)
		defer cancel()
		return c.AllReduce(ctx, make([]float32, 4), comm.Sum)
	}},
	"cancelled receive": {says: []int{0}, run: func(_ *end, c *comm.Comm) error {
		if c.Rank() == 1 {
			return nil
		}
		ctx, cancel := context.WithTimeout(background, 50*time.Millisecond)
		defer cancel()
		return c.Recv(ctx, 1, make([]float32, 4))
	}},
	"cancelled split": {says: []int{0}, run: func(_ *end, c *comm.Comm) error {
		if c.Rank() == 1 {
			return nil
		}
		ctx, cancel := context.WithTimeout(background, 50*time.Millisecond)
		defer cancel()
		_, err := c.Split(ctx, 0, 0)
		return err
	}},
	"longer":  {says: []int{1}, run: sending(7, 5)},
	"shorter": {says: []int{1}, run: sending(5, 7)},
	"longer, same tag": {says: []int{1}, run: func(e *end, c *comm.Comm) error {
		e.lengths = 1
		return sending(7, 5)(e, c)
	}},
	"shorter, same tag": {says: []int{1}, run: func(e *end, c *comm.Comm) error {
		e.lengths = 1
		return sending(5, 7)(e, c)
	}},
	"long and longer": {says: []int{1}, run: func(e *end, c *comm.Comm) error {
		e.longest = 4
		return sending(11, 9)(e, c)
	}},
	"long and shorter": {says: []int{1}, run: func(e *end, c *comm.Comm) error {
		e.longest = 4
		return sending(9, 11)(e, c)
	}},
	"much longer":  {says: []int{1}, run: sending(2<<20, 1<<19)},
	"much shorter": {says: []int{1}, run: sending(1<<19, 2<<20)},
	"one too few":  {says: []int{1}, run: sending(0, 5)},
	"one too many": {says: []int{1}, run: sending(5, 0)},
	"part too many": {says: []int{1}, run: func(e *end, c *comm.Comm) error {
		e.longest = 4
		return sending(8, 4)(e, c)
	}},
	"direct": {says: []int{1}, run: func(_ *end, c *comm.Comm) error {
		if c.Rank() == 0 {
			return c.Send(background, 1, make([]float32, 3))
		}
		return c.Recv(background, 0, make([]float32, 2))
	}},
	"closed": {says: []int{0, 1}, run: func(e *end, c *comm.Comm) error {
		if c.Rank() == 1 {
			return e.Close()
		}
		return c.AllReduce(background, make([]float32, 8), comm.Sum)
	}},
	"closed, part": {says: []int{0}, run: func(e *end, c *comm.Comm) error {
		part, err := c.Split(background, 0, -c.Rank())
		if err != nil {
			return err
		}
		if c.Rank() == 1 {
			return e.Close()
		}
		return part.Recv(background, 0, make([]float32, 8)) // rank 1, by its key
	}},
	"never awaited": {says: []int{1}, run: func(e *end, c *comm.Comm) error {
		send, recv := make([][]float32, 2), make([][]float32, 2)
		if c.Rank() == 0 {
			send[1] = []float32{1, 2, 3}
		}
		if err := c.Exchange(background, send, recv); err != nil {
			return err
		}
		return e.Close()
	}},
	"never received": {says: []int{0}, run: func(e *end, c *comm.Comm) error {
		if c.Rank() == 0 {
			if err := c.Send(background, 1, make([]float32, 1<<20)); err != nil {
				return err
			}
		}
		return e.Close()
	}},
}

// suite is all that every transport must do, also when the parts of pieces and
// the tags of exchanges run out; and what only processes can get wrong.
func suite(e *end, c *comm.Comm) error {
	usual := e.tags
	for _, small := range []bool{false, true} {
		if small {
			e.tags = tags{numbers: 16, lengths: 4, longest: 7}
		}
		for _, check := range commtest.Checks() {
			if err := check.Run(background, c); err != nil {
				return fmt.Errorf("%s (small %v): %w", check.Name, small, err)
			}
		}
	}
	e.tags = usual
	return errors.Join(bigRing(c), allocatesNothing(e), faultsArePanics(), onlyOnce(), nothingLeft(e))
}

// allocatesNothing: exchanges use again what earlier ones had.
func allocatesNothing(e *end) error {
	send, recv := make([][]float32, e.Size()), make([][]float32, e.Size())
	for q := range send {
		send[q], recv[q] = make([]float32, 10), make([]float32, 10)
	}
	const times = 100
	var failure error
	n := testing.AllocsPerRun(times, func() {
		x, err := e.Begin(send, recv)
		if err == nil {
			err = x.Wait(background)
		}
		failure = errors.Join(failure, err)
	})
	if n > 0 {
		failure = errors.Join(failure, fmt.Errorf("an exchange makes %v objects", n))
	}
	return failure
}

// bigRing sends to the next rank, before it receives, what no buffer of MPI's holds.
func bigRing(c *comm.Comm) error {
	const n = 1 << 20
	next, last := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
	words := make([]float32, n)
	for i := range words {
		words[i] = float32(c.Rank() + i)
	}
	if err := c.Send(background, next, words); err != nil {
		return err
	}
	clear(words) // they are the sender's again
	runtime.GC()
	if err := c.Recv(background, last, words); err != nil {
		return err
	}
	for i, x := range words {
		if x != float32(last+i) {
			return fmt.Errorf("word %d round the ring is %v, want %v", i, x, last+i)
		}
	}
	return c.Barrier(background)
}

// faultsArePanics: MPI leaves Go its signals.
func faultsArePanics() (err error) {
	defer func() {
		if recover() == nil {
			err = errors.New("a nil pointer did not panic")
		}
	}()
	var none *end
	return fmt.Errorf("rank %d", none.rank)
}

func onlyOnce() error {
	if _, err := World(); err == nil {
		return errors.New("MPI was started twice")
	}
	return nil
}

// nothingLeft: no memory is pinned, and no work left for the thread that moves
// bytes.
func nothingLeft(e *end) error {
	if err := e.reap(); err != nil {
		return err
	}
	if n := e.underWay.Load(); n != 0 || len(e.flying.all) != 0 {
		return fmt.Errorf("%d transfers are under way at the end, the memory of %d is kept", n, len(e.flying.all))
	}
	return nil
}

// movesAlone begins an exchange that takes many steps of MPI's, and keeps all
// processors busy without a call of it: the exchange must have ended then.
func movesAlone(e *end, c *comm.Comm) error {
	const n = 1 << 20
	send, recv := make([][]float32, 2), make([][]float32, 2)
	send[1-e.rank], recv[1-e.rank] = make([]float32, n), make([]float32, n)
	if err := c.Barrier(background); err != nil {
		return err
	}
	x, err := e.Begin(send, recv)
	if err != nil {
		return err
	}
	var busy sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		busy.Go(func() {
			x := 1.0
			for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
				for range 1000 {
					x = x*1.0000001 + 1e-9
				}
			}
			runtime.KeepAlive(x)
		})
	}
	busy.Wait()
	t := x.(*exchange).transfers
	if left, err := t.poll(); err != nil || left > 0 {
		return fmt.Errorf("after two seconds of work %d messages are still under way, %v", left, err)
	}
	return x.Wait(background)
}

// reduceForever sums until something fails.
func reduceForever(c *comm.Comm, before func(step int)) error {
	words := make([]float32, 100)
	for step := 0; ; step++ {
		c.SetStep(step)
		before(step)
		if err := c.AllReduce(background, words, comm.Sum); err != nil {
			return err
		}
	}
}

// sending lets rank 0 send rank 1 another number of words than that awaits, and
// then both sum, rank 0 so late that rank 1 has doubts.
func sending(sent, awaited int) func(*end, *comm.Comm) error {
	return func(_ *end, c *comm.Comm) error {
		send, recv := make([][]float32, c.Size()), make([][]float32, c.Size())
		if c.Rank() == 0 {
			send[1] = make([]float32, sent)
		} else {
			recv[0] = make([]float32, awaited)
		}
		if err := c.Exchange(background, send, recv); err != nil {
			return err
		}
		if c.Rank() == 0 {
			time.Sleep(3 * doubtsAfter)
		}
		return c.AllReduce(background, make([]float32, 8), comm.Sum)
	}
}

// latency prints how long a sum of so many words takes: the median, and the mean.
func latency(e *end, c *comm.Comm) error {
	words, err := strconv.Atoi(os.Getenv("WEFT_TEST_WORDS"))
	if err != nil {
		return err
	}
	times, err := strconv.Atoi(os.Getenv("WEFT_TEST_TIMES"))
	if err != nil {
		return err
	}
	x := make([]float32, words)
	took := make([]time.Duration, 0, times)
	start := time.Now()
	for range times {
		before := time.Now()
		if err := c.AllReduce(background, x, comm.Sum); err != nil {
			return err
		}
		took = append(took, time.Since(before))
	}
	mean := time.Since(start) / time.Duration(times)
	slices.Sort(took)
	if e.rank == 0 {
		fmt.Printf("median %d ns, mean %d ns\n", took[times/2].Nanoseconds(), mean.Nanoseconds())
	}
	return nil
}

// overlap prints how long an exchange of 8 MiB takes, work that takes as long,
// and both, one after the other and at once.
func overlap(e *end, c *comm.Comm) error {
	const n, times = 2 << 20, 15
	send, recv := make([][]float32, 2), make([][]float32, 2)
	send[1-e.rank], recv[1-e.rank] = make([]float32, n), make([]float32, n)
	exchange := func() error { return c.Exchange(background, send, recv) }
	rounds := 1
	work := func() error {
		x := 1.0
		for range rounds {
			x = x*1.0000001 + 1e-9
		}
		runtime.KeepAlive(x)
		return nil
	}
	median := func(f func() error) (time.Duration, error) {
		var took []time.Duration
		for range times {
			if err := c.Barrier(background); err != nil {
				return 0, err
			}
			start := time.Now()
			if err := f(); err != nil {
				return 0, err
			}
			took = append(took, time.Since(start))
		}
		slices.Sort(took)
		return took[times/2], nil
	}
	alone, err := median(exchange)
	if err != nil {
		return err
	}
	for start := time.Now(); time.Since(start) < 50*time.Millisecond; {
		before := time.Now()
		_ = work()
		rounds = max(rounds, int(float64(rounds)*min(2, float64(alone)/float64(time.Since(before)))))
	}
	agreed := []float32{float32(rounds)}
	if err := c.AllReduce(background, agreed, comm.Max); err != nil {
		return err
	}
	rounds = int(agreed[0])
	worked, err := median(work)
	if err != nil {
		return err
	}
	both, err := median(func() error { return errors.Join(exchange(), work()) })
	if err != nil {
		return err
	}
	atOnce, err := median(func() error {
		r, err := c.Begin(send, recv)
		if err != nil {
			return err
		}
		return errors.Join(work(), r.Wait(background))
	})
	if e.rank == 0 {
		fmt.Printf("exchange %v, work %v, one after the other %v, at once %v\n", alone, worked, both, atOnce)
	}
	return err
}
