// Package launch runs commands that may fail until their work is done.
//
// A run of several processes ends as a whole when one of them is lost, and what a
// launcher's exit status says of that differs: MPICH's is 0 where a rank left
// without a word. So a [Job] asks the work itself whether it has finished, and is
// attempted again where it has not; each attempt takes up what the last checkpoint
// holds, and is numbered, so that what is left of an earlier one harms nothing.
package launch

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Job is work that is attempted until it has finished.
type Job struct {
	// First is the number of the first attempt, Restarts how many may follow it.
	First, Restarts int
	// Pause is the time before the second attempt; it doubles with each, up to a
	// minute.
	Pause time.Duration
	// Attempt makes an attempt. Its error says how it ended, not whether the work
	// is done.
	Attempt func(ctx context.Context, number int) error
	// Finished reports whether the work is done.
	Finished func() (bool, error)
	// After makes a channel that receives when so much time has passed; nil stands
	// for [time.After].
	After func(time.Duration) <-chan time.Time
	// Tell is told how each attempt ended; nil is silent.
	Tell func(Ended)
}

// Ended is how an attempt ended.
type Ended struct {
	Attempt  int
	Err      error // of the attempt, nil for none
	Finished bool
	// Again says that another attempt begins after Pause; Left is how many may still
	// follow.
	Again bool
	Pause time.Duration
	Left  int
}

// UnfinishedError says that a job was given up.
type UnfinishedError struct {
	Attempts int
	Last     error // of the last attempt, nil where that ended well and left the work undone
}

func (e *UnfinishedError) Error() string {
	last := "ended without an error"
	if e.Last != nil {
		last = e.Last.Error()
	}
	return fmt.Sprintf("launch: not finished after %d attempts: the last one: %s", e.Attempts, last)
}

func (e *UnfinishedError) Unwrap() error { return e.Last }

// ErrCannotStart is of attempts that others would be like.
var ErrCannotStart = errors.New("launch: cannot start")

// longest is the longest pause.
const longest = time.Minute

// Do makes attempts until the work is done.
//
// Errors: an [UnfinishedError]; ctx's cause, after the attempt under way has ended;
// at once one that is an [ErrCannotStart], and Finished's.
func (j Job) Do(ctx context.Context) error {
	pause := j.Pause
	for made := 1; ; made++ {
		e := Ended{Attempt: j.First + made - 1, Left: j.Restarts - made + 1}
		e.Err = j.Attempt(ctx, e.Attempt)
		if errors.Is(e.Err, ErrCannotStart) {
			return e.Err
		}
		var err error
		if e.Finished, err = j.Finished(); err != nil {
			return err
		}
		if e.Again = !e.Finished && e.Left > 0 && ctx.Err() == nil; e.Again {
			e.Pause = pause
		}
		if j.Tell != nil {
			j.Tell(e)
		}
		switch {
		case e.Finished:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !e.Again:
			return &UnfinishedError{made, e.Err}
		}
		if err := j.rest(ctx, pause); err != nil {
			return err
		}
		pause = min(2*pause, longest)
	}
}

// rest waits.
func (j Job) rest(ctx context.Context, d time.Duration) error {
	after := j.After
	if after == nil {
		after = time.After
	}
	select {
	case <-after(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
