package local_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/comm/commtest"
	"github.com/weft-gnn/weft/comm/local"
)

// run lets every rank do the same, and returns each one's error.
func run(ends []comm.Transport, watch *comm.Watch, f func(c *comm.Comm) error) []error {
	errs := make([]error, len(ends))
	var wg sync.WaitGroup
	for r, end := range ends {
		wg.Go(func() {
			c := comm.New(end, watch)
			errs[r] = errors.Join(f(c), c.Close())
		})
	}
	wg.Wait()
	return errs
}

func TestTransport(t *testing.T) {
	delayed := local.Options{Delay: 300 * time.Microsecond, Seed: 1}
	for _, ranks := range []int{1, 2, 3, 4, 8} {
		for name, o := range map[string]local.Options{"": {}, "delayed": delayed} {
			t.Run(fmt.Sprintf("ranks=%d%s", ranks, name), func(t *testing.T) {
				for r, err := range run(local.World(ranks, o), nil, func(c *comm.Comm) error {
					for _, check := range commtest.Checks() {
						if err := check.Run(t.Context(), c); err != nil {
							return fmt.Errorf("%s: %w", check.Name, err)
						}
					}
					return nil
				}) {
					if err != nil {
						t.Errorf("rank %d: %v", r, err)
					}
				}
			})
		}
	}
}

// reduceForever sums until something fails.
func reduceForever(c *comm.Comm) error {
	words := make([]float32, 100)
	for step := 0; ; step++ {
		c.SetStep(step)
		if err := c.AllReduce(context.Background(), words, comm.Sum); err != nil {
			return err
		}
	}
}

// TestRankDies: wherever one rank dies, all ranks end, and say who died or who
// ended because of that.
func TestRankDies(t *testing.T) {
	killed := errors.New("killed")
	for at := range 20 {
		o := local.Options{Fail: func(rank, operation int) error {
			if rank == 1 && operation == at {
				return killed
			}
			return nil
		}}
		errs := run(local.World(4, o), nil, reduceForever)
		if !errors.Is(errs[1], killed) {
			t.Errorf("the rank that died says %v", errs[1])
		}
		for r, err := range errs {
			var gone *comm.RankError
			if !errors.As(err, &gone) {
				t.Errorf("died at operation %d: rank %d says %v, want a RankError", at, r, err)
			}
		}
	}
}

// TestStall: a rank that does not come is named, with the operation and the step.
func TestStall(t *testing.T) {
	var others sync.WaitGroup
	others.Add(2)
	watch := &comm.Watch{Limit: 20 * time.Millisecond}
	errs := run(local.World(3, local.Options{}), watch, func(c *comm.Comm) error {
		c.SetStep(7)
		if c.Rank() == 2 {
			others.Wait()
			return nil
		}
		defer others.Done()
		return c.AllReduce(context.Background(), make([]float32, 9), comm.Sum)
	})
	for r, err := range errs[:2] {
		var stall *comm.StallError
		if !errors.As(err, &stall) {
			t.Errorf("rank %d: %v, want a StallError", r, err)
			continue
		}
		if len(stall.For) != 1 || stall.For[0] != 2 || stall.At.Step != 7 || stall.At.Op != "all-reduce" || stall.At.Rank != r {
			t.Errorf("rank %d: %v", r, err)
		}
	}
}

// TestMismatch: ranks that run different plans hear of it.
func TestMismatch(t *testing.T) {
	errs := run(local.World(2, local.Options{}), nil, func(c *comm.Comm) error {
		return c.AllReduce(context.Background(), make([]float32, 10+2*c.Rank()), comm.Sum)
	})
	if errors.Join(errs...) == nil {
		t.Error("sums of 10 and of 12 words went through")
	}
}

func TestAbort(t *testing.T) {
	cause := errors.New("the disk is full")
	errs := run(local.World(3, local.Options{}), nil, func(c *comm.Comm) error {
		if c.Rank() == 1 {
			c.Abort(cause)
			return nil
		}
		return reduceForever(c)
	})
	for _, r := range []int{0, 2} {
		var ended *comm.AbortError
		if !errors.Is(errs[r], cause) || !errors.As(errs[r], &ended) {
			t.Errorf("rank %d says %v, want that the job was ended, and the cause", r, errs[r])
		}
	}
}

// TestManyRanks: hundreds of ranks exchange with each other, none of them stalls, and
// what was done with the memory of one message is not seen in another.
func TestManyRanks(t *testing.T) {
	const ranks = 300
	watch := &comm.Watch{Limit: time.Minute}
	for r, err := range run(local.World(ranks, local.Options{}), watch, func(c *comm.Comm) error {
		for n := range 4 {
			words := make([]float32, 100+ranks*n)
			for i := range words {
				words[i] = float32(c.Rank() + i)
			}
			if err := c.AllReduce(context.Background(), words, comm.Sum); err != nil {
				return err
			}
			for i, got := range words {
				if want := float32(ranks*(ranks-1)/2 + ranks*i); got != want {
					return fmt.Errorf("sum %d of %d is %v, want %v", i, len(words), got, want)
				}
			}
		}
		return nil
	}) {
		if err != nil {
			t.Fatalf("rank %d: %v", r, err)
		}
	}
}

// TestGivenUp: when a wait fails, nobody reads or writes the pieces any more, which the
// race detector would see, and what was not taken is not delivered.
func TestGivenUp(t *testing.T) {
	for at := 1; at < 12; at++ {
		o := local.Options{Fail: func(rank, operation int) error {
			if rank == 1 && operation == at {
				return errors.New("killed")
			}
			return nil
		}}
		run(local.World(3, o), nil, func(c *comm.Comm) error {
			send, recv := make([][]float32, 3), make([][]float32, 3)
			for q := range send {
				send[q], recv[q] = make([]float32, 10000), make([]float32, 10000)
			}
			for {
				err := c.Exchange(context.Background(), send, recv)
				for q := range send {
					clear(send[q])
					clear(recv[q])
				}
				if err != nil {
					return err
				}
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	ends := local.World(2, local.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := comm.New(ends[0], nil).AllReduce(ctx, make([]float32, 4000), comm.Sum)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	words := make([]float32, 4000)
	ctx, cancel = context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := comm.New(ends[1], nil).Exchange(ctx, [][]float32{nil, nil}, [][]float32{words[:2000], nil}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("what rank 0 has given up arrived: %v", err)
	}
}

// TestNoGoroutineStays: neither waits nor watches leave one behind.
func TestNoGoroutineStays(t *testing.T) {
	before := runtime.NumGoroutine()
	run(local.World(4, local.Options{}), &comm.Watch{Limit: time.Hour}, func(c *comm.Comm) error {
		for range 50 {
			if err := c.AllReduce(context.Background(), make([]float32, 64), comm.Sum); err != nil {
				return err
			}
		}
		return nil
	})
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, were %d", runtime.NumGoroutine(), before)
		}
	}
}
