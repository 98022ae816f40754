package comm

import (
	"context"
	"fmt"
)

// Transport carries exchanges between the ranks of one communicator. Every rank
// begins the same exchanges in the same order.
type Transport interface {
	Rank() int
	Size() int
	// Begin starts an exchange: send[q] goes to rank q, recv[q] is filled with
	// what rank q sends here. Both have a piece per rank, possibly empty; the
	// lengths of a piece agree at both ends. The piece of the rank itself is
	// copied. Pieces are neither read nor written by the caller before Wait
	// has returned.
	Begin(send, recv [][]float32) (Pending, error)
	// Send delivers words to a rank, Recv receives what that rank sent, in
	// order. They do not match exchanges. Send may return before the words
	// have arrived; they may be changed then.
	Send(ctx context.Context, to int, words []float32) error
	Recv(ctx context.Context, from int, words []float32) error
	// Split returns the communicator of the ranks that gave the same color, in
	// the order of their keys, ties by rank. All ranks call it.
	Split(ctx context.Context, color, key int) (Transport, error)
	// Abort ends the job of all ranks: operations that wait fail with an
	// [*AbortError] of the cause.
	Abort(cause error)
	// Close frees what this end holds.
	Close() error
}

// Pending is an exchange under way.
type Pending interface {
	// Wait returns when this rank's pieces have been sent and received.
	//
	// Errors: a [*RankError]; ctx's.
	Wait(ctx context.Context) error
	// Missing lists the ranks that the exchange waits for: whose pieces have not
	// arrived yet, and, where it can tell, that have not taken theirs.
	Missing() []int
}

// RankError says that a rank is gone.
type RankError struct {
	Rank int
	Err  error
}

func (e *RankError) Error() string { return fmt.Sprintf("comm: rank %d is gone: %v", e.Rank, e.Err) }

// Unwrap returns what happened to the rank.
func (e *RankError) Unwrap() error { return e.Err }

// AbortError says that a rank ended the job of all.
type AbortError struct{ Err error }

func (e *AbortError) Error() string { return fmt.Sprintf("comm: the job was ended: %v", e.Err) }

// Unwrap returns why.
func (e *AbortError) Unwrap() error { return e.Err }
