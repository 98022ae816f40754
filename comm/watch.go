package comm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Watch bounds how long an operation may wait for other ranks. The nil Watch
// waits for ever.
type Watch struct {
	// Limit is how long.
	Limit time.Duration
	// AfterFunc calls f when d has passed, unless it is stopped before; nil stands
	// for [time.AfterFunc].
	AfterFunc func(d time.Duration, f func()) (stop func() bool)
}

// Place says where in a run an operation is.
type Place struct {
	Rank int
	Op   string
	// Number counts the rank's operations on its communicator, from 1.
	Number int
	Step   int
}

func (p Place) String() string {
	return fmt.Sprintf("rank %d, %s (operation %d, step %d)", p.Rank, p.Op, p.Number, p.Step)
}

// StallError says who waits for whom.
type StallError struct {
	At    Place
	For   []int // ranks that did not do their part yet
	Limit time.Duration
}

func (e *StallError) Error() string {
	ranks := make([]string, len(e.For))
	for i, r := range e.For {
		ranks[i] = fmt.Sprint(r)
	}
	return fmt.Sprintf("comm: %v has waited %v for ranks %s", e.At, e.Limit, strings.Join(ranks, ", "))
}

// wait waits for an operation, and gives it up when it takes too long.
func (w *Watch) wait(ctx context.Context, at Place, p Pending) error {
	if w == nil || w.Limit <= 0 {
		return at.failed(p.Wait(ctx))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	afterFunc := w.AfterFunc
	if afterFunc == nil {
		afterFunc = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	stop := afterFunc(w.Limit, func() { cancel(&StallError{at, slices.Clone(p.Missing()), w.Limit}) })
	defer stop()
	err := p.Wait(ctx)
	var stall *StallError
	if err != nil && errors.As(context.Cause(ctx), &stall) {
		return stall
	}
	return at.failed(err)
}

// failed says where an operation failed, unless its error is that of a rank that
// ended all: where that happened it says itself.
func (p Place) failed(err error) error {
	var aborted *AbortError
	if err == nil || errors.As(err, &aborted) {
		return err
	}
	return fmt.Errorf("comm: %v: %w", p, err)
}
