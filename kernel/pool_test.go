package kernel

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weft-gnn/weft/tensor"
)

// taskFunc makes a function a task.
type taskFunc func(worker, piece int)

func (f taskFunc) Piece(worker, piece int) { f(worker, piece) }

func TestPoolRunsEachPieceOnce(t *testing.T) {
	for _, threads := range []int{-1, 0, 1, 2, 3, 8} {
		pool := NewPool(threads)
		for _, pieces := range []int{0, 1, 2, 3, 7, 64, 1000} {
			runs := make([]atomic.Int32, pieces)
			pool.Run(pieces, taskFunc(func(worker, piece int) {
				if worker < 0 || worker >= pool.Threads() {
					t.Errorf("worker %d of %d", worker, pool.Threads())
				}
				runs[piece].Add(1)
			}))
			for i := range runs {
				if n := runs[i].Load(); n != 1 {
					t.Fatalf("threads %d: piece %d of %d ran %d times", threads, i, pieces, n)
				}
			}
		}
		pool.Close()
	}
}

// A worker that has parked must see the next run; one that spins, too.
func TestPoolWakesWorkers(t *testing.T) {
	pool := NewPool(2)
	defer pool.Close()
	for i := range 20 {
		if i%4 == 3 {
			time.Sleep(2 * time.Millisecond)
		}
		var both sync.WaitGroup
		both.Add(2)
		// Each piece waits for the other: a lone caller would hang.
		pool.Run(2, taskFunc(func(_, _ int) { both.Done(); both.Wait() }))
	}
}

func TestPoolWorkersOfARunAreDistinct(t *testing.T) {
	pool := NewPool(4)
	defer pool.Close()
	busy := make([]atomic.Bool, 4)
	pool.Run(400, taskFunc(func(worker, _ int) {
		if busy[worker].Swap(true) {
			t.Error("two pieces run at once under one worker's number")
		}
		runtime.Gosched()
		busy[worker].Store(false)
	}))
}

func TestPoolRaisesThePanicOfTheLowestPiece(t *testing.T) {
	want := tensor.ShapeError{Op: "test", Got: "a", Want: "b"}
	for _, threads := range []int{1, 2, 5} {
		pool := NewPool(threads)
		for range 10 {
			err := panicOf(func() {
				pool.Run(8, taskFunc(func(_, piece int) {
					if piece >= 3 {
						if piece == 3 && threads > 1 {
							time.Sleep(time.Millisecond) // let others panic first
						}
						panic(fmt.Errorf("piece %d: %w", piece, want))
					}
				}))
			})
			var failed *PieceError
			var shape tensor.ShapeError
			if !errors.As(err, &failed) || !errors.As(err, &shape) || shape != want {
				t.Fatalf("threads %d: panicked with %v, want a PieceError of %v", threads, err, want)
			}
			if failed.Piece != 3 || !strings.Contains(string(failed.Stack), "pool_test.go") {
				t.Errorf("threads %d: piece %d, stack %s", threads, failed.Piece, failed.Stack)
			}
			var ran atomic.Int32
			pool.Run(8, taskFunc(func(_, _ int) { ran.Add(1) }))
			if ran.Load() != 8 {
				t.Errorf("threads %d: %d pieces ran after a panic, want 8", threads, ran.Load())
			}
		}
		pool.Close()
	}
}

func panicOf(f func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	f()
	return nil
}

// Runs inside pieces, and of several goroutines, share a pool without waiting.
func TestPoolNests(t *testing.T) {
	pool := NewPool(3)
	defer pool.Close()
	var sum atomic.Int64
	inner := taskFunc(func(_, piece int) { sum.Add(int64(piece)) })
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for range 50 {
				pool.Run(5, taskFunc(func(_, _ int) { pool.Run(4, inner) }))
			}
		})
	}
	callers.Wait()
	if got, want := sum.Load(), int64(4*50*5*(0+1+2+3)); got != want {
		t.Errorf("sum %d, want %d", got, want)
	}
}

func TestPoolCloseEndsWorkers(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range 20 {
		pool := NewPool(4)
		pool.Run(i, taskFunc(func(_, _ int) {}))
		if i%2 == 1 {
			time.Sleep(time.Millisecond) // workers park
		}
		pool.Close()
		pool.Close()
	}
	// A goroutine that has reported its end may take a moment to vanish.
	for wait := 0; runtime.NumGoroutine() > before; wait++ {
		if wait == 1000 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestNilPoolRunsInOrder(t *testing.T) {
	var pool *Pool
	var order []int
	pool.Run(4, taskFunc(func(_, piece int) { order = append(order, piece) }))
	pool.Close()
	if want := []int{0, 1, 2, 3}; !slices.Equal(order, want) || pool.Threads() != 1 {
		t.Errorf("ran %v on %d threads, want %v on 1", order, pool.Threads(), want)
	}
}

type noTask struct{}

func (noTask) Piece(_, _ int) {}

func TestPoolRunAllocatesNothing(t *testing.T) {
	pool := NewPool(2)
	defer pool.Close()
	if n := testing.AllocsPerRun(100, func() { pool.Run(16, noTask{}) }); n != 0 {
		t.Errorf("%v allocations per run", n)
	}
}

func BenchmarkPoolRun(b *testing.B) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("pieces=16/threads=%d", threads), func(b *testing.B) {
			pool := NewPool(threads)
			defer pool.Close()
			for b.Loop() {
				pool.Run(16, noTask{})
			}
		})
	}
}
