package local_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/comm/local"
)

// TestWatchTakesItsTimer: time passes when the caller's clock says so, and the timer
// of every wait is stopped.
func TestWatchTakesItsTimer(t *testing.T) {
	asked, stopped := time.Duration(0), 0
	watch := &comm.Watch{Limit: time.Hour, AfterFunc: func(d time.Duration, f func()) func() bool {
		asked = d
		go f()
		return func() bool { stopped++; return true }
	}}
	err := comm.New(local.World(2, local.Options{})[0], watch).Barrier(context.Background())
	var stall *comm.StallError
	if !errors.As(err, &stall) || !slices.Equal(stall.For, []int{1}) || stall.Limit != time.Hour {
		t.Errorf("got %v, want that rank 1 is waited for", err)
	}
	if asked != time.Hour || stopped != 1 {
		t.Errorf("a timer of %v, stopped %d times", asked, stopped)
	}
}
