package train_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-gnn/weft/comm"
	"github.com/weft-gnn/weft/comm/local"
	"github.com/weft-gnn/weft/launch"
	"github.com/weft-gnn/weft/train"
)

// TestKilledAtAnyOperation kills a rank at operations spread over a run. It is
// restarted from its last checkpoint, and ends with the weights of an undisturbed
// run, bit for bit; no goroutine is left behind.
func TestKilledAtAnyOperation(t *testing.T) {
	const ranks, kills = 3, 20
	d, c := open(t, "karate"), config(t, "gcn", 8)
	c.Patience = 100
	set := train.Settings{Dir: filepath.Join(t.TempDir(), "whole"), SaveEpochs: 3}
	var mu sync.Mutex
	operations := 0
	together(t, team(ranks, local.Options{Fail: func(_, n int) error {
		mu.Lock()
		defer mu.Unlock()
		operations = max(operations, n+1)
		return nil
	}}), set, begins(c, d))
	want, err := os.ReadFile(filepath.Join(set.Dir, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	if operations < kills {
		t.Fatalf("%d operations, want %d at least", operations, kills)
	}
	for i := range kills {
		if testing.Short() && i%7 > 0 {
			continue // the race detector takes ten times as long
		}
		victim, at := i%ranks, i*operations/kills
		set.Dir = filepath.Join(t.TempDir(), "run")
		var ended []launch.Ended
		left := leaks(func() {
			err = launch.Job{
				First: 1, Restarts: 1,
				Attempt: func(ctx context.Context, number int) error {
					return attempt(ctx, number, set, begins(c, d), goesOn(set.Dir, d, 0), func(rank, n int) error {
						if number == 1 && rank == victim && n == at {
							return errors.New("killed")
						}
						return nil
					})
				},
				Finished: func() (bool, error) {
					n, err := train.Finished(set.Dir)
					return n > 0, err
				},
				Tell: func(e launch.Ended) { ended = append(ended, e) },
			}.Do(t.Context())
		})
		what := fmt.Sprintf("rank %d killed at operation %d of %d", victim, at, operations)
		var gone *comm.RankError
		if err != nil || len(ended) != 2 || !errors.As(ended[0].Err, &gone) || gone.Rank != victim {
			t.Errorf("%s: %v; the attempts ended with %+v", what, err, ended)
		}
		if got, err := os.ReadFile(filepath.Join(set.Dir, "model.safetensors")); err != nil || string(got) != string(want) {
			t.Errorf("%s: other weights, %v", what, err)
		}
		if left > 0 {
			t.Errorf("%s: %d goroutines are left", what, left)
		}
	}
}

// attempt trains on 3 ranks: a new run, or one that is there.
func attempt(ctx context.Context, number int, set train.Settings, begin, resume func(train.Settings) (*train.Trainer, error), fail func(rank, n int) error) error {
	prepare := begin
	if _, err := train.ReadConfig(set.Dir); err == nil {
		prepare = resume
	}
	set.Attempt = number
	_, err := team(3, local.Options{Fail: fail}).Train(ctx, set, prepare, nil)
	return err
}

// TestStallIsToldOnce: where a rank does not come, what ends the job is what the first
// rank that gave up says, not what others say of it.
func TestStallIsToldOnce(t *testing.T) {
	d, c := open(t, "karate"), config(t, "gcn", 1)
	m := team(4, local.Options{})
	m.Watch = &comm.Watch{Limit: time.Second}
	stalled, once := make(chan struct{}), sync.Once{}
	_, err := m.Train(t.Context(), train.Settings{}, func(set train.Settings) (*train.Trainer, error) {
		if set.Rank.Comm.Rank() == 3 {
			<-stalled
		}
		trainer, err := train.New(c, d, set)
		once.Do(func() { close(stalled) })
		return trainer, err
	}, nil)
	var stall *comm.StallError
	if !errors.As(err, &stall) || !slices.Equal(stall.For, []int{3}) || strings.Count(err.Error(), "rank ") != 1 {
		t.Errorf("got %v, want one rank that waits for rank 3", err)
	}
}
